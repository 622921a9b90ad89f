/**
 * Regular expressions from strangers, matched in linear time.
 * @module
 */

import { requiredWords } from './required.ts'
import { translatePattern } from './translate.ts'

/** A compiled search pattern. */
export interface SearchPattern {
  /** True where the pattern matches anywhere in the first 65,536 UTF-16 units of the text, or fewer for a huge pattern. */
  test(text: string): boolean
  /** Work done so far, in engine steps; one million take some 50 ms at worst. */
  readonly steps: number
}

const MAX_CODE_POINTS = 1000
/** UTF-16 units of a text that are searched. */
export const MAX_SEARCHED = 65_536
/** Most steps of one text, and with that the longest text of a huge pattern. */
const MAX_STEPS = 20_000_000
// Words, and alternatives of words: no construct that could backtrack. Without `i`-folding surprises: k and s fold to
// U+212A and U+017F under `iu` as they do in the engine below.
const HARMLESS = /^[A-Za-z0-9_ -]+(?:\|[A-Za-z0-9_ -]+)*$/
/** A step of the engine's table of states, which it prefers, against one of its slow way. */
const TABLE_GAIN = 50

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
  const { RE2JS } = await import('re2js')
  try {
    return enginePattern(RE2JS.compile(translated, RE2JS.CASE_INSENSITIVE), requiredWords(source))
  } catch {
    return undefined
  }
}

function nativePattern(source: string): SearchPattern {
  const native = new RegExp(source, 'iu')
  let steps = 0
  return {
    get steps() {
      return steps
    },
    test(text) {
      const searched = text.slice(0, MAX_SEARCHED)
      steps += searched.length / TABLE_GAIN
      return native.test(searched)
    },
  }
}

/** What is used of the engine's compiled pattern. */
interface Engine {
  test(text: string): boolean
  programSize(): number
  reset(): void
  re2(): { readonly machinePool: readonly unknown[] }
}

function enginePattern(engine: Engine, required: readonly string[] | undefined): SearchPattern {
  const filter = required === undefined ? undefined : nativePattern(required.join('|'))
  const size = engine.programSize()
  const longest = Math.min(MAX_SEARCHED, Math.ceil(MAX_STEPS / size))
  let steps = 0
  return {
    get steps() {
      return steps + (filter?.steps ?? 0)
    },
    test(text) {
      const searched = text.slice(0, longest)
      // Most texts of a catalog lack every word that the pattern asks for.
      if (filter?.test(searched) === false) return false
      const hit = engine.test(searched)
      // The slow way leaves its machine in the pool: the only sign that the table of states was given up.
      const wasSlow = engine.re2().machinePool.length > 0
      engine.reset()
      steps += (searched.length * size) / (wasSlow ? 1 : TABLE_GAIN)
      return hit
    },
  }
}
