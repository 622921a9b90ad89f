/**
 * The dialect of the original's engine (Rust's `regex`) written for RE2. Where the two read one spelling differently, the
 * original's reading holds; what RE2 cannot say is refused.
 * @module
 */

import { isVerboseSpace, translateClass } from './class.ts'
import { type Cursor, translateEscape } from './escape.ts'

interface Group {
  /** Where the group's text starts in the output. */
  readonly start: number
  /** Verbose mode outside the group. */
  readonly verbose: boolean
}

// Digits only before the comma: `{,3}` is no repetition.
const COUNTED = /\{\s*(\d+)\s*(?:(,)\s*(\d*)\s*)?\}/y
const NAMED = /\(\?P?<[A-Za-z_][A-Za-z0-9_]*>/y
const FLAGS = /\(\?([a-zA-Z-]*)([:)])/y
/** Code points that all classes of a pattern may span together: some 150 ms of the engine's folding. */
const MAX_SPAN = 20_000_000
const MAX_FLAG = /^[imsUux]*(?:-[imsUx]+)?$/

/** The pattern for RE2, or undefined where the original's engine refuses it or RE2 has no words for it. */
export function translatePattern(text: string): string | undefined {
  const cursor: Cursor = { text, at: 0, room: MAX_SPAN }
  const out: string[] = []
  const groups: Group[] = []
  let verbose = false
  /** Where in the output the thing stands that a repetition would repeat; -1 where there is none. */
  let atom = -1
  let repeated = false

  const emit = (piece: string): void => {
    atom = out.length
    repeated = false
    out.push(piece)
  }
  const repeat = (operator: string, length: number): boolean => {
    if (atom === -1) return false
    // A repetition of a repetition: RE2 wants it in a group.
    if (repeated) {
      out.splice(atom, 0, '(?:')
      out.push(')')
    }
    cursor.at += length
    const lazy = text[cursor.at] === '?'
    if (lazy) cursor.at++
    out.push(lazy ? `${operator}?` : operator)
    repeated = true
    return true
  }

  while (cursor.at < text.length) {
    const char = String.fromCodePoint(text.codePointAt(cursor.at) as number)
    if (verbose && isVerboseSpace(char)) cursor.at++
    else if (verbose && char === '#') {
      const end = text.indexOf('\n', cursor.at)
      cursor.at = end === -1 ? text.length : end + 1
    } else if (char === '(') {
      const start = out.length
      const opened = openGroup(cursor)
      if (opened === undefined) return undefined
      out.push(opened.open)
      if (opened.isGroup) groups.push({ start, verbose })
      verbose = opened.verbose ?? verbose
      atom = -1
    } else if (char === ')') {
      const group = groups.pop()
      if (group === undefined) return undefined
      cursor.at++
      out.push(')')
      verbose = group.verbose
      atom = group.start
      repeated = false
    } else if (char === '|') {
      cursor.at++
      out.push('|')
      atom = -1
    } else if (char === '*' || char === '+' || char === '?') {
      if (!repeat(char, 1)) return undefined
    } else if (char === '{') {
      COUNTED.lastIndex = cursor.at
      const counted = COUNTED.exec(text)
      if (counted === null) return undefined
      const [whole, least, comma = '', most = ''] = counted as unknown as [string, string, string?, string?]
      if (!repeat(`{${least}${comma}${most}}`, whole.length)) return undefined
    } else if (char === '[' || char === '\\') {
      const piece = char === '[' ? translateClass(cursor, verbose) : translateEscape(cursor)
      if (piece === undefined) return undefined
      emit(piece)
    } else {
      cursor.at += char.length
      emit(char === ']' || char === '}' ? `\\${char}` : char)
    }
  }
  return groups.length === 0 ? out.join('') : undefined
}

interface Opened {
  readonly open: string
  readonly isGroup: boolean
  readonly verbose?: boolean
}

/** A group's opening, or flags for the rest of the group around. Lookaround and the like have no translation. */
function openGroup(cursor: Cursor): Opened | undefined {
  const { text, at } = cursor
  if (text[at + 1] !== '?') {
    cursor.at++
    return { open: '(', isGroup: true }
  }
  NAMED.lastIndex = at
  const named = NAMED.exec(text)
  if (named !== null) {
    cursor.at += named[0].length
    return { open: named[0].replace('(?<', '(?P<'), isGroup: true }
  }
  FLAGS.lastIndex = at
  const [whole, flags = '', end] = FLAGS.exec(text) ?? []
  if (whole === undefined || !MAX_FLAG.test(flags) || hasRepeats(flags)) return undefined
  const isGroup = end === ':'
  if (!isGroup && flags === '') return undefined
  cursor.at += whole.length
  const [on = '', off = ''] = flags.split('-')
  // Unicode is on already, verbose mode is undone here.
  const known = (letters: string): string => letters.replace(/[ux]/g, '')
  const spelled = `${known(on)}${known(off) === '' ? '' : `-${known(off)}`}`
  const open = isGroup ? `(?${spelled}:` : spelled === '' ? '' : `(?${spelled})`
  const verbose = on.includes('x') ? true : off.includes('x') ? false : undefined
  return verbose === undefined ? { open, isGroup } : { open, isGroup, verbose }
}

const hasRepeats = (flags: string): boolean => new Set(flags).size !== flags.length
