/**
 * The errors of this folder.
 * @module
 */

/**
 * What each code means:
 *
 * Reading text — `data.at` is a byte offset:
 * - `syntax`: not RFC 8259 JSON at this place
 * - `truncated`: the text ends inside a value
 * - `utf8`: the bytes are not UTF-8
 * - `lone-surrogate`: half of a surrogate pair, escaped or raw: it has no UTF-8
 * - `duplicate-name`: an object holds one name twice
 * - `integer-digits`: an integer of more than 4,300 digits
 * - `depth`: more than 960 levels of nesting
 * - `type`: well-formed, but another kind of value was asked for
 * - `not-canonical`: JSON, but not in the canonical spelling
 *
 * Writing values — `data.path` is a JSON Pointer (`depth`, `lone-surrogate` and `integer-digits` occur here too):
 * - `non-finite`: NaN, an infinity, or a number token beyond the range of a double
 * - `unsafe-integer`: an integer beyond 2^53 - 1 held as a number: its digits are already lost
 * - `negative-zero`: `-0`, which could mean `0` or `-0.0`
 * - `unsupported-type`: `undefined`, a function, a symbol, a hole in an array
 * - `class-instance`: an object that is neither plain nor an array
 * - `to-json`: an object that wants to be asked for another value
 * - `cycle`: an object inside itself
 * - `too-large`: the text would exceed the writer's byte bound
 */
export type JsonErrorCode =
  | 'syntax'
  | 'truncated'
  | 'utf8'
  | 'lone-surrogate'
  | 'duplicate-name'
  | 'integer-digits'
  | 'depth'
  | 'type'
  | 'not-canonical'
  | 'non-finite'
  | 'unsafe-integer'
  | 'negative-zero'
  | 'unsupported-type'
  | 'class-instance'
  | 'to-json'
  | 'cycle'
  | 'too-large'

/** Where it happened: a byte offset in a text, or a JSON Pointer into a value. */
export type JsonErrorData = { readonly at: number } | { readonly path: string }

/**
 * A JSON text that cannot be read, or a value that has no exact text.
 *
 * @example
 * ```ts
 * try {
 *   parseJsonText('{"a":1,"a":2}')
 * } catch (error) {
 *   if (JsonError.is(error)) console.log(error.code) // 'duplicate-name'
 * }
 * ```
 */
export class JsonError extends Error {
  override readonly name = 'JsonError'
  readonly code: JsonErrorCode
  readonly data: JsonErrorData

  constructor(code: JsonErrorCode, data: JsonErrorData, message: string) {
    super(message)
    this.code = code
    this.data = Object.freeze({ ...data })
  }

  /** Tells a `JsonError` from every other thrown value. */
  static is(value: unknown): value is JsonError {
    return value instanceof JsonError
  }
}

/** Throws the refusal of a text at byte `at`; `what` completes "Cannot read JSON at byte …:". */
export function refuseText(code: JsonErrorCode, at: number, what: string): never {
  throw new JsonError(code, { at }, `Cannot read JSON at byte ${at}: ${what}`)
}

/** Throws the refusal of a value at JSON Pointer `path`; `what` completes "Cannot write JSON at "…":". */
export function refuseValue(code: JsonErrorCode, path: string, what: string): never {
  const shown = path.length > 200 ? `${path.slice(0, 200)}…` : path
  throw new JsonError(code, { path }, `Cannot write JSON at "${shown}": ${what}`)
}
