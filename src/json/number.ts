/**
 * Numbers whose spelling matters.
 * @module
 */

import { MAX_INTEGER_DIGITS } from './bounds.ts'
import { refuseValue } from './errors.ts'

// RFC 8259 section 6. Linear: no two quantifiers can take the same character.
const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/
const INTEGER = /^-?[0-9]+$/

/**
 * A JSON number kept as its text, because a JavaScript number cannot hold it exactly: `1.0`, `1e5`, integers beyond 2^53 - 1.
 *
 * @throws {JsonError} `unsupported-type` where the text is not a JSON number
 *
 * @example
 * ```ts
 * canonicalJson({ maximum: new JsonNumber('1.0') }) // '{"maximum":1.0}'
 * ```
 */
export class JsonNumber {
  /** The token as written. */
  readonly text: string

  constructor(text: string) {
    if (typeof text !== 'string' || !NUMBER.test(text)) refuseValue('unsupported-type', '', 'text is not a JSON number')
    this.text = text
    Object.freeze(this)
  }

  toString(): string {
    return this.text
  }
}

/** True where a number token has neither fraction nor exponent: Python reads such a token as `int`, every other as `float`. */
export const isIntegerToken = (token: string): boolean => INTEGER.test(token)

/**
 * The canonical spelling of a number token: integers digit by digit, everything else as Python's `repr` of the nearest double.
 *
 * @throws {JsonError} `non-finite`, `integer-digits`
 */
export function canonicalNumberToken(token: string, path = ''): string {
  if (!isIntegerToken(token)) return canonicalFloat(Number(token), path)
  const digits = token.startsWith('-') ? token.length - 1 : token.length
  if (digits > MAX_INTEGER_DIGITS) {
    refuseValue('integer-digits', path, `an integer of ${digits} digits, at most ${MAX_INTEGER_DIGITS} are allowed`)
  }
  return token === '-0' ? '0' : token
}

/**
 * A double spelled as Python's `repr` does. Digits are the shortest that round-trip in both languages; only the layout
 * differs: positional for exponents -4 … 15 with at least one fraction digit, else `d.ddde±XX` with two exponent digits.
 *
 * @throws {JsonError} `non-finite`
 */
export function canonicalFloat(value: number, path = ''): string {
  if (!Number.isFinite(value)) refuseValue('non-finite', path, `${value} is not a finite number`)
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0'
  const [mantissa, exponentText] = value.toExponential().split('e') as [string, string]
  const exponent = Number(exponentText)
  if (exponent < -4 || exponent > 15) {
    return `${mantissa}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`
  }
  // JavaScript is positional in this range except below 1e-6, which the range excludes.
  const positional = String(value)
  return positional.includes('.') ? positional : `${positional}.0`
}

/**
 * The canonical spelling of a JavaScript number: integral values are integers.
 *
 * @throws {JsonError} `non-finite`, `unsafe-integer`, `negative-zero`
 */
export function canonicalNumber(value: number, path: () => string): string {
  if (Number.isSafeInteger(value)) {
    if (Object.is(value, -0)) refuseValue('negative-zero', path(), '-0 could mean 0 or -0.0; use 0 or a JsonNumber')
    return String(value)
  }
  if (Number.isInteger(value)) {
    refuseValue(
      'unsafe-integer',
      path(),
      'an integer beyond 2^53 - 1 as a number; use a bigint, a JsonNumber or JSON text',
    )
  }
  const magnitude = Math.abs(value)
  if (magnitude >= 1e-4 && magnitude < 1e16) return String(value)
  return canonicalFloat(value, Number.isFinite(value) ? '' : path())
}

/**
 * The value of a number token: a JavaScript number where that has the same canonical spelling, else a `JsonNumber`.
 * The token `-0` is the integer 0.
 */
export function numberFromToken(token: string): number | JsonNumber {
  const value = Number(token)
  const exact = isIntegerToken(token) ? Number.isSafeInteger(value) : Number.isFinite(value) && !Number.isInteger(value)
  if (!exact) return new JsonNumber(token)
  return value === 0 ? 0 : value
}
