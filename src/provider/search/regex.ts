/**
 * Search by a regular expression.
 * @module
 */

import type { ListedTool } from '../../listing/index.ts'
import { compileSearchPattern } from '../../pattern/index.ts'
import { type SearchEngine, type ToolText, toolText } from './engine.ts'

/** How a pattern search answers. */
export interface RegexSearchOptions {
  /**
   * Order of the hits: by where they match first – name, then title or first sentence, then description, then parameters – or
   * as the catalog lists them, as the original does. Default `'place'`.
   */
  readonly order?: 'place' | 'catalog'
}

/**
 * Finds tools whose name, description or parameters match a case-insensitive pattern (RE2 syntax, at most 1,000 characters). An
 * invalid pattern finds nothing.
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
    for (const tool of tools) {
      const text = toolText(tool)
      if (text === undefined) continue
      const at = pattern.firstMatch(searchedText(text))
      if (at === -1) continue
      hits.push({ tool, place: this.#byPlace ? placeOf(at, text) : 0 })
      if (!this.#byPlace && hits.length >= limit) break
    }
    // The sort is stable: within one place the catalog's order stays.
    hits.sort((left, right) => left.place - right.place)
    return hits.slice(0, limit).map(({ tool }) => tool)
  }
}

/** One text a tool, so that a match may span its parts; the parts are those the original searches. */
const searchedText = ({ name, description, parameters }: ToolText): string =>
  [name, ...(description === '' ? [] : [description]), ...parameters].join(' ')

/** 0 name, 1 first sentence, 2 description, 3 parameters: where the first match starts. */
function placeOf(at: number, { name, description }: ToolText): number {
  if (at < name.length) return 0
  const inDescription = at - name.length - 1
  if (inDescription >= description.length) return 3
  const stop = description.search(/[.\n!?。]/)
  return inDescription < (stop === -1 ? description.length : stop) ? 1 : 2
}
