import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import {
  buildSchemaDisclosure,
  canonicalizeJsonText,
  fragmentUri,
  isVerifiedSchema,
  manifestUri,
  parseFragmentIndex,
  parseSchemaFragment,
  parseSchemaFragmentText,
  parseSchemaManifest,
  parseSchemaManifestText,
  readSchemaFragment,
  reconstructSchema,
  SchemaDisclosureError,
  type SchemaFragment,
  type SchemaManifest,
  sha256Hex,
  WIRE_LIMITS,
} from '../../src/core/index.ts'

const IDENTITY = { operation: 'op', alias: 'tool', sourceSha256: 'a'.repeat(64) }

async function disclose(description: string, identity: Partial<typeof IDENTITY> = {}) {
  const disclosure = await buildSchemaDisclosure(
    { inputSchema: { type: 'object', description }, outputSchema: { type: 'object' } },
    { ...IDENTITY, ...identity },
  )
  const { manifest } = disclosure
  const fragments: SchemaFragment[] = []
  for (let index = 0; index < manifest.fragment_count; index++) {
    fragments.push(await readSchemaFragment(disclosure, index, { expectedSha256: manifest.schema_sha256 }))
  }
  return { disclosure, manifest, fragments, wires: fragments.map((fragment) => JSON.stringify(fragment)) }
}

async function codeOf(run: () => unknown): Promise<string | undefined> {
  try {
    await run()
    return undefined
  } catch (error) {
    if (SchemaDisclosureError.is(error)) return error.code
    throw error
  }
}

const unhandled: unknown[] = []
process.on('unhandledRejection', (reason) => unhandled.push(reason))
afterAll(async () => {
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(unhandled).toEqual([])
})

const { manifest, fragments, wires, disclosure } = await disclose(`${'x'.repeat(9000)}é😀`)
const otherOperation = await disclose(`${'x'.repeat(9000)}é😀`, { operation: 'other' })
const otherText = await disclose(`${'x'.repeat(9000)}è😀`)
const count = manifest.fragment_count

describe('which fragments, and in which order', () => {
  it('R-A-61, R-A-63, R-A-65: any delivery but the right one is refused', async () => {
    const sets = [fragments, otherOperation.fragments, otherText.fragments]
    const pick = fc.tuple(fc.nat(sets.length - 1), fc.nat(count - 1))
    const near = fc.array(fc.tuple(fc.nat(count - 1), pick), { maxLength: 2 }).map((changes) =>
      changes.reduce(
        (list, [at, by]) => list.with(at, by),
        [...Array(count).keys()].map((index) => [0, index] as [number, number]),
      ),
    )
    const shuffled = fc
      .shuffledSubarray([...Array(count).keys()], { minLength: 0 })
      .map((list) => list.map((index) => [0, index] as [number, number]))
    const any = fc.array(pick, { maxLength: count + 2 })
    let accepted = 0
    await fc.assert(
      fc.asyncProperty(fc.oneof(near, shuffled, any), fc.boolean(), async (picks, asText) => {
        const delivered = picks.map(([set, index]) => sets[set]?.[index])
        const given = asText ? delivered.map((fragment) => JSON.stringify(fragment)) : delivered
        const isRight = picks.length === count && picks.every(([set, index], at) => set === 0 && index === at)
        const code = await codeOf(() => reconstructSchema(manifest, given))
        if (isRight) accepted++
        if (isRight) expect(code).toBe(undefined)
        else expect(['fragment-count', 'fragment-order', 'fragment-identity']).toContain(code)
      }),
      { numRuns: 600 },
    )
    expect(accepted).toBeGreaterThan(0)
  })

  it('R-A-35: the document may be cut anywhere: every cut that the manifest counts gives it back', async () => {
    const text = disclosure.parts.join('')
    const bytes = Buffer.from(text)
    const isBoundary = (at: number) => at === bytes.length || ((bytes[at] as number) & 0xc0) !== 0x80
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.integer({ min: 1, max: bytes.length - 1 }), { maxLength: 40 }),
        async (cuts) => {
          const ends = [...cuts.filter(isBoundary).toSorted((left, right) => left - right), bytes.length]
          const texts = ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end).toString())
          const own = { ...manifest, fragment_count: texts.length }
          const set = await Promise.all(
            texts.map(async (part, index) => ({ ...own, index, fragment_sha256: await sha256Hex(part), text: part })),
          )
          const code = await codeOf(async () => {
            expect((await reconstructSchema(own, set)).text).toBe(text)
          })
          expect(code).toBe(texts.some((part) => Buffer.byteLength(part) > 4096) ? 'fragment-invalid' : undefined)
        },
      ),
      { numRuns: 100 },
    )
  })
})

describe('changed values', () => {
  const FIELDS = Object.keys(fragments[0] as SchemaFragment) as (keyof SchemaFragment)[]
  const wrong = fc.oneof(
    fc.constantFrom<unknown>(null, true, '', '0', 1, 0, -1, 1.5, 2 ** 53, [], {}, Number.NaN, 'x', 'é', '\ud800', [1]),
    fc.string({ maxLength: 20 }),
    fc.integer(),
  )

  it('R-A-28, R-A-29, R-A-64: any other value of any field of any fragment is refused', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(count - 1), fc.constantFrom(...FIELDS), wrong, async (at, field, value) => {
        const right = fragments[at] as SchemaFragment
        if (Object.is(right[field], value)) return
        const changed = fragments.with(at, { ...right, [field]: value } as SchemaFragment)
        expect(await codeOf(() => reconstructSchema(manifest, changed))).toBeDefined()
      }),
      { numRuns: 1000 },
    )
  })

  it('R-A-28, R-A-53: a fragment with a field less, a field more, or an inherited one is none', async () => {
    for (const field of FIELDS) {
      const { [field]: dropped, ...rest } = fragments[0] as SchemaFragment
      for (const bad of [
        rest,
        { ...rest, [field.toUpperCase()]: dropped },
        Object.assign(Object.create({ [field]: dropped }), rest),
        Object.defineProperty({ ...rest }, field, { value: dropped, enumerable: false }),
      ]) {
        expect(await codeOf(() => parseSchemaFragment(bad)), field).toBe('fragment-invalid')
        expect(await codeOf(() => reconstructSchema(manifest, [bad, ...fragments.slice(1)])), field).toBe(
          'fragment-invalid',
        )
      }
      for (const extra of ['extra', '__proto__', 'constructor', 'toJSON', '']) {
        const text = `${(wires[0] as string).slice(0, -1)},${JSON.stringify(extra)}:1}`
        expect(await codeOf(() => reconstructSchema(manifest, [text, ...wires.slice(1)]))).toBe('fragment-invalid')
        expect(await codeOf(() => parseSchemaFragmentText(text))).toBe('fragment-invalid')
      }
    }
  })

  it('R-A-64: any flipped bit of any byte of any wire text is refused', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(count - 1), fc.nat(), fc.nat(7), async (at, place, bit) => {
        const bytes = Buffer.from(wires[at] as string)
        const index = place % bytes.length
        bytes[index] = (bytes[index] as number) ^ (1 << bit)
        let text: string
        try {
          text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
        } catch {
          return
        }
        expect(await codeOf(() => reconstructSchema(manifest, wires.with(at, text)))).toBeDefined()
      }),
      { numRuns: 1500 },
    )
  })

  it('R-A-59, R-A-60: no manifest but the selected one fits, whatever field differs', async () => {
    const zeros = '0'.repeat(64)
    const changes: Partial<Record<keyof SchemaManifest, unknown>>[] = [
      { operation: 'other' },
      { source_sha256: zeros },
      { input_schema_sha256: zeros },
      { output_schema_sha256: zeros },
      { schema_bytes: manifest.schema_bytes + 1 },
      { schema_bytes: manifest.schema_bytes - 1 },
      { fragment_count: count + 1 },
      { fragment_count: count - 1 },
      {
        alias: 'b',
        manifest_uri: manifestUri('b', manifest.schema_sha256),
        fragment_uri_template: fragmentUri('b', manifest.schema_sha256, '{index}'),
      },
      {
        schema_sha256: zeros,
        manifest_uri: manifestUri('tool', zeros),
        fragment_uri_template: fragmentUri('tool', zeros, '{index}'),
      },
    ]
    for (const change of changes) {
      const selected = parseSchemaManifest({ ...manifest, ...change })
      const code = await codeOf(() => reconstructSchema(selected, wires))
      expect(['fragment-identity', 'fragment-count'], JSON.stringify(change)).toContain(code)
      // Also where the fragments tell the same story.
      const forged = fragments.map((fragment) => ({ ...fragment, ...change }))
      const consistent = await codeOf(() => reconstructSchema(selected, forged))
      if ('operation' in change || 'source_sha256' in change || 'alias' in change) expect(consistent).toBe(undefined)
      else expect(consistent).toBeDefined()
    }
  })
})

describe('where the document is cut', () => {
  it.each(['é', '詳', '😀', '\ufeff', '\n', '"'])(
    'R-A-43, R-A-44: %j at every offset around both cuts',
    async (unit) => {
      const frame = '{"inputSchema":{"description":"'.length
      for (let offset = -6; offset <= 3; offset++) {
        for (const cut of [4096, 8192]) {
          const made = await disclose(`${'x'.repeat(cut - frame + offset)}${unit.repeat(3)}`)
          for (const [index, part] of made.disclosure.parts.entries()) {
            expect(Buffer.byteLength(part)).toBeLessThanOrEqual(4096)
            expect(part.isWellFormed()).toBe(true)
            if (index < made.manifest.fragment_count - 1) expect(Buffer.byteLength(part)).toBeGreaterThan(4092)
          }
          const verified = await reconstructSchema(made.manifest, made.wires)
          expect(verified.text).toBe(made.disclosure.parts.join(''))
          expect(verified.inputSchema.description).toBe(`${'x'.repeat(cut - frame + offset)}${unit.repeat(3)}`)
        }
      }
    },
  )
})

describe('bounds', () => {
  it('R-A-45: an envelope of 32,768 bytes is read, one byte more is not, of any characters', async () => {
    for (const unit of ['a', '\u007f', '\u0080', '\u07ff', '\u0800', '詳', '\ud7ff', '\ue000', '\uffff', '😀']) {
      const room = WIRE_LIMITS.envelopeBytes - Buffer.byteLength(wires[0] as string)
      // White space is no part of the value; a name that is unknown is refused behind the bound only.
      const padded = (bytes: number) => `${wires[0]}${' '.repeat(bytes)}`
      await expect(parseSchemaFragmentText(padded(room))).resolves.toBeDefined()
      expect(await codeOf(() => parseSchemaFragmentText(padded(room + 1)))).toBe('envelope-size')
      expect(await codeOf(() => parseSchemaManifestText(unit.repeat(32_769)))).toBe('envelope-size')
      const units = Math.floor(WIRE_LIMITS.envelopeBytes / Buffer.byteLength(unit))
      expect(await codeOf(() => parseSchemaManifestText(unit.repeat(units)))).toBe('text-invalid')
      expect(await codeOf(() => parseSchemaManifestText(unit.repeat(units + 1)))).toBe('envelope-size')
      expect(await codeOf(() => reconstructSchema(manifest, [unit.repeat(40_000)]))).toBe('envelope-size')
    }
  })

  it('R-A-46: what is shared endlessly is refused before it is written endlessly', async () => {
    let value: object = { a: 'x'.repeat(100) }
    for (let level = 0; level < 60; level++) value = { a: value, b: value }
    const start = performance.now()
    expect(await codeOf(() => buildSchemaDisclosure({ inputSchema: value as never, outputSchema: {} }, IDENTITY))).toBe(
      'document-size',
    )
    expect(performance.now() - start).toBeLessThan(5000)
  })

  it.each([
    [4096, 'a', undefined],
    [4097, 'a', 'fragment-invalid'],
    [2048, 'é', undefined],
    [2049, 'é', 'fragment-invalid'],
    [1365, '詳', undefined],
    [1366, '詳', 'fragment-invalid'],
    [1024, '😀', undefined],
    [1025, '😀', 'fragment-invalid'],
    [4096, '\u0000', undefined],
    [0, 'a', 'fragment-invalid'],
  ])('R-A-44: a text of %i × %j', async (times, unit, code) => {
    const text = unit.repeat(times)
    const fragment = { ...manifest, index: 0, fragment_sha256: await sha256Hex(text), text }
    expect(await codeOf(() => parseSchemaFragment(fragment))).toBe(code)
    expect(await codeOf(() => parseSchemaFragmentText(JSON.stringify(fragment)))).toBe(code)
  })
})

describe('spelling of wire texts', () => {
  const NUMBERS = ['version', 'schema_bytes', 'fragment_count', 'index'] as const

  it.each(NUMBERS)('R-A-29: %s as anything but plain digits is refused', async (field) => {
    const value = String((fragments[1] as SchemaFragment)[field])
    for (const spelled of [
      `${value}.0`,
      `${value}e0`,
      `${value}E+0`,
      `"${value}"`,
      `0${value}`,
      `+${value}`,
      `[${value}]`,
      'true',
      'null',
      `${value}.5`,
      `-${value}`,
      '1e400',
    ]) {
      const text = (wires[1] as string).replace(`"${field}":${value}`, `"${field}":${spelled}`)
      expect(text).not.toBe(wires[1])
      expect(await codeOf(() => parseSchemaFragmentText(text)), spelled).toBeDefined()
      expect(await codeOf(() => reconstructSchema(manifest, wires.with(1, text))), spelled).toBeDefined()
      if (field === 'index') continue
      const own = JSON.stringify(manifest).replace(`"${field}":${value}`, `"${field}":${spelled}`)
      expect(await codeOf(() => parseSchemaManifestText(own)), spelled).toBeDefined()
    }
  })

  it.each(['5', 'null', 'true', '[]', '{}', '["x"]', '"\\ud800"', '""'])(
    'R-A-29: a text that is %s is refused',
    async (spelled) => {
      const text = (wires[1] as string).replace(/"text":".*"\}$/, () => `"text":${spelled}}`)
      expect(text).not.toBe(wires[1])
      const code = await codeOf(() => reconstructSchema(manifest, wires.with(1, text)))
      expect(['fragment-invalid', 'text-invalid']).toContain(code)
      expect(await codeOf(() => parseSchemaFragmentText(text))).toBe(code)
    },
  )

  it.each([
    ['0', 1, 0],
    ['2', 3, 2],
    ['3', 3, undefined],
    ['0', 0, undefined],
    ['4099', 4100, 4099],
    ['4100', 4100, undefined],
    ['4100', 9999, undefined],
    ['10', 9, undefined],
    ['00', 3, undefined],
    ['-0', 3, undefined],
    ['1.0', 3, undefined],
    ['1e0', 3, undefined],
    [' 1', 3, undefined],
    ['1 ', 3, undefined],
    ['1\n', 3, undefined],
    ['%31', 3, undefined],
    ['\uff11', 3, undefined],
    ['0x1', 3, undefined],
    ['', 3, undefined],
  ])('R-A-22, R-A-62: index %j of %i is %s', async (text, of, index) => {
    let found: number | undefined
    const code = await codeOf(() => {
      found = parseFragmentIndex(text, of)
    })
    expect([found, code]).toEqual([index, index === undefined ? 'fragment-index' : undefined])
  })

  it('R-A-29: -0 is the integer 0', async () => {
    const text = (wires[0] as string).replace('"index":0', '"index":-0')
    const fragment = await parseSchemaFragmentText(text)
    expect(Object.is(fragment.index, 0)).toBe(true)
    expect(JSON.stringify(fragment)).toBe(wires[0])
    expect((await reconstructSchema(manifest, [text, ...wires.slice(1)])).text).toBe(disclosure.parts.join(''))
  })

  it('R-A-37: order of members, white space and escapes do not matter; what comes out is the wire text', async () => {
    const entries = Object.entries(fragments[2] as SchemaFragment)
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray(entries, { minLength: entries.length }),
        fc.nat(4),
        async (order, indent) => {
          const text = JSON.stringify(Object.fromEntries(order), null, indent).replace(/[é😀]/gu, (found) =>
            [...found.split('')].map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
          )
          expect(JSON.stringify(await parseSchemaFragmentText(text))).toBe(wires[2])
          expect(JSON.stringify(await parseSchemaFragment(Object.fromEntries(order)))).toBe(wires[2])
          expect(isVerifiedSchema(await reconstructSchema(manifest, wires.with(2, text)))).toBe(true)
        },
      ),
      { numRuns: 40 },
    )
  })

  it('R-A-43, R-A-54: numbers a JavaScript value cannot hold are exact in the texts', async () => {
    const inputSchema = '{"maximum":18446744073709551615,"minimum":1.0,"multipleOf":0.00001,"x":-0.0,"10":1,"9":2}'
    const made = await buildSchemaDisclosure(
      { inputSchema, outputSchema: new TextEncoder().encode('{"a":1E2}') },
      IDENTITY,
    )
    const wire = JSON.stringify(await readSchemaFragment(made, 0, { expectedSha256: made.manifest.schema_sha256 }))
    const verified = await reconstructSchema(made.manifest, [wire])
    expect(verified.inputSchemaText).toBe(canonicalizeJsonText(inputSchema))
    expect(verified.outputSchemaText).toBe('{"a":100.0}')
    expect(verified.inputSchema).toEqual({ 10: 1, 9: 2, maximum: 2 ** 64, minimum: 1, multipleOf: 1e-5, x: -0 })
    expect(await sha256Hex(verified.inputSchemaText)).toBe(made.manifest.input_schema_sha256)
    expect(await sha256Hex(verified.outputSchemaText)).toBe(made.manifest.output_schema_sha256)
  })
})

describe('a SHA-256 that is none', () => {
  // Taken for 32 zeros, a forged set could claim it.
  it.each([32, '32'])('BC-030: a backend that gives %j verifies nothing', async (answer) => {
    const zeros = '0'.repeat(64)
    const forged = {
      ...manifest,
      schema_sha256: zeros,
      input_schema_sha256: zeros,
      output_schema_sha256: zeros,
      manifest_uri: manifestUri('tool', zeros),
      fragment_uri_template: fragmentUri('tool', zeros, '{index}'),
    }
    const set = fragments.map((fragment) => ({ ...fragment, ...forged, fragment_sha256: zeros }))
    const { subtle } = crypto
    Object.defineProperty(subtle, 'digest', { value: async () => answer, configurable: true })
    try {
      expect(await codeOf(() => reconstructSchema(forged as never, set))).toBe('digest-unavailable')
    } finally {
      delete (subtle as { digest?: unknown }).digest
    }
  })
})

it('what was received is never shown, however it is wrong', async () => {
  const SECRET = 'hunter2'
  for (const field of Object.keys(fragments[0] as object)) {
    for (const wrong of [SECRET, [SECRET], { [SECRET]: 1 }, SECRET.repeat(10_000)]) {
      for (const run of [
        () => parseSchemaManifest({ ...manifest, [field]: wrong }),
        () => parseSchemaFragment({ ...fragments[0], [field]: wrong }),
        () => parseSchemaManifest({ ...manifest, [`x${SECRET}`]: wrong }),
      ]) {
        const error = await Promise.resolve()
          .then(run)
          .catch((thrown: unknown) => thrown)
        if (!SchemaDisclosureError.is(error)) continue
        expect(error.message.length).toBeLessThan(300)
        const { path: _path, ...data } = error.data as { path?: string }
        expect(JSON.stringify(data)).not.toContain(SECRET)
        if (!field.includes('text')) expect(error.message.replace(/ at "[^"]*"/, '')).not.toContain(SECRET)
      }
    }
  }
})

it('R-A-46: a document that is too long is said to be', async () => {
  const schemas = { inputSchema: { type: 'x'.repeat(WIRE_LIMITS.documentBytes) }, outputSchema: {} }
  const identity = { operation: 'a', alias: 'a', sourceSha256: 'a'.repeat(64) }
  const error = await buildSchemaDisclosure(schemas, identity).catch((thrown: unknown) => thrown)
  expect(SchemaDisclosureError.is(error) && error.code === 'document-size' && error.data.actual).toBeGreaterThan(
    WIRE_LIMITS.documentBytes,
  )
})

describe('verified values', () => {
  it('are frozen through and through, made once, and named as their text names them', async () => {
    const made = await buildSchemaDisclosure(
      { inputSchema: '{"__proto__":{"a":[{"b":1}]},"constructor":{"c":{}}}', outputSchema: {} },
      IDENTITY,
    )
    const part = await readSchemaFragment(made, 0, { expectedSha256: made.manifest.schema_sha256 })
    const { inputSchema, outputSchema } = await reconstructSchema(made.manifest, [part])
    const open: unknown[] = [inputSchema, outputSchema]
    let seen = 0
    for (let value = open.pop(); value !== undefined; value = open.pop()) {
      if (typeof value !== 'object' || value === null) continue
      expect(Object.isFrozen(value)).toBe(true)
      seen++
      open.push(...Object.values(value))
    }
    expect(seen).toBe(7)
    expect(Object.keys(inputSchema)).toEqual(['__proto__', 'constructor'])
    expect(({} as { a?: unknown }).a).toBe(undefined)
  })

  // V8 takes an escaped name for one it has seen in its place before (nodejs/node#63785, in Node 24 and 26).
  it('name the members as the verified text does, whatever was parsed before', async () => {
    const text = '{"a victim":1,"x\\n":0,"z":[null,1.0,true,{"__proto__":"s"}]}'
    JSON.parse(text.replace('\\n', '\\\\'))
    const made = await buildSchemaDisclosure({ inputSchema: text, outputSchema: {} }, IDENTITY)
    const part = await readSchemaFragment(made, 0, { expectedSha256: made.manifest.schema_sha256 })
    const verified = await reconstructSchema(made.manifest, [part])
    expect(verified.inputSchemaText).toBe(text)
    expect(Object.entries(verified.inputSchema)).toEqual([
      ['a victim', 1],
      ['x\n', 0],
      ['z', [null, 1, true, JSON.parse('{"__proto__":"s"}')]],
    ])
  })
})
