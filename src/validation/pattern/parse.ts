/**
 * ECMA-262 patterns (flag `u`) as trees. The runtime's own parser has said yes before, so what is met here is well-formed;
 * what this one does not know gives `undefined`.
 * @module
 */

import { invert, LINE_ENDS } from './charset.ts'
import { type Cursor, classSet, escapedSet, setOf } from './sets.ts'
import type { Syntax } from './syntax.ts'

const MAX_GROUPS = 100
const COUNTS = /\{(\d+)(?:(,)(\d*))?\}/y
const LOOK = /\(\?<?[=!]/y
const GROUP = /\((?:\?:|\?<[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*>)?/uy
const BACKREFERENCE = /\\(?:[1-9]\d*|k<[^>]*>)/y

/** The tree of a pattern. */
export function parsePattern(text: string): Syntax | undefined {
  const cursor: Cursor = { text, at: 0 }
  const tree = parseChoice(cursor, 0)
  return cursor.at === text.length ? tree : undefined
}

function parseChoice(cursor: Cursor, depth: number): Syntax | undefined {
  if (depth > MAX_GROUPS) return undefined
  const choices: Syntax[] = []
  let parts: Syntax[] = []
  for (;;) {
    const char = cursor.text[cursor.at]
    if (char === undefined || char === ')' || char === '|') {
      choices.push(parts.length === 1 ? (parts[0] as Syntax) : { kind: 'sequence', parts })
      parts = []
      if (char !== '|') return choices.length === 1 ? choices[0] : { kind: 'choice', parts: choices }
      cursor.at++
      continue
    }
    const atom = parseAtom(cursor, char, depth)
    if (atom === undefined) return undefined
    parts.push(parseRepeat(cursor, atom))
  }
}

/** Takes what a sticky expression matches. */
function take(cursor: Cursor, expression: RegExp): RegExpExecArray | undefined {
  expression.lastIndex = cursor.at
  const match = expression.exec(cursor.text) ?? undefined
  if (match !== undefined) cursor.at += match[0].length
  return match
}

function parseAtom(cursor: Cursor, char: string, depth: number): Syntax | undefined {
  if (char === '^' || char === '$') {
    cursor.at++
    return { kind: 'edge', text: char }
  }
  if (char === '.') {
    cursor.at++
    return setOf(invert(LINE_ENDS))
  }
  if (char === '[') return classSet(cursor)
  if (char === '\\') {
    const letter = cursor.text[cursor.at + 1]
    if (letter === 'b' || letter === 'B') {
      cursor.at += 2
      return { kind: 'edge', text: `\\${letter}` }
    }
    return take(cursor, BACKREFERENCE) === undefined ? escapedSet(cursor) : { kind: 'backreference' }
  }
  if (char === '(') {
    const isLook = take(cursor, LOOK) !== undefined
    if (!isLook) take(cursor, GROUP)
    const part = parseChoice(cursor, depth + 1)
    if (part === undefined || cursor.text[cursor.at] !== ')') return undefined
    cursor.at++
    return isLook ? { kind: 'look', part } : part
  }
  if (char === '*' || char === '+' || char === '?' || char === '{') return undefined
  const codePoint = cursor.text.codePointAt(cursor.at) as number
  cursor.at += codePoint > 0xffff ? 2 : 1
  return setOf([codePoint, codePoint])
}

function parseRepeat(cursor: Cursor, part: Syntax): Syntax {
  const char = cursor.text[cursor.at]
  let min = char === '+' ? 1 : 0
  let max = char === '?' ? 1 : Number.POSITIVE_INFINITY
  if (char === '*' || char === '+' || char === '?') cursor.at++
  else {
    const counts = take(cursor, COUNTS)
    if (counts === undefined) return part
    const [, least, comma, most] = counts
    min = Number(least)
    max = comma === undefined ? min : most === '' ? Number.POSITIVE_INFINITY : Number(most)
  }
  const lazy = cursor.text[cursor.at] === '?'
  if (lazy) cursor.at++
  return { kind: 'repeat', part, min, max, lazy }
}
