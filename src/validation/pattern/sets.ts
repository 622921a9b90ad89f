/**
 * Escapes and bracketed classes: everything that stands for one code point.
 * @module
 */

import { ALL, DIGITS, invert, type Ranges, SPACES, union, WORDS } from './charset.ts'
import type { Syntax } from './syntax.ts'

/** A place in a pattern. */
export interface Cursor {
  readonly text: string
  at: number
}

type SetSyntax = Extract<Syntax, { kind: 'set' }>

/** A set as RE2 writes it inside brackets. */
const members = (ranges: Ranges): string => {
  let text = ''
  for (let at = 0; at < ranges.length; at += 2) {
    text += `\\x{${(ranges[at] as number).toString(16)}}-\\x{${(ranges[at + 1] as number).toString(16)}}`
  }
  return text
}

/** A set that is known exactly. RE2 has no word for the empty one. */
export const setOf = (ranges: Ranges): SetSyntax => ({
  kind: 'set',
  ranges,
  re2: ranges.length === 0 ? undefined : `[${members(ranges)}]`,
})

const CLASSES: ReadonlyMap<string, Ranges> = new Map([
  ['d', DIGITS],
  ['D', invert(DIGITS)],
  ['w', WORDS],
  ['W', invert(WORDS)],
  ['s', SPACES],
  ['S', invert(SPACES)],
])
const CONTROLS: ReadonlyMap<string, number> = new Map([
  ['t', 0x09],
  ['n', 0x0a],
  ['v', 0x0b],
  ['f', 0x0c],
  ['r', 0x0d],
  ['0', 0x00],
])
const CODE = /\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|u\{([0-9A-Fa-f]+)\}|c([A-Za-z]))/y
const LOW_HALF = /\\u(d[c-f][0-9a-f]{2})/iy
const PROPERTY = /\\([pP])\{([^}]*)\}/y
/** The general categories both engines know; `C` is not among them: RE2 leaves out what is unassigned. */
const CATEGORY = /^(?:L[ultmo]?|M[nce]?|N[dlo]?|P[cdseifo]?|S[mcko]?|Z[slp]?|Cc|Cf|Co)$/
const LONG_NAMES: ReadonlyMap<string, string> = new Map([
  ['Letter', 'L'],
  ['Uppercase_Letter', 'Lu'],
  ['Lowercase_Letter', 'Ll'],
  ['Mark', 'M'],
  ['Number', 'N'],
  ['Decimal_Number', 'Nd'],
  ['Punctuation', 'P'],
  ['Symbol', 'S'],
  ['Separator', 'Z'],
])

/** The escape at the cursor, outside brackets or inside. */
export function escapedSet(cursor: Cursor): SetSyntax | undefined {
  const item = escapeItem(cursor)
  return item === undefined ? undefined : typeof item === 'number' ? setOf([item, item]) : wrapped(item)
}

/** A property inside brackets of its own. */
const wrapped = (item: Item): SetSyntax => ({ ...item, kind: 'set', re2: item.re2 && `[${item.re2}]` })

/** Members of a class: `re2` without the brackets. */
interface Item {
  readonly ranges: Ranges
  readonly re2: string | undefined
}

const item = (ranges: Ranges): Item => ({ ranges, re2: members(ranges) })

function escapeItem(cursor: Cursor): number | Item | undefined {
  const { text, at } = cursor
  const letter = text[at + 1]
  if (letter === undefined) return undefined
  const known = CLASSES.get(letter)
  if (known !== undefined) {
    cursor.at += 2
    return item(known)
  }
  PROPERTY.lastIndex = at
  const [whole, sign, name] = PROPERTY.exec(text) ?? []
  if (whole !== undefined && name !== undefined) {
    cursor.at += whole.length
    return { ranges: ALL, re2: property(name, sign === 'P') }
  }
  CODE.lastIndex = at
  const code = CODE.exec(text)
  if (code !== null) {
    cursor.at += code[0].length
    if (code[4] !== undefined) return code[4].charCodeAt(0) % 32
    return joined(cursor, Number.parseInt((code[1] ?? code[2] ?? code[3]) as string, 16))
  }
  if (/[A-Za-z1-9]/.test(letter) && !CONTROLS.has(letter)) return undefined
  cursor.at += 2
  return CONTROLS.get(letter) ?? letter.charCodeAt(0)
}

/** Two halves written as two escapes are one code point. */
function joined(cursor: Cursor, high: number): number {
  if (high < 0xd800 || high > 0xdbff) return high
  LOW_HALF.lastIndex = cursor.at
  const low = LOW_HALF.exec(cursor.text)
  if (low === null) return high
  cursor.at += low[0].length
  return (high - 0xd800) * 0x400 + (Number.parseInt(low[1] as string, 16) - 0xdc00) + 0x10000
}

function property(name: string, negated: boolean): string | undefined {
  const letter = negated ? 'P' : 'p'
  const [key, value] = name.includes('=') ? (name.split('=') as [string, string]) : ['', name]
  if (key === 'Script' || key === 'sc') return `\\${letter}{${value}}`
  if (key !== '' && key !== 'gc' && key !== 'General_Category') return undefined
  const short = LONG_NAMES.get(value) ?? value
  return CATEGORY.test(short) ? `\\${letter}{${short}}` : undefined
}

/** The bracketed class at the cursor. */
export function classSet(cursor: Cursor): SetSyntax | undefined {
  cursor.at++
  const negated = cursor.text[cursor.at] === '^'
  if (negated) cursor.at++
  const items: Item[] = []
  let hasProperty = false
  while (cursor.text[cursor.at] !== ']') {
    const first = classItem(cursor)
    if (first === undefined) return undefined
    if (typeof first !== 'number') {
      hasProperty ||= first.ranges === ALL
      items.push(first)
      continue
    }
    const isRange = cursor.text[cursor.at] === '-' && cursor.text[cursor.at + 1] !== ']'
    if (isRange) cursor.at++
    const last = isRange ? classItem(cursor) : first
    if (typeof last !== 'number') return undefined
    items.push(item([first, last]))
  }
  cursor.at++
  if (!hasProperty) {
    const ranges = union(...items.map((one) => one.ranges))
    return setOf(negated ? invert(ranges) : ranges)
  }
  const isWritable = items.every(({ re2 }) => re2 !== undefined)
  const inner = items.map(({ re2 }) => re2).join('')
  return { kind: 'set', ranges: ALL, re2: isWritable ? `[${negated ? '^' : ''}${inner}]` : undefined }
}

function classItem(cursor: Cursor): number | Item | undefined {
  const codePoint = cursor.text.codePointAt(cursor.at)
  if (codePoint === undefined) return undefined
  if (cursor.text.startsWith('\\b', cursor.at)) {
    cursor.at += 2
    return 0x08
  }
  if (codePoint === 0x5c) return escapeItem(cursor)
  cursor.at += codePoint > 0xffff ? 2 : 1
  return codePoint
}
