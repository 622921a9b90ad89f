/**
 * Regular expressions from strangers, matched in linear time.
 * @module
 */

/** Where a pattern matches: the offset of its first match in UTF-16 units, or -1. */
export interface SearchPattern {
  firstMatch(text: string): number
}

const MAX_CODE_POINTS = 1000
// Words, and alternatives of words: no construct that could backtrack. Without `i`-folding surprises: k and s fold to
// U+212A and U+017F under `iu` as they do in the engine below.
const HARMLESS = /^[A-Za-z0-9_ -]+(?:\|[A-Za-z0-9_ -]+)*$/

/**
 * Compiles a caller's search pattern: RE2 syntax, case-insensitive, no lookaround, no backreference. Gives `undefined` where it
 * is invalid, unsupported, too big or longer than 1,000 characters: such a pattern finds nothing.
 *
 * @example
 * ```ts
 * const pattern = await compileSearchPattern('^get_(user|team)$')
 * pattern?.firstMatch('get_user') // 0
 * ```
 */
export async function compileSearchPattern(source: string): Promise<SearchPattern | undefined> {
  // A code point is one or two units, so the cheap test comes first.
  if (source.length > MAX_CODE_POINTS * 2 || !source.isWellFormed()) return undefined
  if ([...source].length > MAX_CODE_POINTS) return undefined
  if (HARMLESS.test(source)) {
    const native = new RegExp(source, 'iu')
    return { firstMatch: (text) => text.search(native) }
  }
  // Loaded only for the patterns that need it.
  const { RE2JS } = await import('re2js')
  try {
    const compiled = RE2JS.compile(source, RE2JS.CASE_INSENSITIVE)
    return {
      firstMatch(text) {
        const matcher = compiled.matcher(text)
        return matcher.find() ? matcher.start() : -1
      },
    }
  } catch {
    return undefined
  }
}
