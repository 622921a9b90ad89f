/**
 * Search by words.
 * @module
 */

import type { ListedTool } from '../../listing/index.ts'
import type { SearchEngine } from './engine.ts'
import type { ListingCache } from './listing-cache.ts'
import type { RankedIndex } from './ranked-index.ts'

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
  /** Most of ranked search is its index: it is loaded with the first need. */
  #indexes: ListingCache<RankedIndex> | undefined

  async search(query: string, tools: readonly ListedTool[], limit: number): Promise<readonly ListedTool[]> {
    // The caller's array may change while something is awaited.
    const listed = [...tools]
    if (this.#indexes === undefined) {
      const { rankedIndexes } = await import('./ranked-index.ts')
      this.#indexes ??= rankedIndexes()
    }
    const index = await this.#indexes.of(listed)
    return index.search(query, limit).map((place) => listed[place] as ListedTool)
  }
}
