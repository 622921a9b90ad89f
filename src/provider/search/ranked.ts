/**
 * Search by words.
 * @module
 */

import type { ListedTool } from '../../listing/index.ts'
import type { SearchEngine } from './engine.ts'
import { ListingCache } from './listing-cache.ts'
import { RankedIndex } from './ranked-index.ts'
import { TermReader } from './terms.ts'

/**
 * Ranks tools by the words they share with a need in prose: identifiers taken apart, the name before the first sentence before
 * the rest, down to what stands in nested schemas. Every script; and a small table knows words of one meaning in English, German,
 * French, Spanish, Portuguese, Japanese, Korean and Chinese. Ties keep the catalog's order; tools that share nothing are not found.
 *
 * The first 1,000 characters of a need are looked at. The index of a listing is kept for as long as the listing's bytes stay the
 * same: up to eight listings and 64 MiB an engine, so keep one engine for many searches.
 *
 * @example
 * ```ts
 * const engine = new RankedSearch()
 * const tools = [{ name: 'renderChart', json: new TextEncoder().encode('{"name":"renderChart","inputSchema":{}}') }]
 * const [best] = await engine.search('draw some charts', tools, 5)
 * best?.name // 'renderChart'
 * ```
 */
export class RankedSearch implements SearchEngine {
  readonly #indexes: ListingCache<RankedIndex>

  constructor() {
    const reader = new TermReader()
    this.#indexes = new ListingCache((tools) => new RankedIndex(tools, reader))
  }

  async search(query: string, tools: readonly ListedTool[], limit: number): Promise<readonly ListedTool[]> {
    const index = await this.#indexes.of(tools)
    return index.search(query, limit).map((place) => tools[place] as ListedTool)
  }
}
