/**
 * The private copy: a schema as a plain tree of its own, read once, so that nothing done to the original later matters.
 * @module
 */

import { JsonNumber } from '../json/index.ts'
import { refuseSchema } from './errors.ts'
import { type Path, pointerOf } from './path.ts'

/** A value of the copy: null-prototype objects, arrays, strings, booleans, null, numbers and `JsonNumber`. */
export type Copied = null | boolean | string | number | JsonNumber | readonly Copied[] | CopiedObject
/** An object of the copy; no prototype, so a look-up finds own names only. */
export type CopiedObject = { readonly [name: string]: Copied }

export interface CopyLimits {
  readonly maxDepth: number
  readonly maxSchemaValues: number
}

/** Characters that count as one value. */
const CHARACTERS = 100

/**
 * Copies a schema. Integers as `bigint` become `JsonNumber`, a `JsonNumber` that is a number all the same becomes one.
 *
 * @throws {SchemaValidationError} `schema-not-json`, `schema-too-deep`, `schema-too-large`
 */
export function copySchema(schema: unknown, { maxDepth, maxSchemaValues }: CopyLimits): Copied {
  let left = maxSchemaValues
  const count = (text: string): void => {
    left -= 1 + text.length / CHARACTERS
    if (left < 0) refuseSchema('schema-too-large', { limit: maxSchemaValues }, `more than ${maxSchemaValues} values`)
  }
  const copy = (value: unknown, path: Path | undefined, depth: number): Copied => {
    if (depth > maxDepth) refuseSchema('schema-too-deep', { limit: maxDepth }, `more than ${maxDepth} levels`)
    count(typeof value === 'string' ? value : '')
    if (value === null || typeof value === 'boolean' || typeof value === 'string') return value
    if (typeof value === 'number' && Number.isFinite(value)) return value
    if (typeof value === 'bigint') return simplified(new JsonNumber(String(value)))
    if (value instanceof JsonNumber) {
      count(value.text)
      return simplified(value)
    }
    if (Array.isArray(value)) return Array.from(value, (item, token) => copy(item, { parent: path, token }, depth + 1))
    if (isPlainObject(value)) {
      const object: Record<string, Copied> = Object.create(null)
      for (const token of Object.keys(value)) {
        count(token)
        object[token] = copy(value[token], { parent: path, token }, depth + 1)
      }
      return object
    }
    refuseSchema('schema-not-json', { path: pointerOf(path) }, 'a member is no JSON')
  }
  return copy(schema, undefined, 0)
}

/** True for objects as literals and parsers make them. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype = Object.getPrototypeOf(value)
  if (prototype === null) return true
  // An object of another realm has another `Object.prototype`; that one has no prototype either.
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'isPrototypeOf')
}

export const isObject = (value: Copied | undefined): value is CopiedObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber)

/** A number where the double is the very same value: `1.0` and `1e5` are, integers beyond 2^53 are not. */
function simplified(number: JsonNumber): number | JsonNumber {
  const value = Number(number.text)
  const isShort = number.text.length <= 15 && Math.abs(value) < 1e15
  return isShort && (Number.isSafeInteger(value) || String(value) === number.text) ? value : number
}
