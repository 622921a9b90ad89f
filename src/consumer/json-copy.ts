/**
 * A private copy of a value that is to be validated and sent: what is judged is what goes out.
 * @module
 */

import type { JsonObject } from '../core/index.ts'

/** As deep as the library reads JSON. */
const MAX_DEPTH = 960
/** Values of one copy: what is shared is copied each time, and could be endless. */
const MAX_VALUES = 1_000_000

/** What cannot be copied: where (JSON Pointer), and what may stand there. */
export class NotJson extends Error {
  override readonly name = 'NotJson'
  readonly path: string
  readonly expected: string

  constructor(path: string, expected: string) {
    super(`Cannot copy "${path}": expected ${expected}`)
    this.path = path
    this.expected = expected
  }
}

/**
 * Copies a JSON object, frozen, every member read once. Members that are `undefined` are left out and -0 is 0, as in `JSON.stringify`;
 * whatever else it would drop or change is refused.
 *
 * @throws {NotJson}
 */
export function copyJsonObject(value: unknown): JsonObject {
  try {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new NotJson('', 'an object')
    return copy(value, '', 0, { left: MAX_VALUES }) as JsonObject
  } catch (error) {
    // A getter that throws, a proxy that was revoked, or the end of a stack that was nearly used up before.
    throw error instanceof NotJson ? error : new NotJson('', 'members that can be read')
  }
}

function copy(value: unknown, path: string, depth: number, room: { left: number }): unknown {
  if (--room.left < 0) refuse(path, `at most ${MAX_VALUES} values`)
  if (value === null || typeof value === 'boolean') return value
  if (typeof value === 'string') {
    return value.isWellFormed() ? value : refuse(path, 'well-formed Unicode')
  }
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : refuse(path, 'a finite number')
  if (typeof value !== 'object') return refuse(path, `a JSON value, not ${typeof value}`)
  if (depth === MAX_DEPTH) return refuse(path, `at most ${MAX_DEPTH} levels`)
  if (Array.isArray(value)) {
    return Object.freeze(Array.from(value, (item, index) => copy(item, `${path}/${index}`, depth + 1, room)))
  }
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) refuse(path, 'a plain object')
  // JSON has no such names, and `Math` and its like carry one.
  if (Object.getOwnPropertySymbols(value).length > 0) refuse(path, 'no symbol members')
  const made: { [name: string]: unknown } = Object.create(null)
  for (const [name, member] of Object.entries(value)) {
    if (!name.isWellFormed()) refuse(path, 'names of well-formed Unicode')
    if (member === undefined) continue
    made[name] = copy(member, `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, depth + 1, room)
  }
  return Object.freeze(made)
}

function refuse(path: string, expected: string): never {
  throw new NotJson(path.length > 200 ? `${path.slice(0, 200)}…` : path, expected)
}
