import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalizeJsonText, canonicalJson, isCanonical, JsonNumber, parseJsonText } from '../../src/json/index.ts'

const utf8 = (text: string) => new TextEncoder().encode(text)

/** The exact value of a double and of `digits`e`power`, as two integers over one denominator. */
function exactly(value: number, digits: bigint, power: number): readonly [bigint, bigint] {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, value)
  const bits = view.getBigUint64(0)
  const biased = Number((bits >> 52n) & 0x7ffn)
  const fraction = bits & ((1n << 52n) - 1n)
  const exponent = biased === 0 ? -1074 : biased - 1075
  const double = biased === 0 ? fraction : fraction | (1n << 52n)
  const up = (base: bigint, times: number) => base ** BigInt(Math.max(times, 0))
  return [double * up(2n, exponent) * up(10n, -power), digits * up(10n, power) * up(2n, -exponent)]
}

/**
 * Python's `repr` of a double, made another way: the fewest digits that give the double back, of these the nearest ones, of two
 * equally near ones the even ones; then the layout.
 */
function pythonRepr(value: number): string {
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0'
  const sign = value < 0 ? '-' : ''
  const magnitude = Math.abs(value)
  let precision = 1
  while (Number(magnitude.toExponential(precision - 1)) !== magnitude) precision++
  const [mantissa, power] = magnitude.toExponential(precision - 1).split('e') as [string, string]
  let digits = mantissa.replace('.', '')
  const [exact, upper] = exactly(magnitude, BigInt(digits), Number(power) - precision + 1)
  const [, lower] = exactly(magnitude, BigInt(digits) - 1n, Number(power) - precision + 1)
  if (upper - exact === exact - lower && BigInt(digits) % 2n === 1n) digits = String(BigInt(digits) - 1n)
  const exponent = Number(power)
  if (exponent < -4 || exponent >= 16) {
    const fraction = digits.length > 1 ? `.${digits.slice(1)}` : ''
    return `${sign}${digits[0]}${fraction}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`
  }
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0')
  return `${sign}${whole}.${digits.slice(exponent + 1) || '0'}`
}

/** What the original makes of a number token; undefined where it refuses. */
function pythonToken(token: string): string | undefined {
  if (/^-?\d+$/.test(token)) return token.replace('-', '').length > 4300 ? undefined : token === '-0' ? '0' : token
  const value = Number(token)
  return Number.isFinite(value) ? pythonRepr(value) : undefined
}

const attempt = (run: () => string): string | undefined => {
  try {
    return run()
  } catch {
    return undefined
  }
}

function expectToken(token: string): void {
  const expected = pythonToken(token)
  expect(
    attempt(() => canonicalizeJsonText(token)),
    token,
  ).toBe(expected)
  expect(isCanonical(utf8(token)), token).toBe(expected === token)
  expect(isCanonical(utf8(`{"a":[${token}]}`)), token).toBe(expected === token)
  if (expected === undefined) return
  expect(isCanonical(utf8(expected)), expected).toBe(true)
  expect(canonicalJson(new JsonNumber(token)), token).toBe(expected)
  expect(canonicalJson(parseJsonText(token)), token).toBe(expected)
}

const LONG = '9'.repeat(4300)

describe('numbers', () => {
  it.each([
    ['0', '0'],
    ['-0', '0'],
    ['0.0', '0.0'],
    ['-0.0', '-0.0'],
    ['-0e5', '-0.0'],
    ['1.0', '1.0'],
    ['1e0', '1.0'],
    ['1.50', '1.5'],
    ['0.0001', '0.0001'],
    ['0.00001', '1e-05'],
    ['0.00009999', '9.999e-05'],
    ['1e-7', '1e-07'],
    ['1e-10', '1e-10'],
    ['1e15', '1000000000000000.0'],
    ['9999999999999998.0', '9999999999999998.0'],
    ['1e16', '1e+16'],
    ['12345678901234567890.0', '1.2345678901234567e+19'],
    ['1e21', '1e+21'],
    ['1e100', '1e+100'],
    ['5e-324', '5e-324'],
    ['1e-400', '0.0'],
    ['-1e-400', '-0.0'],
    ['1.7976931348623157e308', '1.7976931348623157e+308'],
    ['9007199254740993', '9007199254740993'],
    ['18446744073709551616', '18446744073709551616'],
    ['0.1000000000000000055511151231257827', '0.1'],
    [LONG, LONG],
    [`-${LONG}`, `-${LONG}`],
    [`${LONG}9e-4301`, '1.0'],
  ])('R-A-40: %.30s is spelled %.30s', (token, expected) => {
    expect(pythonToken(token)).toBe(expected)
    expectToken(token)
  })

  it.each(['1e400', '-1e400', '1e309', `${LONG}9`, `-${LONG}9`, `${LONG}.0`])('R-A-41: %.20s… has no form', (token) => {
    expect(pythonToken(token)).toBe(undefined)
    expectToken(token)
  })

  it('R-A-40: tokens of any spelling, near every switch of the layout', () => {
    const digits = fc.stringMatching(/^\d{0,20}$/)
    const token = fc
      .tuple(
        fc.constantFrom('', '-'),
        fc.oneof(fc.constant('0'), fc.stringMatching(/^[1-9]\d{0,20}$/)),
        fc.option(digits.map((text) => `.${text}0`.slice(0, text.length + 1)).filter((text) => text.length > 1)),
        fc.option(fc.tuple(fc.constantFrom('e', 'E'), fc.constantFrom('', '+', '-'), fc.integer({ min: 0, max: 330 }))),
      )
      .map(([sign, whole, fraction, exponent]) => `${sign}${whole}${fraction ?? ''}${exponent?.join('') ?? ''}`)
    fc.assert(fc.property(token, expectToken), { numRuns: 4000 })
  })

  it('R-A-40: doubles of any bits, and their spellings changed by a character', () => {
    const bits = fc.uint8Array({ minLength: 8, maxLength: 8 }).map((bytes) => new DataView(bytes.buffer).getFloat64(0))
    const double = fc.oneof(bits, fc.double({ min: 1e-7, max: 1e-3 }), fc.double({ min: 1e14, max: 1e22 }), fc.double())
    const finite = double.filter((value) => Number.isFinite(value))
    fc.assert(
      fc.property(finite, fc.nat(), fc.constantFrom('0', '9', '.', 'e', '+', '-', ''), (value, at, part) => {
        expectToken(pythonRepr(value))
        if (!Number.isInteger(value)) expect(canonicalJson(value)).toBe(pythonRepr(value))
        const near = pythonRepr(value)
        const place = at % (near.length + 1)
        const changed = near.slice(0, place) + part + near.slice(place + (at % 2))
        if (/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(changed)) expectToken(changed)
        else expect(isCanonical(utf8(changed)), changed).toBe(false)
      }),
      { numRuns: 4000 },
    )
  })

  it('R-A-40: an integer as value is an integer, whatever its type', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }), (value) => {
        expect(canonicalJson(value)).toBe(String(value))
        const read = parseJsonText(String(value))
        expect(typeof read === 'number').toBe(Number.isSafeInteger(Number(value)) && BigInt(Number(value)) === value)
        expect(String(read)).toBe(String(value))
      }),
    )
    expect(canonicalJson(10n ** 4299n).length).toBe(4300)
    expect(canonicalJson(-(10n ** 4299n)).length).toBe(4301)
  })
})
