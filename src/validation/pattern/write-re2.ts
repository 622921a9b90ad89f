/**
 * Patterns written for RE2, where that means the same.
 * @module
 */

import type { Syntax } from './syntax.ts'

/** RE2 syntax, or undefined: lookaround, backreferences, sets RE2 has no name for, and counts beyond its bound. */
export function writeRe2(syntax: Syntax): string | undefined {
  switch (syntax.kind) {
    case 'set':
      return syntax.re2
    case 'edge':
      return EDGES[syntax.text]
    case 'sequence':
    case 'choice': {
      const parts = syntax.parts.map(writeRe2)
      if (parts.includes(undefined)) return undefined
      return `(?:${parts.join(syntax.kind === 'choice' ? '|' : '')})`
    }
    case 'repeat': {
      const { min, max, lazy } = syntax
      const part = writeRe2(syntax.part)
      if (part === undefined || min > MAX_COUNT || (max !== Number.POSITIVE_INFINITY && max > MAX_COUNT))
        return undefined
      return `(?:${part}){${min},${max === Number.POSITIVE_INFINITY ? '' : max}}${lazy ? '?' : ''}`
    }
    default:
      return undefined
  }
}

const MAX_COUNT = 1000
/** Without flags, `^` and `$` mean the ends of the text in ECMA-262; RE2's `$` might allow a line end after it. */
const EDGES = { '^': '\\A', $: '\\z', '\\b': '\\b', '\\B': '\\B' } as const
