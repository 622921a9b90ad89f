/**
 * What the values of keywords must look like.
 * @module
 */

import { JsonNumber } from '../../json/index.ts'
import { type Copied, type CopiedObject, isObject } from '../copy.ts'
import { compareNumbers, isComparable, isWhole, type Numeric } from '../decimal.ts'

/** A number that can be compared. */
export const asNumber = (value: Copied): Numeric | undefined =>
  (typeof value === 'number' || value instanceof JsonNumber) && isComparable(value) ? value : undefined

/** A count: a whole number from zero up; `2.0` is one. Counts beyond what a value can have are all alike. */
export function asCount(value: Copied): number | undefined {
  const number = asNumber(value)
  if (number === undefined || !isWhole(number) || compareNumbers(number, 0) < 0) return undefined
  return typeof number === 'number' ? number : Math.min(Number(number.toString()), Number.MAX_SAFE_INTEGER)
}

/** Texts of which none occurs twice. */
export function asNames(value: Copied): readonly string[] | undefined {
  if (!Array.isArray(value) || !value.every((name) => typeof name === 'string')) return undefined
  return new Set(value).size === value.length ? value : undefined
}

/** A list; the type guard of arrays does not keep `readonly`. */
export const asList = (value: Copied): readonly Copied[] | undefined => (Array.isArray(value) ? value : undefined)

/** True for what may stand where a schema is asked for. */
export const isSchema = (value: Copied | undefined): value is CopiedObject | boolean =>
  typeof value === 'boolean' || isObject(value)
