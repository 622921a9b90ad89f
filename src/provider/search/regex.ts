/**
 * Search by a regular expression.
 * @module
 */

import type { ListedTool } from '../../listing/index.ts'
import { compileSearchPattern, type SearchPattern } from '../../pattern/index.ts'
import { type SearchEngine, type ToolText, toolText } from './engine.ts'

/** Most steps of one search, about a second of the engine's slow way; then it answers with what it has found. */
const MAX_STEPS = 20_000_000

/** How a pattern search answers. */
export interface RegexSearchOptions {
  /**
   * Order of the hits: by where they match – name, then title or first sentence, then description, then parameters – or
   * as the catalog lists them, as the original does. Default `'place'`.
   */
  readonly order?: 'place' | 'catalog'
}

/**
 * Finds tools whose name, description or parameters match a case-insensitive pattern (no lookaround, no backreference, at most
 * 1,000 characters). An invalid pattern finds nothing; a costly one finds what about a second of work gives.
 *
 * @example
 * ```ts
 * const hits = await new RegexSearch().search('^get_', tools, 5)
 * ```
 */
export class RegexSearch implements SearchEngine {
  readonly #byPlace: boolean

  constructor({ order = 'place' }: RegexSearchOptions = {}) {
    this.#byPlace = order === 'place'
  }

  async search(query: string, tools: readonly ListedTool[], limit: number): Promise<readonly ListedTool[]> {
    const pattern = await compileSearchPattern(query)
    if (pattern === undefined) return []
    const hits: { readonly tool: ListedTool; readonly place: number }[] = []
    let certain = 0
    for (const tool of tools) {
      // What was found in bounded work is of more use than nothing.
      if (pattern.steps > MAX_STEPS || certain >= limit) break
      const text = toolText(tool)
      if (text === undefined || !pattern.test(searchedText(text))) continue
      const place = this.#byPlace ? placeOf(pattern, text) : 0
      hits.push({ tool, place })
      // Nothing later can go before a hit in the first place.
      if (place === 0) certain++
    }
    // The sort is stable: within one place the catalog's order stays.
    hits.sort((left, right) => left.place - right.place)
    return hits.slice(0, limit).map(({ tool }) => tool)
  }
}

/** One text a tool, so that a match may span its parts; the parts are those the original searches. */
const searchedText = ({ name, description, parameters }: ToolText): string =>
  [name, ...(description === '' ? [] : [description]), ...parameters].join(' ')

/** 0 name, 1 title or first sentence, 2 description, 3 parameters: the best place the pattern matches in alone. */
function placeOf(pattern: SearchPattern, { name, title, description }: ToolText): number {
  if (pattern.test(name)) return 0
  if (pattern.test(title) || pattern.test(firstSentence(description.trimStart()))) return 1
  return pattern.test(description) ? 2 : 3
}

/** Up to the first line break, or the first full stop that ends something: not the one in `v1.2`. */
function firstSentence(text: string): string {
  const end = text.search(/\n|[.!?](?:\s|$)|[。！？]/)
  return end === -1 ? text : text.slice(0, end + 1)
}
