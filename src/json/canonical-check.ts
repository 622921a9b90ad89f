/**
 * Is a text canonical? Decided in one pass over the bytes, without building anything.
 * @module
 */

import { MAX_DEPTH, MAX_INTEGER_DIGITS } from './bounds.ts'
import {
  ARRAY_START,
  asciiText,
  BACKSLASH,
  COLON,
  COMMA,
  DOT,
  decodeUtf8,
  isDigit,
  LOWER_E,
  LOWER_U,
  MINUS,
  OBJECT_START,
  QUOTE,
  ZERO,
} from './bytes.ts'
import { compareCodePoints } from './code-points.ts'
import { JsonError, refuseText } from './errors.ts'
import { canonicalFloat } from './number.ts'

/**
 * True where `bytes` are exactly one value in the canonical form: what `canonicalizeJsonText` would give for them.
 *
 * @example
 * ```ts
 * isCanonical(new TextEncoder().encode('{"a":1,"b":1.0}')) // true
 * isCanonical(new TextEncoder().encode('{"b":1, "a":1}')) // false
 * ```
 */
export function isCanonical(bytes: Uint8Array): boolean {
  if (!(bytes instanceof Uint8Array)) return false
  try {
    if (canonicalEnd(bytes, 0) !== bytes.length) return false
    decodeUtf8(bytes)
    return true
  } catch (error) {
    if (JsonError.is(error) || error instanceof TypeError) return false
    throw error
  }
}

/** What a check notes beside its verdict. */
export interface CanonicalNotes {
  /** A member's name is written with an escape. */
  hasEscapedName: boolean
}

/**
 * Passes the canonical value that starts at `start` and returns the offset behind it. The bytes must be UTF-8; that is not
 * checked here. Iterative, linear in time.
 *
 * @throws {JsonError} `not-canonical`, `depth`
 */
export function canonicalEnd(bytes: Uint8Array, start: number, notes?: CanonicalNotes): number {
  const kinds = new Uint8Array(MAX_DEPTH + 1)
  // Where the previous name of each open object starts and ends: names must increase.
  const nameStarts = new Int32Array(MAX_DEPTH + 1)
  const nameEnds = new Int32Array(MAX_DEPTH + 1)
  let depth = 0
  let at = start
  // True where a member's name must come next: behind `{` or behind a comma inside an object.
  let nameNext = false
  let isFirstName = false

  for (;;) {
    if (nameNext) {
      const end = bytes[at] === QUOTE ? nameEnd(bytes, at, notes) : notCanonical(at)
      if (!isFirstName && !nameBefore(bytes, nameStarts[depth] as number, nameEnds[depth] as number, at, end)) {
        notCanonical(at)
      }
      nameStarts[depth] = at
      nameEnds[depth] = end
      at = bytes[end] === COLON ? end + 1 : notCanonical(end)
      nameNext = false
    }
    const byte = bytes[at] as number
    if (byte === OBJECT_START || byte === ARRAY_START) {
      if (depth >= MAX_DEPTH) refuseText('depth', at, `more than ${MAX_DEPTH} levels`)
      kinds[++depth] = byte
      at++
      if (bytes[at] !== byte + 2) {
        nameNext = byte === OBJECT_START
        isFirstName = true
        continue
      }
      at++
      depth--
    } else at = scalarEnd(bytes, at, byte)
    for (;;) {
      if (depth === 0) return at
      const separator = bytes[at++]
      const kind = kinds[depth] as number
      if (separator === COMMA) {
        nameNext = kind === OBJECT_START
        isFirstName = false
        break
      }
      if (separator !== kind + 2) notCanonical(at - 1)
      depth--
    }
  }
}

function notCanonical(at: number): never {
  return refuseText('not-canonical', at, 'not the canonical spelling')
}

function scalarEnd(bytes: Uint8Array, at: number, byte: number): number {
  if (byte === QUOTE) return stringEnd(bytes, at)
  if (byte === MINUS || isDigit(byte)) return numberEnd(bytes, at)
  const word = byte === 0x74 ? 'true' : byte === 0x66 ? 'false' : byte === 0x6e ? 'null' : notCanonical(at)
  for (let index = 1; index < word.length; index++) {
    if (bytes[at + index] !== word.charCodeAt(index)) notCanonical(at)
  }
  return at + word.length
}

/** 1 for the bytes that stand for themselves in a canonical string: all but the controls, `"` and `\\`. */
const STANDS_FOR_ITSELF = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x20 && byte !== QUOTE && byte !== BACKSLASH ? 1 : 0,
)

/** Canonical strings escape `"`, `\\` and the controls only, each in its shortest form. */
function stringEnd(bytes: Uint8Array, start: number): number {
  let at = start + 1
  for (;;) {
    while (STANDS_FOR_ITSELF[bytes[at] as number] === 1) at++
    const byte = bytes[at]
    if (byte === QUOTE) return at + 1
    // A control, or the end of the bytes inside the string.
    if (byte !== BACKSLASH) notCanonical(at)
    at += escapeWidth(bytes, at)
  }
}

function nameEnd(bytes: Uint8Array, start: number, notes: CanonicalNotes | undefined): number {
  let at = start + 1
  while (STANDS_FOR_ITSELF[bytes[at] as number] === 1) at++
  if (bytes[at] === QUOTE) return at + 1
  if (notes !== undefined) notes.hasEscapedName = true
  return stringEnd(bytes, start)
}

function escapeWidth(bytes: Uint8Array, at: number): number {
  const letter = bytes[at + 1]
  if (letter !== LOWER_U) return SHORT_ESCAPES.has(letter) ? 2 : notCanonical(at)
  if (bytes[at + 2] !== ZERO || bytes[at + 3] !== ZERO) notCanonical(at)
  const code = hexDigit(bytes[at + 4]) * 16 + hexDigit(bytes[at + 5])
  // Controls that have a short escape of their own are not spelled so.
  return code < 0x20 && !'\b\t\n\f\r'.includes(String.fromCharCode(code)) ? 6 : notCanonical(at)
}

// " \ b f n r t; an escaped slash is not canonical
const SHORT_ESCAPES = new Set<number | undefined>([QUOTE, BACKSLASH, 0x62, 0x66, 0x6e, 0x72, 0x74])

/** The value of a lower-case hex digit; NaN for anything else, which no comparison lets pass. */
function hexDigit(byte: number | undefined): number {
  if (byte === undefined) return Number.NaN
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  return byte >= 0x61 && byte <= 0x66 ? byte - 0x57 : Number.NaN
}

/** Code-point order of two canonical string tokens. UTF-8 order is code-point order, so unescaped bytes decide. */
function nameBefore(bytes: Uint8Array, start: number, end: number, otherStart: number, otherEnd: number): boolean {
  let left = start + 1
  let right = otherStart + 1
  for (; left < end - 1 && right < otherEnd - 1; left++, right++) {
    const leftByte = bytes[left] as number
    const rightByte = bytes[right] as number
    if (leftByte === BACKSLASH || rightByte === BACKSLASH) {
      return compareCodePoints(stringOf(bytes, start, end), stringOf(bytes, otherStart, otherEnd)) < 0
    }
    if (leftByte !== rightByte) return leftByte < rightByte
  }
  return left >= end - 1 && right < otherEnd - 1
}

/** The string a token stands for. Names with escapes are rare. */
const stringOf = (bytes: Uint8Array, start: number, end: number): string =>
  JSON.parse(decodeUtf8(bytes.subarray(start, end))) as string

function numberEnd(bytes: Uint8Array, start: number): number {
  let at = bytes[start] === MINUS ? start + 1 : start
  const first = at
  while (isDigit(bytes[at])) at++
  const next = bytes[at]
  if (next !== DOT && (next === undefined || (next | 0x20) !== LOWER_E)) {
    const digits = at - first
    const leadingZero = bytes[first] === ZERO && (digits > 1 || first > start)
    if (digits === 0 || leadingZero || digits > MAX_INTEGER_DIGITS) notCanonical(start)
    return at
  }
  while (isNumberByte(bytes[at])) at++
  // The longest canonical double is 24 characters; a longer run needs no conversion to be refused.
  if (at - start > 32) notCanonical(start)
  const token = asciiText(bytes, start, at)
  const value = Number(token)
  if (!Number.isFinite(value) || canonicalFloat(value) !== token) notCanonical(start)
  return at
}

// digits, dot, signs, e; an upper-case E is not canonical and fails in the comparison
function isNumberByte(byte: number | undefined): boolean {
  return isDigit(byte) || byte === DOT || byte === MINUS || byte === 0x2b || byte === LOWER_E || byte === 0x45
}
