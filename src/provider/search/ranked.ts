/**
 * Search by words.
 * @module
 */

import MiniSearch from 'minisearch'
import type { ListedTool } from '../../listing/index.ts'
import { type SearchEngine, toolText } from './engine.ts'

const MAX_QUERY = 1000
// Between a lower-case letter or digit and a capital: camelCase.
const CAMEL = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})/gu
const WORD = /[\p{L}\p{N}]+/gu

/** Words of identifiers and prose alike: `get_userName` is get, user, name. */
const tokenize = (text: string): string[] => text.replaceAll(CAMEL, ' ').match(WORD) ?? []

/**
 * Ranks tools by the words they share with a need: full-text search over name, title, description and parameters.
 *
 * @example
 * ```ts
 * const hits = await new RankedSearch().search('render a chart', tools, 5)
 * ```
 */
export class RankedSearch implements SearchEngine {
  async search(query: string, tools: readonly ListedTool[], limit: number): Promise<readonly ListedTool[]> {
    const index = new MiniSearch<{ id: number; name: string; title: string; description: string; parameters: string }>({
      fields: ['name', 'title', 'description', 'parameters'],
      tokenize,
    })
    for (const [id, tool] of tools.entries()) {
      const text = toolText(tool)
      if (text !== undefined) index.add({ id, ...text, parameters: text.parameters.join(' ') })
    }
    const hits = index.search(query.slice(0, MAX_QUERY))
    return hits.slice(0, limit).map(({ id }) => tools[id as number] as ListedTool)
  }
}
