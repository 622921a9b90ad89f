/**
 * The tree of a pattern, and what is read off it.
 * @module
 */

import type { Ranges } from './charset.ts'

/** One thing of a pattern. */
export type Syntax =
  /** One code point of a set. `ranges` may be too large (properties are all of Unicode), `re2` undefined where RE2 has no words. */
  | { readonly kind: 'set'; readonly ranges: Ranges; readonly re2: string | undefined }
  | { readonly kind: 'sequence'; readonly parts: readonly Syntax[] }
  | { readonly kind: 'choice'; readonly parts: readonly Syntax[] }
  | {
      readonly kind: 'repeat'
      readonly part: Syntax
      readonly min: number
      readonly max: number
      readonly lazy: boolean
    }
  | { readonly kind: 'edge'; readonly text: '^' | '$' | '\\b' | '\\B' }
  | { readonly kind: 'look'; readonly part: Syntax }
  | { readonly kind: 'backreference' }

/** True where a match can begin at the start of the text only. */
export function isAnchored(syntax: Syntax): boolean {
  if (syntax.kind === 'edge') return syntax.text === '^'
  if (syntax.kind === 'sequence') return syntax.parts[0] !== undefined && isAnchored(syntax.parts[0])
  return syntax.kind === 'choice' && syntax.parts.every(isAnchored)
}

/** Sets and edges once every repetition is written out; infinity counts as once more. */
export function expandedSize(syntax: Syntax): number {
  switch (syntax.kind) {
    case 'sequence':
    case 'choice':
      return syntax.parts.reduce((sum, part) => sum + expandedSize(part), 1)
    case 'repeat':
      return expandedSize(syntax.part) * (syntax.max === Number.POSITIVE_INFINITY ? syntax.min + 1 : syntax.max) + 1
    case 'look':
      return expandedSize(syntax.part) + 1
    default:
      return 1
  }
}

/**
 * What finds the same texts: a repetition at the end needs its least count only, since a match may end anywhere.
 */
export function withoutTail(syntax: Syntax): Syntax {
  if (syntax.kind === 'repeat') return { ...syntax, max: syntax.min }
  if (syntax.kind === 'choice') return { ...syntax, parts: syntax.parts.map(withoutTail) }
  const last = syntax.kind === 'sequence' ? syntax.parts.at(-1) : undefined
  if (syntax.kind !== 'sequence' || last === undefined) return syntax
  return { ...syntax, parts: [...syntax.parts.slice(0, -1), withoutTail(last)] }
}
