/**
 * Byte constants and small byte helpers that reader and checker share.
 * @module
 */

export const QUOTE = 0x22
export const BACKSLASH = 0x5c
export const COMMA = 0x2c
export const COLON = 0x3a
export const MINUS = 0x2d
export const PLUS = 0x2b
export const DOT = 0x2e
export const ZERO = 0x30
export const LOWER_E = 0x65
export const LOWER_U = 0x75
export const OBJECT_START = 0x7b
export const OBJECT_END = 0x7d
export const ARRAY_START = 0x5b
export const ARRAY_END = 0x5d

export const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x39

/** The text of an ASCII range: faster than a decoder for the short tokens JSON is made of. */
export function asciiText(bytes: Uint8Array, start: number, end: number): string {
  let text = ''
  for (let at = start; at < end; at++) text += String.fromCharCode(bytes[at] as number)
  return text
}

export const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** UTF-8 of a well-formed string. Callers check `isWellFormed()` first: an encoder would silently write U+FFFD. */
export const encodeUtf8 = (text: string): Uint8Array => encoder.encode(text)

/** Strict decoding: invalid bytes throw a TypeError, a leading U+FEFF is kept. */
export const decodeUtf8 = (bytes: Uint8Array): string => decoder.decode(bytes)
