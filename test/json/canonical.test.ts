import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  canonicalizeJsonText,
  canonicalJson,
  canonicalJsonBytes,
  isCanonical,
  JsonError,
  JsonNumber,
  MAX_DEPTH,
  parseJsonText,
} from '../../src/json/index.ts'

const utf8 = (text: string) => new TextEncoder().encode(text)
const refusal = (run: () => unknown): [string, unknown] => {
  try {
    run()
  } catch (error) {
    if (JsonError.is(error)) return [error.code, 'path' in error.data ? error.data.path : error.data.at]
    throw error
  }
  return ['accepted', undefined]
}

/** The slow, obvious encoder. */
function reference(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(reference).join(',')}]`
  if (typeof value === 'object' && value !== null) {
    const names = Object.keys(value).sort((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)))
    return `{${names.map((name) => `${JSON.stringify(name)}:${reference((value as never)[name])}`).join(',')}}`
  }
  return String(value)
}

const names = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('__proto__', 'constructor', '10', '9', '\ue000', '😀', '\uffff', 'toJSON', '"', '\\', '\n', '\u0001'),
)
const values = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.string({ unit: 'grapheme', maxLength: 100 }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.array(fc.tuple(names, tie('value')), { maxLength: 25 }).map((members) => {
      const object = Object.create(null)
      for (const [name, member] of members) object[name] = member
      return object
    }),
  ),
})).value

describe('the canonical form', () => {
  it('R-A-40: equals the obvious encoder, is a fixed point, and is taken for canonical', () => {
    fc.assert(
      fc.property(values, (value) => {
        const text = canonicalJson(value)
        expect(text).toBe(reference(value))
        expect(canonicalizeJsonText(text)).toBe(text)
        expect(canonicalJson(parseJsonText(text))).toBe(text)
        expect(isCanonical(utf8(text))).toBe(true)
        expect(Buffer.from(canonicalJsonBytes(value)).toString()).toBe(text)
      }),
      { numRuns: 500 },
    )
  })

  it('isCanonical says what canonicalizing again would say, on near misses', () => {
    const near = fc
      .tuple(
        values,
        fc.nat(),
        fc.constantFrom('', ' ', '0', '.0', 'e', '-', ',', '"', '\\u0061', '\\/', '\u0000', 'a', ':1', '}', '['),
      )
      .map(([value, at, inserted]) => {
        const text = canonicalJson(value)
        const place = at % (text.length + 1)
        return text.slice(0, place) + inserted + text.slice(place + (at % 2))
      })
    fc.assert(
      fc.property(near, (text) => {
        if (!text.isWellFormed()) return
        let again: string | undefined
        try {
          again = canonicalizeJsonText(text)
        } catch (error) {
          expect(JsonError.is(error)).toBe(true)
        }
        expect(isCanonical(utf8(text))).toBe(again === text)
      }),
      { numRuns: 3000 },
    )
  })

  it('R-A-40: every ASCII character is spelled one way, and that way is canonical', () => {
    for (let code = 0; code < 128; code++) {
      const text = JSON.stringify(String.fromCharCode(code))
      expect(canonicalizeJsonText(text)).toBe(text)
      expect(isCanonical(utf8(text)), text).toBe(true)
      expect(isCanonical(utf8(`{${text}:1}`)), text).toBe(true)
      expect(isCanonical(utf8(`"\\u00${code.toString(16).padStart(2, '0')}"`))).toBe(text.includes('\\u'))
    }
  })

  it.each([
    '"\\u000 "',
    '"\\u000g"',
    '"\\u00 1"',
    '"\\u00g0"',
    '"\\u001',
    '"\\u001"',
    '"\\u000A"',
    '"\\u0008"',
    '"\\u0020"',
    '"\\/"',
  ])('no escape but the canonical ones: %s', (text) => {
    expect(isCanonical(utf8(text))).toBe(false)
    expect(isCanonical(utf8(`{${text}:1}`))).toBe(false)
  })

  it.each([
    [1.5, '1.5'],
    [0.1, '0.1'],
    [1e-4, '0.0001'],
    [1e-5, '1e-05'],
    [5e-324, '5e-324'],
    [123456789012345.6, '123456789012345.6'],
    [new JsonNumber('1.7976931348623157e308'), '1.7976931348623157e+308'],
    [9007199254740991, '9007199254740991'],
    [18446744073709551615n, '18446744073709551615'],
    [-0n, '0'],
    [new JsonNumber('1.0'), '1.0'],
    [new JsonNumber('1E5'), '100000.0'],
    [new JsonNumber('1e16'), '1e+16'],
    [new JsonNumber('-0'), '0'],
    [new JsonNumber('-0.0'), '-0.0'],
    [new JsonNumber('9007199254740993'), '9007199254740993'],
  ])('spells %s as %s', (value, text) => {
    expect(canonicalJson(value)).toBe(text)
    expect(canonicalJson([value])).toBe(`[${text}]`)
  })

  const nested = (depth: number) => {
    let value: unknown = 0
    for (let level = 0; level < depth; level++) value = [value]
    return value
  }
  const cycle: { a: { b?: unknown } } = { a: {} }
  cycle.a.b = cycle

  it.each([
    ['unsafe-integer', { a: 2 ** 53 }, '/a'],
    ['non-finite', [Number.NaN], '/0'],
    ['non-finite', [[Number.NEGATIVE_INFINITY]], '/0/0'],
    ['non-finite', { x: new JsonNumber('1e400') }, '/x'],
    ['negative-zero', { 'a/b~c': -0 }, '/a~1b~0c'],
    ['lone-surrogate', { a: '\ud800' }, '/a'],
    ['lone-surrogate', { a: `${'x'.repeat(200)}\udc00` }, '/a'],
    ['lone-surrogate', { '\ud800': 1 }, '/\ud800'],
    ['unsupported-type', { a: undefined }, '/a'],
    ['unsupported-type', [() => 1], '/0'],
    ['unsupported-type', [Symbol('x')], '/0'],
    // biome-ignore lint/suspicious/noSparseArray: a hole is the case
    ['unsupported-type', [1, , 2], '/1'],
    ['class-instance', { a: new Map() }, '/a'],
    ['class-instance', { a: Object.create({ inherited: 1 }) }, '/a'],
    ['to-json', { a: new Date(0) }, '/a'],
    ['to-json', { a: { toJSON: () => 1 } }, '/a/toJSON'],
    ['integer-digits', { a: 10n ** 4300n }, '/a'],
    ['integer-digits', { a: 10n ** 100_000n }, '/a'],
  ])('R-A-41: refuses with %s', (code, value, path) => {
    expect(refusal(() => canonicalJson(value))).toEqual([code, path])
  })

  it('bounds depth, and tells a cycle from depth', () => {
    expect(canonicalJson(nested(MAX_DEPTH))).toBe(`${'['.repeat(MAX_DEPTH)}0${']'.repeat(MAX_DEPTH)}`)
    expect(refusal(() => canonicalJson(nested(MAX_DEPTH + 1)))[0]).toBe('depth')
    expect(refusal(() => canonicalJson(nested(100_000)))[0]).toBe('depth')
    expect(refusal(() => canonicalJson(cycle))[0]).toBe('cycle')
  })

  it('the same object twice is no cycle', () => {
    const shared = { a: 1 }
    expect(canonicalJson([shared, shared])).toBe('[{"a":1},{"a":1}]')
  })

  it('isCanonical is asked of bytes', () => {
    expect(isCanonical([0x31] as never)).toBe(false)
  })

  it('plain objects of other realms are plain', () => {
    expect(canonicalJson(runInNewContext('({ b: [1], a: Object.create(null) })'))).toBe('{"a":{},"b":[1]}')
    expect(refusal(() => canonicalJson(runInNewContext('new Map()')))[0]).toBe('class-instance')
  })

  it('reads each member once', () => {
    let reads = 0
    const value = {
      get a() {
        reads++
        return 1
      },
    }
    expect(canonicalJson(value)).toBe('{"a":1}')
    expect(reads).toBe(1)
  })

  it('members named like methods of Object are members', () => {
    const text = '{"__proto__":{"a":1},"constructor":2,"hasOwnProperty":3,"toJSON":4}'
    expect(canonicalizeJsonText(text)).toBe(text)
    expect(({} as { a?: number }).a).toBe(undefined)
  })

  it.each(['', '1.', '01', '+1', '.5', '1e', 'NaN', ' 1', '0x1'])('JsonNumber refuses %j', (text) => {
    expect(refusal(() => new JsonNumber(text))[0]).toBe('unsupported-type')
  })
})
