/**
 * Numbers compared exactly, however they are held. A JavaScript number means the decimal it is printed as.
 * @module
 */

import { JsonNumber } from '../json/index.ts'

/** A number as the value may hold it. */
export type Numeric = number | bigint | JsonNumber

/** Sign, digits without zeros at either end (`''` is zero), and the power of ten of the last digit. */
export interface Decimal {
  readonly negative: boolean
  readonly digits: string
  readonly exponent: number
}

const MAX_LENGTH = 5000
const PARTS = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,9}))?$/

/** True for what counts as a number in a value. */
export const isNumeric = (value: unknown): value is Numeric =>
  typeof value === 'number' || typeof value === 'bigint' || value instanceof JsonNumber

/** True where a number is one that can be compared: not longer than 5,000 characters, exponent of at most nine digits. */
export function isComparable(value: Numeric): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  // Before any conversion: a bigint's text takes more than linear time.
  if (typeof value === 'bigint') return value < LARGEST && value > -LARGEST
  return value.text.length <= MAX_LENGTH && PARTS.test(value.text)
}
const LARGEST = 1n << 16_000n

/** The exact value. */
export function decimalOf(value: Numeric): Decimal {
  const [, sign = '', whole = '0', fraction = '', power = '0'] = PARTS.exec(String(value)) ?? []
  const all = `${whole}${fraction}`
  let start = 0
  while (all[start] === '0') start++
  let end = all.length
  while (end > start && all[end - 1] === '0') end--
  if (start === end) return { negative: false, digits: '', exponent: 0 }
  return {
    negative: sign === '-',
    digits: all.slice(start, end),
    exponent: Number(power) - fraction.length + all.length - end,
  }
}

/** True for whole numbers: `1.0` is one. */
export function isWhole(value: Numeric): boolean {
  if (typeof value === 'number') return Number.isInteger(value)
  return typeof value === 'bigint' || decimalOf(value).exponent >= 0
}

/** Below zero, zero or above zero, as `left` is less than, equal to or greater than `right`. */
export function compareNumbers(left: Numeric, right: Numeric): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right
  const [a, b] = [decimalOf(left), decimalOf(right)]
  const [signA, signB] = [signOf(a), signOf(b)]
  return signA === signB ? signA * compareMagnitudes(a, b) : signA - signB
}

const signOf = ({ negative, digits }: Decimal): number => (digits === '' ? 0 : negative ? -1 : 1)

function compareMagnitudes(a: Decimal, b: Decimal): number {
  const magnitude = a.digits.length + a.exponent - (b.digits.length + b.exponent)
  if (magnitude !== 0) return magnitude
  // The first digits weigh the same, so the texts compare as fractions do.
  return a.digits < b.digits ? -1 : a.digits > b.digits ? 1 : 0
}

/** True where `value` is a whole number of times `divisor`, which is above zero. */
export function isMultipleOf(value: Numeric, divisor: Numeric): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return (value as number) % (divisor as number) === 0
  const [a, b] = [decimalOf(value), decimalOf(divisor)]
  if (a.digits === '') return true
  // The last digit is not zero, so no division by a power of ten leaves a whole number.
  if (a.exponent < b.exponent) return false
  const modulus = BigInt(b.digits)
  return ((BigInt(a.digits) % modulus) * powerOfTen(a.exponent - b.exponent, modulus)) % modulus === 0n
}

/** 10^exponent modulo a number, by squaring. */
function powerOfTen(exponent: number, modulus: bigint): bigint {
  let result = 1n % modulus
  let square = 10n % modulus
  for (let rest = exponent; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result = (result * square) % modulus
    square = (square * square) % modulus
  }
  return result
}

/** One text for all spellings of one number. */
export function numberKey(value: Numeric): string {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value === 0 ? 0 : value)
  const { negative, digits, exponent } = decimalOf(value)
  // As the line above writes it wherever that applies.
  if (exponent >= 0 && exponent + digits.length <= 16) {
    const plain = `${negative ? '-' : ''}${digits === '' ? '0' : digits}${'0'.repeat(exponent)}`
    if (Number.isSafeInteger(Number(plain))) return plain
  }
  return `${negative ? '-' : ''}${digits}e${exponent}`
}
