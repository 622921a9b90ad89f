/**
 * Backslash escapes, in the original's Unicode reading.
 * @module
 */

/** A place in a pattern. */
export interface Cursor {
  readonly text: string
  at: number
  /** Code points that classes may still span: the engine folds the case of each one. */
  room: number
}

const DIGIT = '\\p{Nd}'
const WORD = '\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\x{200c}\\x{200d}'
const SPACE =
  '\\x{9}-\\x{d}\\x{20}\\x{85}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}'
const NOT_SPACE =
  '\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{84}\\x{86}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}' +
  '\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{10ffff}'

/** What stands for a class escape inside brackets. RE2 cannot put "no Unicode word character" there: its own ASCII one stands. */
const IN_BRACKETS: Readonly<Record<string, string>> = {
  d: DIGIT,
  D: '\\P{Nd}',
  w: WORD,
  W: '\\W',
  s: SPACE,
  S: NOT_SPACE,
}
const CONTROLS: Readonly<Record<string, number>> = { a: 0x07, f: 0x0c, n: 0x0a, r: 0x0d, t: 0x09, v: 0x0b }
const HEX_LENGTH: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 }
const BRACED_HEX = /\{([0-9A-Fa-f]{1,8})\}/y
const BRACED_NAME = /\{([A-Za-z_ -]+(?:=[A-Za-z_ -]+)?)\}/y
/** Long names of general categories; RE2 knows the short ones. */
const CATEGORIES: Readonly<Record<string, string>> = {
  letter: 'L',
  uppercaseletter: 'Lu',
  lowercaseletter: 'Ll',
  titlecaseletter: 'Lt',
  modifierletter: 'Lm',
  otherletter: 'Lo',
  mark: 'M',
  number: 'N',
  decimalnumber: 'Nd',
  letternumber: 'Nl',
  othernumber: 'No',
  punctuation: 'P',
  connectorpunctuation: 'Pc',
  dashpunctuation: 'Pd',
  symbol: 'S',
  mathsymbol: 'Sm',
  currencysymbol: 'Sc',
  separator: 'Z',
  spaceseparator: 'Zs',
  control: 'Cc',
  format: 'Cf',
}

/** An escape outside brackets, for RE2; undefined where there is none of this spelling. */
export function translateEscape(cursor: Cursor): string | undefined {
  const letter = cursor.text[cursor.at + 1]
  if (letter === 'A' || letter === 'z' || letter === 'b' || letter === 'B') {
    cursor.at += 2
    // `\b{start}` and the like: not known to RE2.
    return cursor.text[cursor.at] === '{' && letter === 'b' ? undefined : `\\${letter}`
  }
  if (letter === 'W') {
    cursor.at += 2
    return `[^${WORD}]`
  }
  const item = escapeItem(cursor)
  return item === undefined ? undefined : typeof item === 'number' ? hex(item) : `[${item}]`
}

/** An escape that stands for one code point (a number) or for a set of them (what RE2 takes inside brackets). */
export function escapeItem(cursor: Cursor): number | string | undefined {
  const { text, at } = cursor
  const letter = text[at + 1]
  if (letter === undefined) return undefined
  cursor.at = at + 2
  if (Object.hasOwn(IN_BRACKETS, letter)) return IN_BRACKETS[letter]
  if (Object.hasOwn(CONTROLS, letter)) return CONTROLS[letter]
  if (Object.hasOwn(HEX_LENGTH, letter)) return hexValue(cursor, HEX_LENGTH[letter] as number)
  if (letter === 'p' || letter === 'P') return property(cursor, letter)
  // Any ASCII character may be escaped but letters, digits and the two that mean word boundaries.
  const isEscapable = letter < '\u0080' && !/[A-Za-z0-9<>]/.test(letter)
  return isEscapable ? letter.charCodeAt(0) : undefined
}

/** A code point as RE2 takes it anywhere. */
export const hex = (codePoint: number): string => `\\x{${codePoint.toString(16)}}`

function hexValue(cursor: Cursor, length: number): number | undefined {
  const { text, at } = cursor
  BRACED_HEX.lastIndex = at
  const digits = BRACED_HEX.exec(text)?.[1] ?? text.slice(at, at + length)
  const braced = text[at] === '{'
  if (!braced && !/^[0-9A-Fa-f]+$/.test(digits)) return undefined
  if (!braced && digits.length !== length) return undefined
  const value = Number.parseInt(digits, 16)
  if (!(value <= 0x10ffff) || (value >= 0xd800 && value <= 0xdfff)) return undefined
  cursor.at = at + (braced ? digits.length + 2 : length)
  return value
}

function property(cursor: Cursor, letter: 'p' | 'P'): string | undefined {
  const { text, at } = cursor
  const short = text[at] ?? ''
  if (/^[A-Za-z]$/.test(short)) {
    cursor.at = at + 1
    return `\\${letter}{${short}}`
  }
  BRACED_NAME.lastIndex = at
  const [whole, name] = BRACED_NAME.exec(text) ?? []
  if (whole === undefined || name === undefined) return undefined
  cursor.at = at + whole.length
  const [kind, value] = name.includes('=') ? (name.split('=') as [string, string]) : ['', name]
  if (!/^(?:|gc|sc|script|general_category)$/i.test(kind)) return undefined
  const loose = value.toLowerCase().replace(/[_ -]/g, '')
  return `\\${letter}{${Object.hasOwn(CATEGORIES, loose) ? CATEGORIES[loose] : value}}`
}
