/**
 * Search by words.
 * @module
 */

import MiniSearch from 'minisearch'
import type { ListedTool } from '../../listing/index.ts'
import { type SearchEngine, toolText } from './engine.ts'

const MAX_QUERY = 1000
/** Most UTF-16 units of one field: an index takes many times its text. */
const MAX_FIELD = 65_536
// Between a lower-case letter or digit and a capital: camelCase.
const CAMEL = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})/gu
const WORD = /[\p{L}\p{N}]+/gu

/** Words of identifiers and prose alike: `get_userName` is get, user, name. Compatibility forms are one word. */
const tokenize = (text: string): string[] => text.normalize('NFKC').replaceAll(CAMEL, ' ').match(WORD) ?? []

/** Case folding in full, so that `Strasse` finds `Straße`; single letters say nothing. */
function fold(word: string): string | null {
  const folded = word.toUpperCase().toLowerCase()
  return folded.length < 2 ? null : folded
}

const indexed = (text: string): string => text.slice(0, MAX_FIELD)

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
      processTerm: fold,
    })
    for (const [id, tool] of tools.entries()) {
      const text = toolText(tool)
      if (text === undefined) continue
      const { name, title, description } = text
      const parameters = text.parameters.join(' ')
      index.add({
        id,
        name: indexed(name),
        title: indexed(title),
        description: indexed(description),
        parameters: indexed(parameters),
      })
    }
    const hits = index.search(query.slice(0, MAX_QUERY))
    return hits.slice(0, limit).map(({ id }) => tools[id as number] as ListedTool)
  }
}
