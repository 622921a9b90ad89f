import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import {
  buildSchemaDisclosure,
  fragmentUri,
  isVerifiedSchema,
  manifestUri,
  parseFragmentIndex,
  parseSchemaFragment,
  parseSchemaFragmentText,
  parseSchemaManifest,
  parseSchemaManifestText,
  parseSchemaUri,
  readSchemaFragment,
  reconstructSchema,
  SchemaDisclosureError,
  type SchemaFragment,
  sha256Hex,
  WIRE_LIMITS,
} from '../../src/core/index.ts'

const IDENTITY = { operation: 'op', alias: 'tool', sourceSha256: 'a'.repeat(64) }

async function disclose(inputSchema: object, outputSchema: object = {}, identity = IDENTITY) {
  const disclosure = await buildSchemaDisclosure(
    { inputSchema: JSON.stringify(inputSchema), outputSchema: JSON.stringify(outputSchema) },
    identity,
  )
  const fragments: SchemaFragment[] = []
  for (let index = 0; index < disclosure.manifest.fragment_count; index++) {
    fragments.push(await readSchemaFragment(disclosure, index, { expectedSha256: disclosure.manifest.schema_sha256 }))
  }
  return {
    disclosure,
    manifest: disclosure.manifest,
    fragments,
    wires: fragments.map((fragment) => JSON.stringify(fragment)),
  }
}

async function codeOf(run: () => unknown): Promise<string> {
  try {
    await run()
    return 'accepted'
  } catch (error) {
    if (SchemaDisclosureError.is(error)) {
      expect(Object.isFrozen(error.data)).toBe(true)
      return error.code
    }
    throw error
  }
}

const unhandled: unknown[] = []
process.on('unhandledRejection', (reason) => unhandled.push(reason))
afterAll(async () => {
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(unhandled).toEqual([])
})

const base = await disclose({ description: 'x'.repeat(9000), type: 'object' })
const other = await disclose({ description: 'y'.repeat(9000), type: 'object' }, {}, { ...IDENTITY, operation: 'other' })
const { manifest, fragments, wires, disclosure } = base

/** A fragment set with honest digests around any document text. */
async function forged(text: string, overrides: object = {}) {
  const schemaSha256 = await sha256Hex(text)
  const forgedManifest = {
    ...manifest,
    schema_sha256: schemaSha256,
    schema_bytes: new TextEncoder().encode(text).length,
    fragment_count: 1,
    manifest_uri: manifestUri('tool', schemaSha256),
    fragment_uri_template: fragmentUri('tool', schemaSha256, '{index}'),
    input_schema_sha256: await sha256Hex('{}'),
    output_schema_sha256: await sha256Hex('{}'),
    ...overrides,
  }
  const fragment = { ...forgedManifest, index: 0, fragment_sha256: await sha256Hex(text), text }
  return () => reconstructSchema(forgedManifest as never, [fragment])
}

const set = (index: number, change: object) =>
  fragments.map((fragment, at) => (at === index ? { ...fragment, ...change } : fragment))
const without = (field: string) => {
  const { [field as 'index']: _dropped, ...rest } = fragments[0] as SchemaFragment
  return [rest, ...fragments.slice(1)]
}

/** Every code, provoked. */
const REFUSALS: Record<string, readonly (readonly [string, () => unknown])[]> = {
  'manifest-invalid': [
    ['no object', () => parseSchemaManifest(null)],
    ['inherited fields', () => parseSchemaManifest(Object.create(manifest))],
    ['an unknown field', () => parseSchemaManifest({ ...manifest, extra: 1 })],
    ['a digest in upper case', () => parseSchemaManifest({ ...manifest, source_sha256: 'A'.repeat(64) })],
    [
      'a URI of another digest',
      () => parseSchemaManifest({ ...manifest, manifest_uri: manifestUri('tool', 'b'.repeat(64)) }),
    ],
    [
      'R-A-29: a respelled integer',
      () => parseSchemaManifestText(JSON.stringify(manifest).replace('"version":1', '"version":1.0')),
    ],
    [
      'R-A-29: an exponent',
      () => parseSchemaManifestText(JSON.stringify(manifest).replace('"version":1', '"version":1e0')),
    ],
    ['a bad selected manifest', () => reconstructSchema({ ...manifest, version: 2 } as never, wires)],
    [
      'an alias that is none',
      () => buildSchemaDisclosure({ inputSchema: {}, outputSchema: {} }, { ...IDENTITY, alias: '1' }),
    ],
  ],
  'fragment-invalid': [
    ['no object', () => reconstructSchema(manifest, [1, 2, 3])],
    ['a missing field', () => reconstructSchema(manifest, without('index'))],
    ['R-A-44: text of 4,097 bytes', () => reconstructSchema(manifest, set(0, { text: `é${'x'.repeat(4095)}` }))],
    ['text of 4,096 characters and 8,192 bytes', () => reconstructSchema(manifest, set(0, { text: 'é'.repeat(4096) }))],
    ['no text', () => reconstructSchema(manifest, set(0, { text: '' }))],
    ['R-A-38: half of a surrogate pair', () => reconstructSchema(manifest, set(0, { text: '\ud800' }))],
    ['index as text', () => reconstructSchema(manifest, set(0, { index: '0' }))],
    ['an unknown field', () => parseSchemaFragment({ ...fragments[0], extra: 1 })],
    ['R-A-29: 0.0 as index', () => parseSchemaFragmentText((wires[0] as string).replace('"index":0', '"index":0.0'))],
  ],
  'text-invalid': [
    ['no JSON', () => parseSchemaManifestText('{')],
    ['a repeated name', () => parseSchemaManifestText(JSON.stringify(manifest).replace('{', '{"version":1,'))],
    ['a fragment that is no JSON', () => reconstructSchema(manifest, ['{'])],
    ['a wire text with something behind it', () => reconstructSchema(manifest, [`${wires[0]} x`])],
  ],
  'envelope-size': [['R-A-45: 33 KiB', () => reconstructSchema(manifest, [' '.repeat(33_000)])]],
  'fragment-index': [
    ['R-A-62: a sign', () => parseFragmentIndex('+1', 3)],
    ['not below the count', () => readSchemaFragment(disclosure, 3, { expectedSha256: manifest.schema_sha256 })],
    ['a fraction', () => readSchemaFragment(disclosure, 0.5, { expectedSha256: manifest.schema_sha256 })],
    ['not below the count, as a field', () => parseSchemaFragment({ ...fragments[0], index: 3 })],
  ],
  'fragment-count': [
    ['R-A-63: one missing', () => reconstructSchema(manifest, wires.slice(0, 2))],
    ['none', () => reconstructSchema(manifest, [])],
    ['one too many', () => reconstructSchema(manifest, [...wires, wires[2]])],
  ],
  'fragment-order': [
    ['R-A-63: swapped', () => reconstructSchema(manifest, [wires[1], wires[0], wires[2]])],
    ['repeated', () => reconstructSchema(manifest, [wires[0], wires[1], wires[1]])],
  ],
  'fragment-identity': [
    ['R-A-61: of another operation', () => reconstructSchema(manifest, [wires[0], other.wires[1], wires[2]])],
    ['R-A-59: of a self-consistent other set', () => reconstructSchema(manifest, other.wires)],
    ['R-A-65: another source', () => reconstructSchema(manifest, set(1, { source_sha256: 'b'.repeat(64) }))],
  ],
  'fragment-digest': [
    ['R-A-64: a changed character', () => reconstructSchema(manifest, set(1, { text: 'z'.repeat(4096) }))],
    ['parsed alone', () => parseSchemaFragment({ ...fragments[1], text: 'z' })],
  ],
  'document-size': [
    [
      'R-A-46: 16 MiB and one byte',
      () =>
        buildSchemaDisclosure(
          { inputSchema: { d: 'a'.repeat(WIRE_LIMITS.documentBytes) }, outputSchema: {} },
          IDENTITY,
        ),
    ],
    ['shorter than said', async () => (await forged('{"inputSchema":{},"outputSchema":{}}', { schema_bytes: 37 }))()],
    ['longer than said', async () => (await forged('{"inputSchema":{},"outputSchema":{}}', { schema_bytes: 35 }))()],
  ],
  'document-digest': [
    [
      'R-A-33: honest fragments of another document',
      async () => {
        const text = '{"inputSchema":{},"outputSchema":{}}'
        const wrong = 'b'.repeat(64)
        const uris = {
          manifest_uri: manifestUri('tool', wrong),
          fragment_uri_template: fragmentUri('tool', wrong, '{index}'),
        }
        return (await forged(text, { schema_sha256: wrong, ...uris }))()
      },
    ],
  ],
  'document-shape': [
    ['R-A-39: another key', async () => (await forged('{"inputSchema":{},"outputSchemas":{}}'))()],
    ['one key more', async () => (await forged('{"inputSchema":{},"outputSchema":{},"x":1}'))()],
    ['a schema that is no object', async () => (await forged('{"inputSchema":[],"outputSchema":{}}'))()],
    ['null', async () => (await forged('{"inputSchema":{},"outputSchema":null}'))()],
    ['something behind', async () => (await forged('{"inputSchema":{},"outputSchema":{}} '))()],
  ],
  'not-canonical': [
    ['a blank', async () => (await forged('{"inputSchema":{"a": 1},"outputSchema":{}}'))()],
    ['unsorted', async () => (await forged('{"inputSchema":{"b":1,"a":1},"outputSchema":{}}'))()],
    ['a repeated name', async () => (await forged('{"inputSchema":{"a":1,"a":1},"outputSchema":{}}'))()],
    [
      'an escape that stands for itself',
      async () => (await forged('{"inputSchema":{"\\u0061":1},"outputSchema":{}}'))(),
    ],
    ['an unfinished string', async () => (await forged('{"inputSchema":{"a'))()],
  ],
  'schema-digest': [
    [
      'R-A-34: only the input digest is wrong',
      async () => (await forged('{"inputSchema":{"a":1},"outputSchema":{}}'))(),
    ],
    ['only the output digest', async () => (await forged('{"inputSchema":{},"outputSchema":{"a":1}}'))()],
  ],
  'schema-invalid': [
    [
      'a value without text',
      () => buildSchemaDisclosure({ inputSchema: { a: undefined }, outputSchema: {} }, IDENTITY),
    ],
    ['R-A-41: not finite', () => buildSchemaDisclosure({ inputSchema: '{"a":1e400}', outputSchema: {} }, IDENTITY)],
    ['no JSON', () => buildSchemaDisclosure({ inputSchema: {}, outputSchema: '{' }, IDENTITY)],
    [
      'bytes that are no UTF-8',
      () => buildSchemaDisclosure({ inputSchema: Uint8Array.of(0x22, 0xff, 0x22), outputSchema: {} }, IDENTITY),
    ],
  ],
  'schema-not-object': [
    ['an array', () => buildSchemaDisclosure({ inputSchema: '[]', outputSchema: {} }, IDENTITY)],
    ['null', () => buildSchemaDisclosure({ inputSchema: {}, outputSchema: null as never }, IDENTITY)],
    ['a number', () => buildSchemaDisclosure({ inputSchema: 5 as never, outputSchema: {} }, IDENTITY)],
    ['absent', () => buildSchemaDisclosure({ inputSchema: {} } as never, IDENTITY)],
  ],
  'stale-identity': [
    ['R-A-60: another digest', () => readSchemaFragment(disclosure, 0, { expectedSha256: 'b'.repeat(64) })],
  ],
  'lone-surrogate': [['R-A-38: a string without UTF-8', () => sha256Hex('\udc00')]],
  'digest-unavailable': (
    [
      ['20 bytes', new ArrayBuffer(20)],
      ['31 bytes', new ArrayBuffer(31)],
      ['an empty string', ''],
      ['undefined', undefined],
    ] as const
  ).map(([name, value]) => [
    `BC-030: a backend that gives ${name}`,
    () =>
      withDigest(
        async () => value as ArrayBuffer,
        () => reconstructSchema(manifest, wires),
      ),
  ]),
  'argument-invalid': [
    ['fragments that are not iterable', () => reconstructSchema(manifest, 5 as never)],
    ['text that is no string', () => parseSchemaManifestText(5 as never)],
    ['data that is no bytes', () => sha256Hex(5 as never)],
  ],
}

async function withDigest(digest: () => Promise<ArrayBuffer>, run: () => Promise<unknown>): Promise<unknown> {
  const { subtle } = crypto
  const own = Object.getOwnPropertyDescriptor(subtle, 'digest')
  Object.defineProperty(subtle, 'digest', { value: digest, configurable: true })
  try {
    return await run()
  } finally {
    if (own === undefined) delete (subtle as { digest?: unknown }).digest
    else Object.defineProperty(subtle, 'digest', own)
  }
}

describe('SchemaDisclosureError', () => {
  it('has exactly the codes of this table', () => {
    const source = readFileSync(new URL('../../src/core/errors.ts', import.meta.url), 'utf8')
    const body = source.slice(source.indexOf('interface SchemaDisclosureErrorData'), source.indexOf('\n}\n'))
    const codes = [...body.matchAll(/^ {2}'([a-z-]+)':/gm)].map((match) => match[1])
    expect(codes.sort()).toEqual(Object.keys(REFUSALS).sort())
  })

  describe.each(Object.entries(REFUSALS))('%s', (code, rows) => {
    it.each(rows)('%s', async (_name, run) => {
      expect(await codeOf(run)).toBe(code)
    })
  })
})

describe('reconstructSchema', () => {
  it('R-A-43, R-A-54: values, wire texts, and any mix, sync or async, give the document back', async () => {
    const text = disclosure.parts.join('')
    async function* asynchronous() {
      yield* wires
    }
    for (const input of [fragments, wires, [wires[0], fragments[1], wires[2]], new Set(wires), asynchronous()]) {
      const verified = await reconstructSchema(manifest, input as Iterable<unknown>)
      expect(verified.text).toBe(text)
      expect(`{"inputSchema":${verified.inputSchemaText},"outputSchema":${verified.outputSchemaText}}`).toBe(text)
      expect(verified.inputSchema).toEqual({ description: 'x'.repeat(9000), type: 'object' })
      expect(verified.inputSchema).toBe(verified.inputSchema)
      expect(Object.isFrozen(verified) && Object.isFrozen(verified.inputSchema)).toBe(true)
    }
  })

  it('spelled with other white space or member order, a wire text is the same fragment', async () => {
    const pretty = wires.map((wire) =>
      JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(wire)).toReversed()), null, 2),
    )
    await expect(reconstructSchema(manifest, pretty)).resolves.toBeDefined()
  })

  it('R-A-64: any changed character of any fragment is refused', async () => {
    const changed = fc.tuple(fc.nat(wires.length - 1), fc.nat(), fc.integer({ min: 1, max: 0xffff }))
    await fc.assert(
      fc.asyncProperty(changed, async ([index, at, mask]) => {
        const wire = wires[index] as string
        const place = at % wire.length
        const flipped =
          wire.slice(0, place) + String.fromCharCode(wire.charCodeAt(place) ^ mask) + wire.slice(place + 1)
        expect(await codeOf(() => reconstructSchema(manifest, wires.with(index, flipped)))).not.toBe('accepted')
      }),
      { numRuns: 1500 },
    )
  })

  it('R-A-43, R-A-44: split and joined, any text gives the same bytes; no cut inside a character', async () => {
    const piece = fc.tuple(
      fc.constantFrom('a', 'é', '詳', '😀', '\ufeff', '\n', '"'),
      fc.integer({ min: 1, max: 3000 }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 8 }), async (pieces) => {
        const made = await disclose({ d: pieces.map(([unit, times]) => unit.repeat(times)).join('') })
        for (const part of made.disclosure.parts) {
          expect(part.isWellFormed()).toBe(true)
          expect(Buffer.byteLength(part)).toBeLessThanOrEqual(4096)
        }
        // As long as they can be: only a character of up to four bytes may be left over.
        for (const part of made.disclosure.parts.slice(0, -1)) expect(Buffer.byteLength(part)).toBeGreaterThan(4092)
        const verified = await reconstructSchema(made.manifest, made.wires)
        expect(verified.text).toBe(made.disclosure.parts.join(''))
      }),
      { numRuns: 60 },
    )
  })

  it('stops reading at the first refusal', async () => {
    let taken = 0
    let closed = false
    const endless = {
      *[Symbol.iterator]() {
        try {
          for (;;) {
            taken++
            yield wires[1]
          }
        } finally {
          closed = true
        }
      },
    }
    expect(await codeOf(() => reconstructSchema(manifest, endless))).toBe('fragment-order')
    expect([taken, closed]).toEqual([1, true])
  })

  it('ends with the reason of its signal', async () => {
    const controller = new AbortController()
    async function* slow() {
      yield wires[0]
      controller.abort(new Error('enough'))
      yield wires[1]
    }
    await expect(reconstructSchema(manifest, slow(), { signal: controller.signal })).rejects.toThrow('enough')
    await expect(
      reconstructSchema(manifest, wires, { signal: AbortSignal.abort(new Error('before')) }),
    ).rejects.toThrow('before')
  })

  it('heeds its signal while it hashes, and where the last fragment fires it', async () => {
    const controller = new AbortController()
    const hashing = reconstructSchema(manifest, wires, { signal: controller.signal })
    controller.abort(new Error('enough'))
    await expect(hashing).rejects.toThrow('enough')
    const last = new AbortController()
    function* all() {
      yield* wires
      last.abort(new Error('last'))
    }
    await expect(reconstructSchema(manifest, all(), { signal: last.signal })).rejects.toThrow('last')
  })

  it('heeds its signal while it waits, and leaves a source behind that never answers', async () => {
    let closed = 0
    const silent = {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise<never>(() => {}),
        return: () => {
          closed++
          return new Promise<never>(() => {})
        },
      }),
    }
    const controller = new AbortController()
    const reading = reconstructSchema(manifest, silent, { signal: controller.signal })
    controller.abort(new Error('enough'))
    await expect(reading).rejects.toThrow('enough')
    expect(closed).toBe(1)
  })

  it.each([
    ['an iterator that is none', { [Symbol.iterator]: 1 }],
    ['an asynchronous one that is none', { [Symbol.asyncIterator]: 1 }],
    ['results that are none', { [Symbol.asyncIterator]: () => ({ next: () => undefined }) }],
  ])('refuses %s', async (_name, source) => {
    expect(await codeOf(() => reconstructSchema(manifest, source as never))).toBe('argument-invalid')
  })

  it('passes on what a source throws, and what its clean-up throws troubles nobody', async () => {
    const source = (next: () => Promise<never>) => ({
      [Symbol.asyncIterator]: () => ({
        next,
        return: () => {
          throw new Error('clean-up')
        },
      }),
    })
    const failing = source(() => Promise.reject(new Error('lost')))
    await expect(reconstructSchema(manifest, failing)).rejects.toThrow('lost')
  })

  it('R-A-49, R-A-69: only what it made is verified', async () => {
    const verified = await reconstructSchema(manifest, wires)
    expect(isVerifiedSchema(verified)).toBe(true)
    const { text, inputSchema, outputSchema } = verified
    for (const fake of [
      { ...verified },
      { manifest, text, inputSchema, outputSchema },
      Object.create(verified),
      null,
      'x',
    ]) {
      expect(isVerifiedSchema(fake)).toBe(false)
    }
    // Neither its making nor its members can be got at.
    expect(verified.constructor).toBe(Object)
    expect(Object.getPrototypeOf(verified)).toBe(Object.prototype)
    for (const name of Object.keys(verified)) {
      expect(() => Object.defineProperty(verified, name, { value: 'evil' })).toThrow(TypeError)
    }
  })

  it('reads what it was given once, and before it waits', async () => {
    const mutable = { ...manifest } as { -readonly [Field in keyof typeof manifest]: (typeof manifest)[Field] }
    const list = [...wires]
    const verifying = reconstructSchema(mutable, list)
    mutable.alias = 'evil' as never
    list.fill('evil')
    expect((await verifying).manifest.alias).toBe('tool')
    let reads = 0
    const shifty = new Proxy(fragments[0] as SchemaFragment, {
      get: (target, name) => {
        if (name === 'text') reads++
        return reads > 1 ? 'evil' : Reflect.get(target, name)
      },
    })
    expect(await codeOf(() => reconstructSchema(manifest, [shifty, ...fragments.slice(1)]))).toBe('accepted')
  })
})

describe('frozen shapes in wire order', () => {
  it('R-A-37: manifest and fragment stringify to their wire texts', async () => {
    expect(Object.isFrozen(manifest) && Object.isFrozen(fragments[0]) && Object.isFrozen(disclosure.parts)).toBe(true)
    const scrambled = Object.fromEntries(Object.entries(fragments[0] as SchemaFragment).toReversed())
    expect(JSON.stringify(await parseSchemaFragment(scrambled))).toBe(wires[0])
    expect(JSON.stringify(parseSchemaManifestText(JSON.stringify(manifest)))).toBe(JSON.stringify(manifest))
  })

  it('the widest fragment fits its envelope', async () => {
    const alias = 'a'.repeat(128)
    const made = await disclose(
      { d: '\u0000'.repeat(4000) },
      {},
      { operation: 'o'.repeat(512), alias, sourceSha256: 'a'.repeat(64) },
    )
    for (const wire of made.wires) expect(Buffer.byteLength(wire)).toBeLessThanOrEqual(WIRE_LIMITS.envelopeBytes)
  })
})

describe('URIs', () => {
  const digest = 'a'.repeat(64)

  it('R-A-18, R-A-19: round trip', () => {
    expect(parseSchemaUri(manifestUri('a', digest))).toEqual({ kind: 'manifest', alias: 'a', schemaSha256: digest })
    expect(parseSchemaUri(fragmentUri('a-b_C', digest, 7))).toEqual({
      kind: 'fragment',
      alias: 'a-b_C',
      schemaSha256: digest,
      indexText: '7',
    })
  })

  it.each([
    `OPENAPI-SCHEMA://v1/a/${digest}/manifest`,
    `openapi-schema://v2/a/${digest}/manifest`,
    `openapi-schema://v1/a/${digest}/manifest/`,
    `openapi-schema://v1/a/${digest}/manifest?x`,
    `openapi-schema://v1/a/${digest}/manifest#x`,
    `openapi-schema://v1/a/${digest}/manifest\n`,
    `openapi-schema://v1/%61/${digest}/manifest`,
    `openapi-schema://v1/1a/${digest}/manifest`,
    `openapi-schema://v1/${'a'.repeat(129)}/${digest}/manifest`,
    `openapi-schema://v1/a/${digest.toUpperCase()}/manifest`,
    `openapi-schema://v1/a/${digest}/fragments/`,
    `openapi-schema://v1/a/${digest}/fragments/1/2`,
    `openapi-schema://v1//${digest}/manifest`,
    '',
  ])('R-A-22: %s is none of ours', (uri) => {
    expect(parseSchemaUri(uri)).toBe(undefined)
  })
})

describe('sha256Hex', () => {
  it.each([
    ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  ])('of %j', async (text, expected) => {
    expect(await sha256Hex(text)).toBe(expected)
    expect(await sha256Hex(new TextEncoder().encode(text))).toBe(expected)
  })
})
