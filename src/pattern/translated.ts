/**
 * Search patterns for the engine: loaded with it, only when a pattern needs it.
 * @module
 */

import { type LinearPattern, loadPatternEngine } from './engine.ts'
import { requiredWords } from './required.ts'
import { MAX_SEARCHED, nativePattern, type SearchPattern } from './search-pattern.ts'
import { translatePattern } from './translate.ts'

/** Most steps of one text, and with that the longest text of a huge pattern. */
const MAX_STEPS = 20_000_000

/** The pattern in the engine; undefined where it is invalid, unsupported or too big. */
export async function compileTranslated(source: string): Promise<SearchPattern | undefined> {
  const translated = translatePattern(source)
  if (translated === undefined) return undefined
  const pattern = (await loadPatternEngine()).compile(translated, { ignoreCase: true })
  return pattern === undefined ? undefined : enginePattern(pattern, requiredWords(source))
}

function enginePattern(pattern: LinearPattern, required: readonly string[] | undefined): SearchPattern {
  const filter = required === undefined ? undefined : nativePattern(required.join('|'))
  const longest = Math.min(MAX_SEARCHED, Math.ceil(MAX_STEPS / pattern.size))
  let steps = 0
  return {
    get steps() {
      return steps + (filter?.steps ?? 0)
    },
    test(text) {
      const searched = text.slice(0, longest)
      // Most texts of a catalog lack every word that the pattern asks for.
      if (filter?.test(searched) === false) return false
      const { hit, steps: taken } = pattern.run(searched)
      steps += taken
      return hit
    },
  }
}
