import { readFileSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { canonicalEnd } from '../../src/json/canonical-check.ts'
import { CanonicalWriter } from '../../src/json/canonical-writer.ts'
import {
  canonicalizeJsonText,
  canonicalJson,
  canonicalJsonBytes,
  JsonError,
  type JsonErrorCode,
  JsonNumber,
  JsonReader,
  parseJsonText,
} from '../../src/json/index.ts'

const utf8 = (text: string) => new TextEncoder().encode(text)

/** The closed list. A code that is added or taken away is a change of the contract. */
const CODES = [
  'class-instance',
  'cycle',
  'depth',
  'duplicate-name',
  'integer-digits',
  'lone-surrogate',
  'negative-zero',
  'non-finite',
  'not-canonical',
  'syntax',
  'to-json',
  'too-large',
  'truncated',
  'type',
  'unsafe-integer',
  'unsupported-type',
  'utf8',
] as const satisfies readonly JsonErrorCode[]

function refusal(run: () => unknown): JsonError {
  try {
    run()
  } catch (error) {
    if (JsonError.is(error)) return error
    throw error
  }
  throw new Error('accepted')
}

const wrap = (value: unknown) => ({ 'a/b': [0, { '~': value }] })
const AT = '/a~1b/1/~0'
const nested = (levels: number, leaf: unknown): unknown => {
  let value = leaf
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { a: value }
  return value
}

const objectCycle: { a: { b: unknown[] } } = { a: { b: [] } }
objectCycle.a.b.push(1, objectCycle.a)
const arrayCycle: unknown[] = []
arrayCycle.push(arrayCycle)

/** Values without an exact text: the code, and the pointer where it stands. */
const VALUES: readonly (readonly [JsonErrorCode, string, unknown, string])[] = [
  ['unsupported-type', 'undefined', wrap(undefined), AT],
  ['unsupported-type', 'a function', wrap(() => 1), AT],
  ['unsupported-type', 'a symbol', wrap(Symbol.iterator), AT],
  ['unsupported-type', 'undefined alone', undefined, ''],
  ['unsupported-type', 'a hole', wrap(new Array(2)), `${AT}/0`],
  ['class-instance', 'a Map', wrap(new Map()), AT],
  ['class-instance', 'a Set', wrap(new Set()), AT],
  ['class-instance', 'a regular expression', wrap(/x/), AT],
  ['class-instance', 'an error', wrap(new Error('x')), AT],
  ['class-instance', 'a boxed number', wrap(Object(1)), AT],
  ['class-instance', 'a boxed string', wrap(Object('x')), AT],
  ['class-instance', 'bytes', wrap(new Uint8Array(1)), AT],
  ['class-instance', 'a promise', wrap(Promise.resolve()), AT],
  ['class-instance', 'an instance of a class', wrap(new (class Mine {})()), AT],
  ['class-instance', 'an object that inherits members', wrap(Object.create({ a: 1 })), AT],
  [
    'class-instance',
    'an object that inherits from one without prototype',
    wrap(Object.create(Object.create(null))),
    AT,
  ],
  ['class-instance', 'a Map of another realm', wrap(runInNewContext('new Map()')), AT],
  ['class-instance', 'a look-alike of JsonNumber', wrap(Object.create({ text: '1' })), AT],
  ['to-json', 'a date', wrap(new Date(0)), AT],
  ['to-json', 'a date of another realm', wrap(runInNewContext('new Date(0)')), AT],
  ['to-json', 'a URL', wrap(new URL('http://a.example')), AT],
  ['to-json', 'a method toJSON', wrap({ toJSON: () => 1 }), `${AT}/toJSON`],
  ['unsafe-integer', '2^53', wrap(2 ** 53), AT],
  ['unsafe-integer', '-2^53', wrap(-(2 ** 53)), AT],
  ['unsafe-integer', '1e300', wrap(1e300), AT],
  ['non-finite', 'NaN', wrap(Number.NaN), AT],
  ['non-finite', 'Infinity', wrap(Number.POSITIVE_INFINITY), AT],
  ['non-finite', 'a token beyond a double', wrap(new JsonNumber('-1e400')), AT],
  ['negative-zero', '-0', wrap(-0), AT],
  ['integer-digits', '4,301 digits as a bigint', wrap(10n ** 4300n), AT],
  ['integer-digits', '-4,301 digits as a bigint', wrap(-(10n ** 4300n)), AT],
  ['integer-digits', '4,301 digits as a token', wrap(new JsonNumber('1'.repeat(4301))), AT],
  ['lone-surrogate', 'a high half', wrap('a\ud800'), AT],
  ['lone-surrogate', 'a low half', wrap('\udfffa'), AT],
  ['lone-surrogate', 'halves the wrong way round', wrap('\ude00\ud83d'), AT],
  ['lone-surrogate', 'two high halves', wrap('\ud83d\ud83d'), AT],
  ['lone-surrogate', 'a half deep in a long string', wrap(`${'x'.repeat(5000)}\ud800${'x'.repeat(5000)}`), AT],
  ['lone-surrogate', 'a half at the end of a long string', wrap(`${'é'.repeat(5000)}\ud800`), AT],
  ['lone-surrogate', 'a name', wrap({ '\udc00': 1 }), `${AT}/\udc00`],
  ['cycle', 'an object inside itself', objectCycle, ''],
  ['cycle', 'an array inside itself', arrayCycle, ''],
  ['depth', '961 levels', nested(961, 1), ''],
  ['depth', '100,000 levels', nested(100_000, 1), ''],
]

/** Texts: the code, and the byte offset. */
const TEXTS: readonly (readonly [JsonErrorCode, string, string | Uint8Array, number])[] = [
  ['truncated', 'nothing', '', 0],
  ['truncated', 'white space', ' \n', 2],
  ['truncated', 'an open array', '[1', 2],
  ['truncated', 'an open string', '"ab', 3],
  ['truncated', 'a minus', '-', 1],
  ['truncated', 'a word', 'tru', 3],
  ['truncated', 'an escape', '"\\', 1],
  ['truncated', 'hex digits', '"\\u00', 5],
  ['syntax', 'a comma too many', '[1,]', 3],
  ['syntax', 'a comma too many in an object', '{"a":1,}', 7],
  ['syntax', 'no comma', '[1 2]', 3],
  ['syntax', 'no colon', '{"a" 1}', 5],
  ['syntax', 'a name that is no string', '{1:1}', 1],
  ['syntax', 'a leading zero', '[01]', 2],
  ['syntax', 'a leading plus', '+1', 0],
  ['syntax', 'no digit behind the point', '[1.]', 3],
  ['syntax', 'no digit in the exponent', '[1e]', 3],
  ['syntax', 'a word in capitals', 'True', 0],
  ['syntax', 'NaN', 'NaN', 0],
  ['syntax', 'a control character', '"a\u0001"', 2],
  ['syntax', 'an unknown escape', '"\\x"', 1],
  ['syntax', 'a wrong hex digit', '"\\u00g0"', 5],
  ['syntax', 'something behind', '{} x', 3],
  ['syntax', 'two values', '1\n2', 2],
  ['syntax', 'a mark of byte order', '\ufeff{}', 0],
  ['syntax', 'a comment', '[1/*x*/]', 2],
  ['syntax', 'single quotes', "{'a':1}", 1],
  ['syntax', 'a no-break space', '\u00a01', 0],
  ['syntax', 'the wrong bracket', '[1}', 2],
  ['syntax', 'the wrong brace', '{"a":1]', 6],
  ['depth', '961 arrays', '['.repeat(961), 960],
  ['duplicate-name', 'a name twice', '{"a":1,"a":2}', 7],
  ['duplicate-name', 'twice, deep down', '[{"b":{"a":1,"a":2}}]', 13],
  ['duplicate-name', 'escaped', '{"a":1,"\\u0061":2}', 7],
  ['duplicate-name', 'before the value is complete', '{"a":{"a":1},"a":2}', 13],
  ['duplicate-name', '__proto__', '{"__proto__":{},"__proto__":{}}', 16],
  ['duplicate-name', 'the empty name', '{"":1,"":2}', 6],
  ['duplicate-name', 'a name like an integer', '{"1":1,"1":2}', 7],
  ['lone-surrogate', 'escaped half', '["\\ud800"]', 1],
  ['lone-surrogate', 'escaped halves the wrong way round', '["\\ude00\\ud83d"]', 1],
  ['lone-surrogate', 'in a name', '{"\\ud800":1}', 1],
  ['integer-digits', '4,301 digits', `[${'1'.repeat(4301)}]`, 1],
  ['utf8', 'a lone continuation byte', Uint8Array.of(0x22, 0x80, 0x22), 1],
  ['utf8', 'an encoded half', Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22), 1],
  ['utf8', 'beyond Unicode', Uint8Array.of(0x22, 0xf4, 0x90, 0x80, 0x80, 0x22), 1],
  ['utf8', 'in a name', Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d), 2],
  ['type', 'no text', 5 as never, 0],
  ['type', 'an array of bytes', [0x31] as never, 0],
]

/** Refusals that need more than a value or a text. */
const OTHERS: readonly (readonly [JsonErrorCode, string, () => unknown])[] = [
  ['type', 'a string is asked for', () => new JsonReader(utf8(' 1')).string()],
  ['type', 'an object is asked for', () => new JsonReader(utf8('[]')).object(() => undefined)],
  ['type', 'an array is asked for', () => new JsonReader(utf8('null')).array(() => undefined)],
  ['not-canonical', 'the one-pass check', () => canonicalEnd(utf8('{"b":1,"a":1}'), 0)],
  ['depth', 'the one-pass check', () => canonicalEnd(utf8('['.repeat(961)), 0)],
  ['too-large', 'a string', () => new CanonicalWriter(10).value('x'.repeat(20))],
  ['too-large', 'a name', () => new CanonicalWriter(10).value({ ['x'.repeat(20)]: 1 })],
  ['too-large', 'many small values', () => new CanonicalWriter(10).value(new Array(100).fill(0))],
  ['too-large', 'a few levels that share', () => new CanonicalWriter(1 << 16).value(shared(60))],
  ['too-large', 'one value that is longer by itself', () => new CanonicalWriter(10).value(['x'.repeat(9)])],
  ['unsupported-type', 'a JsonNumber of no number', () => new JsonNumber('1.')],
  ['unsupported-type', 'what looks like a JsonNumber', () => canonicalJson(lookAlike('0123'))],
  ['unsupported-type', 'what looks like one and holds no text', () => canonicalJson(lookAlike(5))],
  ['class-instance', 'an array of a class', () => canonicalJson(new (class extends Array {})())],
  ['to-json', 'an array with a method', () => canonicalJson(Object.assign([1], { toJSON: () => 2 }))],
  [
    'to-json',
    'a method that is no member',
    () => canonicalJson(Object.defineProperty({}, 'toJSON', { value: () => 2 })),
  ],
  ['type', 'a reader behind the bytes', () => new JsonReader(utf8('"abc'), 0, 5e8)],
  ['type', 'a reader without end', () => new JsonReader(utf8('"abc'), 0, Number.POSITIVE_INFINITY)],
  ['type', 'a reader before the bytes', () => new JsonReader(utf8('"abc'), -1)],
  ['type', 'a reader between bytes', () => new JsonReader(utf8('"abc'), 0.5)],
]

const lookAlike = (text: unknown) => Object.assign(Object.create(JsonNumber.prototype), { text })

/** Each level holds the next one twice: small to hold, endless to write. */
function shared(levels: number): unknown {
  let value: unknown = []
  for (let level = 0; level < levels; level++) value = { a: value, b: value }
  return value
}

describe('JsonError', () => {
  it('has exactly the codes of the pinned list, and a refusal of each below', () => {
    const source = readFileSync(new URL('../../src/json/errors.ts', import.meta.url), 'utf8')
    const declared = [...source.matchAll(/^ {2}\| '([a-z0-9-]+)'$/gm)].map((match) => match[1])
    expect(declared.toSorted()).toEqual([...CODES])
    const provoked = new Set([...VALUES, ...TEXTS, ...OTHERS].map(([code]) => code))
    expect([...provoked].sort()).toEqual([...CODES])
  })

  it.each(VALUES)('R-A-41: %s: %s', (code, _name, value, path) => {
    for (const write of [canonicalJson, canonicalJsonBytes]) {
      const error = refusal(() => write(value))
      expect(error.code).toBe(code)
      const { path: found } = error.data as { path: string }
      // Where depth and cycles end is a matter of the walk; that they are far down is enough.
      if (code === 'cycle' || code === 'depth') expect(found.length).toBeGreaterThan(960)
      else expect(found).toBe(path)
    }
  })

  it.each(TEXTS)('%s: %s', (code, _name, text, at) => {
    for (const read of [parseJsonText, canonicalizeJsonText]) {
      const error = refusal(() => read(text))
      expect([error.code, error.data]).toEqual([code, { at }])
    }
  })

  it.each(OTHERS)('%s: %s', (code, _name, run) => {
    expect(refusal(run).code).toBe(code)
  })

  it('a half of a pair as it stands in a string is found before it is encoded', () => {
    expect(refusal(() => parseJsonText('"\ud800"')).code).toBe('lone-surrogate')
    expect(refusal(() => canonicalizeJsonText('{"\udc00":1}')).code).toBe('lone-surrogate')
  })

  it('is an error with frozen data, a message that quotes no value, and is told from others', () => {
    const SECRET = 'hunter2'
    for (const run of [
      () => canonicalJson({ a: [SECRET, undefined] }),
      () => canonicalJson({ a: `${SECRET}\ud800` }),
      () => parseJsonText(`{"a":"${SECRET}" x}`),
      () => parseJsonText(`["${SECRET}\\ud800"]`),
      () => canonicalEnd(utf8(`{"${SECRET}": 1}`), 0),
    ]) {
      const error = refusal(run)
      expect(error).toBeInstanceOf(Error)
      expect(error.name).toBe('JsonError')
      expect(Object.isFrozen(error.data)).toBe(true)
      expect(error.message).toMatch(/^Cannot (?:read|write) JSON /)
      expect(error.message).not.toContain(SECRET)
    }
    for (const other of [new Error('x'), { code: 'syntax', data: { at: 0 } }, null, undefined, 'syntax']) {
      expect(JsonError.is(other)).toBe(false)
    }
  })

  it('a writer takes as many bytes as it is given, and not one more', () => {
    const bytes = utf8('123')
    for (const [most, accepted] of [
      [3, true],
      [2, false],
    ] as const) {
      const writer = new CanonicalWriter(most)
      writer.raw(bytes)
      const next = () => writer.raw(utf8(''))
      if (accepted) next()
      else expect(refusal(next).code).toBe('too-large')
    }
  })

  it('a message stays short where a pointer is long', () => {
    const { message, data } = refusal(() => canonicalJson({ ['x'.repeat(10_000)]: undefined }))
    expect(message.length).toBeLessThan(400)
    expect((data as { path: string }).path.length).toBe(10_001)
  })
})
