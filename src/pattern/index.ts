/**
 * Regular expressions from strangers, matched in linear time.
 * @module
 */

import { type LinearPattern, loadPatternEngine, TABLE_GAIN } from './engine.ts'
import { translatePattern } from './translate.ts'

export { type LinearPattern, loadPatternEngine, type PatternEngine } from './engine.ts'

/** A compiled search pattern. */
export interface SearchPattern {
  /** True where the pattern matches anywhere in the first 65,536 UTF-16 units of the text, or fewer for a huge pattern. */
  test(text: string): boolean
  /** Work done so far, in engine steps; one million take some 50 ms at worst. */
  readonly steps: number
}

const MAX_CODE_POINTS = 1000
const MAX_TEXT = 65_536
/** Most steps of one text, and with that the longest text of a huge pattern. */
const MAX_STEPS = 20_000_000
// Words, and alternatives of words: no construct that could backtrack. Without `i`-folding surprises: k and s fold to
// U+212A and U+017F under `iu` as they do in the engine below.
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
  const translated = translatePattern(source)
  if (translated === undefined) return undefined
  // Loaded only for the patterns that need it.
  const pattern = (await loadPatternEngine()).compile(translated, { ignoreCase: true })
  return pattern === undefined ? undefined : enginePattern(pattern)
}

function nativePattern(source: string): SearchPattern {
  const native = new RegExp(source, 'iu')
  let steps = 0
  return {
    get steps() {
      return steps
    },
    test(text) {
      const searched = text.slice(0, MAX_TEXT)
      steps += searched.length / TABLE_GAIN
      return native.test(searched)
    },
  }
}

function enginePattern(pattern: LinearPattern): SearchPattern {
  const longest = Math.min(MAX_TEXT, Math.ceil(MAX_STEPS / pattern.size))
  let steps = 0
  return {
    get steps() {
      return steps
    },
    test(text) {
      const { hit, steps: taken } = pattern.run(text.slice(0, longest))
      steps += taken
      return hit
    },
  }
}
