/**
 * Whole texts to values, without loss.
 * @module
 */

import { encodeUtf8 } from './bytes.ts'
import { JsonError, refuseText } from './errors.ts'
import { JsonReader } from './reader.ts'

/**
 * Reads one JSON text without loss: a number where that is exact, else a `JsonNumber`; objects have no prototype and refuse a
 * repeated name; the token `-0` is 0.
 *
 * @param text a string, or UTF-8 bytes
 * @throws {JsonError} `syntax`, `truncated`, `depth`, `utf8`, `lone-surrogate`, `duplicate-name`, `integer-digits`
 *
 * @example
 * ```ts
 * parseJsonText('{"a":1.0,"b":2}') // { a: JsonNumber('1.0'), b: 2 }
 * ```
 */
export function parseJsonText(text: string | Uint8Array): unknown {
  const reader = new JsonReader(textBytes(text))
  const value = reader.value()
  reader.end()
  return value
}

/** The bytes of a JSON text. */
function textBytes(text: string | Uint8Array): Uint8Array {
  if (typeof text === 'string') {
    if (!text.isWellFormed()) refuseText('lone-surrogate', 0, 'half of a surrogate pair has no UTF-8')
    return encodeUtf8(text)
  }
  if (text instanceof Uint8Array) return text
  throw new JsonError('type', { at: 0 }, 'Cannot read JSON: expected a string or a Uint8Array')
}
