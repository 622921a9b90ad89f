import { afterAll, describe, expect, it } from 'vitest'
import {
  buildSchemaDisclosure,
  canonicalizeJsonText,
  canonicalJson,
  fragmentUri,
  isCanonical,
  isSchemaUri,
  isVerifiedSchema,
  JsonError,
  JsonNumber,
  JsonReader,
  manifestUri,
  parseFragmentIndex,
  parseJsonText,
  parseSchemaFragment,
  parseSchemaFragmentText,
  parseSchemaManifest,
  parseSchemaManifestText,
  parseSchemaUri,
  readSchemaFragment,
  reconstructSchema,
  SchemaDisclosureError,
  sha256Hex,
} from '../../src/core/index.ts'

const IDENTITY = { operation: 'op', alias: 'tool', sourceSha256: 'a'.repeat(64) }
const disclosure = await buildSchemaDisclosure({ inputSchema: { type: 'object' }, outputSchema: {} }, IDENTITY)
const { manifest } = disclosure
const digest = manifest.schema_sha256
const [wire] = [JSON.stringify(await readSchemaFragment(disclosure, 0, { expectedSha256: digest }))]

const unhandled: unknown[] = []
process.on('unhandledRejection', (reason) => unhandled.push(reason))
afterAll(async () => {
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(unhandled).toEqual([])
})

/** Values a program without types may hand over by mistake. */
const JUNK: readonly (readonly [string, unknown])[] = [
  ['undefined', undefined],
  ['null', null],
  ['a number', 5],
  ['NaN', Number.NaN],
  ['a bigint', 5n],
  ['true', true],
  ['a symbol', Symbol('x')],
  ['an empty string', ''],
  ['a word', 'x'],
  ['half of a pair', '\ud800'],
  ['an empty array', []],
  ['an array', [null]],
  ['an empty object', {}],
  ['an object without prototype', Object.create(null)],
  ['a function', () => 1],
  ['a date', new Date(0)],
  ['bytes', Uint8Array.of(1, 2, 3)],
  ['a promise', Promise.resolve()],
]

type Call = (junk: never) => unknown
const CALLS: Readonly<Record<string, Call>> = {
  'buildSchemaDisclosure, schemas': (junk) => buildSchemaDisclosure(junk, IDENTITY),
  'buildSchemaDisclosure, inputSchema': (junk) =>
    buildSchemaDisclosure({ inputSchema: junk, outputSchema: {} }, IDENTITY),
  'buildSchemaDisclosure, outputSchema': (junk) =>
    buildSchemaDisclosure({ inputSchema: {}, outputSchema: junk }, IDENTITY),
  'buildSchemaDisclosure, identity': (junk) => buildSchemaDisclosure({ inputSchema: {}, outputSchema: {} }, junk),
  'buildSchemaDisclosure, operation': (junk) =>
    buildSchemaDisclosure({ inputSchema: {}, outputSchema: {} }, { ...IDENTITY, operation: junk }),
  'buildSchemaDisclosure, alias': (junk) =>
    buildSchemaDisclosure({ inputSchema: {}, outputSchema: {} }, { ...IDENTITY, alias: junk }),
  'buildSchemaDisclosure, sourceSha256': (junk) =>
    buildSchemaDisclosure({ inputSchema: {}, outputSchema: {} }, { ...IDENTITY, sourceSha256: junk }),
  'readSchemaFragment, disclosure': (junk) => readSchemaFragment(junk, 0, { expectedSha256: digest }),
  'readSchemaFragment, manifest': (junk) =>
    readSchemaFragment({ manifest: junk, parts: disclosure.parts }, 0, { expectedSha256: digest }),
  'readSchemaFragment, parts': (junk) => readSchemaFragment({ manifest, parts: junk }, 0, { expectedSha256: digest }),
  'readSchemaFragment, part': (junk) => readSchemaFragment({ manifest, parts: [junk] }, 0, { expectedSha256: digest }),
  'readSchemaFragment, index': (junk) => readSchemaFragment(disclosure, junk, { expectedSha256: digest }),
  'readSchemaFragment, options': (junk) => readSchemaFragment(disclosure, 0, junk),
  'readSchemaFragment, expectedSha256': (junk) => readSchemaFragment(disclosure, 0, { expectedSha256: junk }),
  'reconstructSchema, selected': (junk) => reconstructSchema(junk, [wire]),
  'reconstructSchema, fragments': (junk) => reconstructSchema(manifest, junk),
  'reconstructSchema, fragment': (junk) => reconstructSchema(manifest, [junk]),
  'reconstructSchema, text': (junk) => reconstructSchema(manifest, [{ ...JSON.parse(wire as string), text: junk }]),
  'reconstructSchema, signal': (junk) => reconstructSchema(manifest, [], { signal: junk }),
  parseSchemaManifest,
  parseSchemaManifestText,
  parseSchemaFragment,
  parseSchemaFragmentText,
  'parseFragmentIndex, text': (junk) => parseFragmentIndex(junk, 3),
  'parseFragmentIndex, count': (junk) => parseFragmentIndex('7', junk),
  'manifestUri, alias': (junk) => manifestUri(junk, digest),
  'manifestUri, digest': (junk) => manifestUri('a', junk),
  'fragmentUri, alias': (junk) => fragmentUri(junk, digest, 0),
  'fragmentUri, digest': (junk) => fragmentUri('a', junk, 0),
  'fragmentUri, index': (junk) => fragmentUri('a', digest, junk),
  sha256Hex,
  parseJsonText,
  canonicalizeJsonText,
  'new JsonReader': (junk) => new JsonReader(junk).kind(),
  'new JsonNumber': (junk) => new JsonNumber(junk),
}

/** Junk that is right in one place. */
const RIGHT: Readonly<Record<string, readonly string[]>> = {
  'buildSchemaDisclosure, inputSchema': ['an empty object', 'an object without prototype'],
  'buildSchemaDisclosure, outputSchema': ['an empty object', 'an object without prototype'],
  'buildSchemaDisclosure, operation': ['a word'],
  'buildSchemaDisclosure, alias': ['a word'],
  'manifestUri, alias': ['a word'],
  'fragmentUri, alias': ['a word'],
  'fragmentUri, index': ['a number'],
  'readSchemaFragment, part': ['a word'],
  sha256Hex: ['an empty string', 'a word', 'bytes'],
}

describe.each(Object.entries(CALLS))('%s', (name, call) => {
  it.each(JUNK)('given %s: a coded refusal, or what it is', async (what, junk) => {
    let error: unknown
    try {
      await call(junk as never)
    } catch (thrown) {
      error = thrown
    }
    if (RIGHT[name]?.includes(what)) expect(error).toBe(undefined)
    else expect(SchemaDisclosureError.is(error) || JsonError.is(error), `${error}`).toBe(true)
  })
})

describe('questions answered with no', () => {
  it.each(JUNK)('given %s', (_what, junk) => {
    expect(isSchemaUri(junk as never)).toBe(false)
    expect(parseSchemaUri(junk as never)).toBe(undefined)
    expect(isVerifiedSchema(junk)).toBe(false)
    expect(isCanonical(junk as never)).toBe(false)
    expect(SchemaDisclosureError.is(junk)).toBe(false)
  })
})

describe('arguments that are read once and early', () => {
  it('bytes and values changed after the call started do not count', async () => {
    const bytes = new TextEncoder().encode('{"a":"right"}')
    const value: { b: string } = { b: 'right' }
    const identity = { ...IDENTITY }
    const building = buildSchemaDisclosure({ inputSchema: bytes, outputSchema: value }, identity)
    bytes.fill(0x20)
    value.b = 'wrong'
    identity.alias = 'wrong'
    const built = await building
    expect(built.parts.join('')).toBe('{"inputSchema":{"a":"right"},"outputSchema":{"b":"right"}}')
    expect(built.manifest.alias).toBe('tool')
    const data = new TextEncoder().encode('abc')
    const hashing = sha256Hex(data)
    data.fill(0)
    expect(await hashing).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  })

  it('getters answer once: a field that changes its mind cannot pass twice', async () => {
    const right = JSON.parse(wire as string) as Record<string, unknown>
    for (const field of Object.keys(right)) {
      let reads = 0
      const shifty = Object.defineProperty({ ...right }, field, {
        enumerable: true,
        get: () => (reads++ === 0 ? right[field] : 'wrong'),
      })
      const verified = await reconstructSchema(manifest, [shifty]).catch((error: unknown) => error)
      // Either what was read first is right, or the whole is refused; a wrong value never comes through.
      if (isVerifiedSchema(verified)) expect(verified.text).toBe(disclosure.parts.join(''))
      else expect(SchemaDisclosureError.is(verified)).toBe(true)
      expect((await parseSchemaFragment({ ...right, [field]: right[field] }))[field as 'text']).toBe(right[field])
    }
  })

  it('what a getter or an iterator throws is the caller’s own and passes through', async () => {
    const own = new RangeError('own')
    const throwing = {
      get text(): string {
        throw own
      },
    }
    await expect(parseSchemaFragment({ ...JSON.parse(wire as string), ...{} })).resolves.toBeDefined()
    await expect(reconstructSchema(manifest, [throwing])).rejects.toBe(own)
    await expect(
      reconstructSchema(
        manifest,
        (function* () {
          yield wire
          throw own
        })(),
      ),
    ).rejects.toBe(own)
    await expect(
      reconstructSchema(manifest, {
        async *[Symbol.asyncIterator]() {
          yield await Promise.reject(own)
        },
      }),
    ).rejects.toBe(own)
  })

  it('a proxy is as good as what it answers', async () => {
    const target = JSON.parse(wire as string) as object
    await expect(reconstructSchema(manifest, [new Proxy(target, {})])).resolves.toBeDefined()
    const lying = new Proxy(target, { get: (of, name) => (name === 'text' ? 'other' : Reflect.get(of, name)) })
    const refused = await reconstructSchema(manifest, [lying]).catch((error: unknown) => error)
    expect(SchemaDisclosureError.is(refused) && refused.code).toBe('document-size')
  })
})

describe('URIs made of anything', () => {
  it('R-A-18, R-A-19, R-A-36: are exactly the ones of the contract', () => {
    expect(manifestUri('a', digest)).toBe(`openapi-schema://v1/a/${digest}/manifest`)
    expect(fragmentUri('a', digest, 0)).toBe(`openapi-schema://v1/a/${digest}/fragments/0`)
    expect(fragmentUri('a', digest, '{index}')).toBe(`openapi-schema://v1/a/${digest}/fragments/{index}`)
    expect(manifest.manifest_uri).toBe(manifestUri('tool', digest))
    expect(manifest.fragment_uri_template).toBe(fragmentUri('tool', digest, '{index}'))
    expect(canonicalJson(manifest).includes(digest)).toBe(true)
  })
})
