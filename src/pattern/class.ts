/**
 * Bracketed character classes.
 * @module
 */

import { type Cursor, escapeItem, hex } from './escape.ts'

const POSIX = /\[:\^?(?:alnum|alpha|ascii|blank|cntrl|digit|graph|lower|print|punct|space|upper|word|xdigit):\]/y

const ALL = 0x110000

/** White space that verbose mode (`x`) passes over. */
export const isVerboseSpace = (char: string): boolean => /^[\s\u0085\u200e\u200f]$/.test(char) && char !== '\ufeff'

/** A class for RE2, or undefined: never closed, a bad range, or the original's nesting and set operations, which RE2 has not. */
export function translateClass(cursor: Cursor, verbose: boolean): string | undefined {
  const { text } = cursor
  const items = new Set<string>()
  let open = '['
  cursor.at++
  const skip = (): void => {
    while (verbose && isVerboseSpace(text[cursor.at] ?? '')) cursor.at++
  }
  const add = (item: string, span: number): void => {
    if (!items.has(item)) cursor.room -= span
    items.add(item)
  }
  skip()
  if (text[cursor.at] === '^') {
    open = '[^'
    cursor.at++
    skip()
  }
  for (let first = true; ; first = false) {
    skip()
    if (cursor.at >= text.length) return undefined
    if (text[cursor.at] === ']' && !first) {
      cursor.at++
      return cursor.room < 0 ? undefined : `${open}${[...items].join('')}]`
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
      add(`${hex(item)}-${hex(last)}`, last - item)
    } else if (typeof item === 'number') add(hex(item), 1)
    // Any escape may stand for nearly all there is.
    else add(item, ALL)
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
