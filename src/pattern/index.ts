/**
 * Regular expressions from strangers, matched in linear time.
 * @module
 */

import { nativePattern, type SearchPattern } from './search-pattern.ts'

export { type LinearPattern, loadPatternEngine, type PatternEngine } from './engine.ts'
export { MAX_SEARCHED, type SearchPattern } from './search-pattern.ts'

const MAX_CODE_POINTS = 1000
// Without `i`-folding surprises: k and s fold to U+212A and U+017F under `iu` as they do in the engine.
const HARMLESS = /^[A-Za-z0-9_ -]+(?:\|[A-Za-z0-9_ -]+)*$/

/**
 * Compiles a caller's search pattern: case-insensitive, in the dialect of Rust's `regex`, matched by RE2; no lookaround, no
 * backreference. Gives `undefined` where it is invalid, unsupported, too big or longer than 1,000 code points: such a pattern
 * finds nothing.
 *
 * @example
 * ```ts
 * const pattern = await compileSearchPattern('^get_(user|team)$')
 * pattern?.test('get_user') // true
 * ```
 */
export async function compileSearchPattern(source: string): Promise<SearchPattern | undefined> {
  // A code point is one or two units, so the cheap test comes first.
  if (source.length > MAX_CODE_POINTS * 2 || !source.isWellFormed()) return undefined
  if ([...source].length > MAX_CODE_POINTS) return undefined
  if (HARMLESS.test(source)) return nativePattern(source)
  const { compileTranslated } = await import('./translated.ts')
  return compileTranslated(source)
}
