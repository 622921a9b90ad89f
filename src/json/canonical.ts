/**
 * The canonical form: what Python's `json.dumps(x, sort_keys=True, separators=(",", ":"), ensure_ascii=False,
 * allow_nan=False)` gives. RFC 8785 is a different form.
 * @module
 */

import { decodeUtf8 } from './bytes.ts'
import { CanonicalWriter } from './canonical-writer.ts'
import { parseJsonText } from './parse.ts'

/**
 * The canonical text of a value. Names are sorted by code point, Unicode stays literal, numbers are spelled as Python does:
 * integral JavaScript numbers are integers; `bigint` and `JsonNumber` are exact. Of objects the own enumerable members count,
 * of arrays the elements; a value without an exact text is refused, never skipped or rounded.
 *
 * @throws {JsonError} `unsafe-integer`, `non-finite`, `negative-zero`, `lone-surrogate`, `unsupported-type`, `class-instance`,
 * `to-json`, `cycle`, `depth`, `integer-digits`, `too-large` (beyond 512 MiB), with the JSON Pointer of the place
 *
 * @example
 * ```ts
 * canonicalJson({ b: 0.00001, a: 18446744073709551615n }) // '{"a":18446744073709551615,"b":1e-05}'
 * ```
 */
export function canonicalJson(value: unknown): string {
  const writer = new CanonicalWriter()
  writer.value(value)
  return decodeUtf8(writer.bytes())
}

/**
 * The UTF-8 bytes of `canonicalJson(value)`, without making the string: what one hashes, stores or sends.
 *
 * @throws {JsonError} as `canonicalJson`
 *
 * @example
 * ```ts
 * const digest = await crypto.subtle.digest('SHA-256', canonicalJsonBytes({ type: 'object' }))
 * ```
 */
export function canonicalJsonBytes(value: unknown): Uint8Array<ArrayBuffer> {
  const writer = new CanonicalWriter()
  writer.value(value)
  return writer.bytes().slice()
}

/**
 * The canonical text of a JSON text. Exact: `1.0` stays `1.0`, integers keep every digit.
 *
 * @param text a string, or UTF-8 bytes
 * @throws {JsonError} as `parseJsonText` and `canonicalJson`
 *
 * @example
 * ```ts
 * canonicalizeJsonText('{ "b": 1.0, "a": 1E5 }') // '{"a":100000.0,"b":1.0}'
 * ```
 */
export function canonicalizeJsonText(text: string | Uint8Array): string {
  return canonicalJson(parseJsonText(text))
}
