/**
 * Where the tokens of JSON end: each function checks the grammar of RFC 8259 and returns the offset behind its token.
 * @module
 */

import { MAX_INTEGER_DIGITS } from './bounds.ts'
import { asciiText, BACKSLASH, DOT, isDigit, LOWER_E, LOWER_U, MINUS, PLUS, QUOTE, ZERO } from './bytes.ts'
import { refuseText } from './errors.ts'

// " \ / b f n r t
const SHORT_ESCAPES = new Set<number | undefined>([QUOTE, BACKSLASH, 0x2f, 0x62, 0x66, 0x6e, 0x72, 0x74])

/** Length of the escape at `at`: 2, or 6 for four hex digits. */
export function escapeLength(bytes: Uint8Array, at: number, end: number): number {
  const letter = at + 1 < end ? bytes[at + 1] : undefined
  if (SHORT_ESCAPES.has(letter)) return 2
  if (letter !== LOWER_U) return refuseText(letter === undefined ? 'truncated' : 'syntax', at, 'an unknown escape')
  for (let digit = at + 2; digit < at + 6; digit++) {
    if (digit >= end) refuseText('truncated', end, 'an unknown escape')
    const hex = bytes[digit] as number
    const isHex = isDigit(hex) || ((hex | 0x20) >= 0x61 && (hex | 0x20) <= 0x66)
    if (!isHex) refuseText('syntax', digit, 'an unknown escape')
  }
  return 6
}

export function numberEnd(bytes: Uint8Array, start: number, end: number): number {
  const first = bytes[start] === MINUS ? start + 1 : start
  let at = first < end && bytes[first] === ZERO ? first + 1 : digitsEnd(bytes, first, end)
  const digits = at - first
  let isInteger = true
  if (at < end && bytes[at] === DOT) {
    isInteger = false
    at = digitsEnd(bytes, at + 1, end)
  }
  if (at < end && ((bytes[at] as number) | 0x20) === LOWER_E) {
    isInteger = false
    at++
    if (at < end && (bytes[at] === PLUS || bytes[at] === MINUS)) at++
    at = digitsEnd(bytes, at, end)
  }
  if (isInteger && digits > MAX_INTEGER_DIGITS) {
    refuseText('integer-digits', start, `an integer of ${digits} digits, at most ${MAX_INTEGER_DIGITS} are allowed`)
  }
  return at
}

function digitsEnd(bytes: Uint8Array, from: number, end: number): number {
  let at = from
  while (at < end && isDigit(bytes[at])) at++
  if (at === from) refuseText(at < end ? 'syntax' : 'truncated', at, 'expected a digit')
  return at
}

/** `true`, `false` or `null`. */
export function literalEnd(bytes: Uint8Array, start: number, limit: number): number {
  const first = bytes[start]
  const word = first === 0x74 ? 'true' : first === 0x66 ? 'false' : first === 0x6e ? 'null' : ''
  const end = start + word.length
  if (word === '') refuseText('syntax', start, 'expected a value')
  if (end > limit) refuseText('truncated', limit, 'the text ends here')
  if (asciiText(bytes, start, end) !== word) refuseText('syntax', start, `expected ${word}`)
  return end
}
