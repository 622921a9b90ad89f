/**
 * Bracketed character classes.
 * @module
 */

import { type Cursor, escapeItem, hex } from './escape.ts'

const POSIX = /\[:\^?(?:alnum|alpha|ascii|blank|cntrl|digit|graph|lower|print|punct|space|upper|word|xdigit):\]/y

/** White space that verbose mode (`x`) passes over. */
export const isVerboseSpace = (char: string): boolean => /^[\s\u0085\u200e\u200f]$/.test(char) && char !== '\ufeff'

/** A class for RE2, or undefined: never closed, a bad range, or the original's nesting and set operations, which RE2 has not. */
export function translateClass(cursor: Cursor, verbose: boolean): string | undefined {
  const { text } = cursor
  const out = ['[']
  cursor.at++
  const skip = (): void => {
    while (verbose && isVerboseSpace(text[cursor.at] ?? '')) cursor.at++
  }
  skip()
  if (text[cursor.at] === '^') {
    out.push('^')
    cursor.at++
    skip()
  }
  for (let first = true; ; first = false) {
    skip()
    if (cursor.at >= text.length) return undefined
    if (text[cursor.at] === ']' && !first) {
      cursor.at++
      out.push(']')
      return out.join('')
    }
    if (isSetOperation(cursor)) return undefined
    const item = classItem(cursor)
    if (item === undefined) return undefined
    skip()
    if (typeof item === 'number' && isRange(cursor)) {
      cursor.at++
      skip()
      const last = classItem(cursor)
      if (typeof last !== 'number' || last < item) return undefined
      out.push(`${hex(item)}-${hex(last)}`)
    } else out.push(typeof item === 'number' ? hex(item) : item)
  }
}

const isRange = ({ text, at }: Cursor): boolean => text[at] === '-' && text[at + 1] !== ']' && text[at + 1] !== '-'

const isSetOperation = ({ text, at }: Cursor): boolean => /^(?:&&|--|~~)/.test(text.slice(at, at + 2))

function classItem(cursor: Cursor): number | string | undefined {
  const { text, at } = cursor
  const char = text[at]
  if (char === '\\') return escapeItem(cursor)
  if (char === '[') {
    POSIX.lastIndex = at
    const posix = POSIX.exec(text)
    if (posix === null) return undefined
    cursor.at += posix[0].length
    return posix[0]
  }
  const codePoint = text.codePointAt(at)
  if (codePoint === undefined) return undefined
  cursor.at += codePoint > 0xffff ? 2 : 1
  return codePoint
}
