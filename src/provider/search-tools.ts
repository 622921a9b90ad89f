/**
 * One search, from the query to the navigation list.
 * @module
 */

import type { ListedTool } from '../listing/index.ts'
import type { DiscloseTool } from './disclose.ts'
import { ProviderError, refuseOption } from './errors.ts'
import { type Navigation, navigateTools } from './navigate.ts'
import type { SearchEngine } from './search/engine.ts'

/** Hits of a search, where nothing else is said. */
const DEFAULT_LIMIT = 5

/** How to search. */
export interface SearchToolsOptions {
  /** Who finds the tools. Keep one for many searches: it may keep the index of a listing. */
  readonly engine: SearchEngine
  /** Most hits, 1 or more. Default 5. */
  readonly limit?: number | undefined
  /** How a hit is disclosed. Default `discloseTool`. */
  readonly disclose?: DiscloseTool | undefined
  /** Ends the search; handed to the engine, and heeded where the engine does not. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Searches a listing and lists manifest and summary of each hit, within 32 KiB. Of the engine's answer only elements of `tools`
 * count, each once.
 *
 * @throws {ProviderError} `option-invalid`; `search-failed`: the engine threw, or did not answer with a list; the reason of `signal`
 * when it fires
 *
 * @example
 * ```ts
 * const engine = new RankedSearch()
 * const { entries, truncated } = await searchTools('draw a chart', tools, { engine, limit: 3 })
 * ```
 */
export async function searchTools(
  query: string,
  tools: readonly ListedTool[],
  options: SearchToolsOptions,
): Promise<Navigation> {
  const { disclose } = options
  return navigateTools(await findTools(query, tools, options), disclose === undefined ? {} : { disclose })
}

/** The hits of a search: elements of `tools` only, each once. @throws {ProviderError} `option-invalid`, `search-failed` */
export async function findTools(
  query: string,
  tools: readonly ListedTool[],
  { engine, limit = DEFAULT_LIMIT, signal }: SearchToolsOptions,
): Promise<readonly ListedTool[]> {
  if (!Number.isSafeInteger(limit) || limit < 1) refuseOption('search', 'limit')
  const hits = await ask(engine, query, tools, limit, signal)
  const listed = new Set(tools)
  return [...new Set(hits)].filter((hit) => listed.has(hit)).slice(0, limit)
}

async function ask(
  engine: SearchEngine,
  query: string,
  tools: readonly ListedTool[],
  limit: number,
  signal: AbortSignal | undefined,
): Promise<readonly ListedTool[]> {
  signal?.throwIfAborted()
  let onAbort = (): void => {}
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal?.reason)
    signal?.addEventListener('abort', onAbort, { once: true })
  })
  try {
    const hits: unknown = await Promise.race([engine.search(query, tools, limit, { signal }), aborted])
    if (Array.isArray(hits)) return hits as readonly ListedTool[]
    throw new TypeError('The engine did not answer with a list')
  } catch (cause) {
    signal?.throwIfAborted()
    throw new ProviderError('search-failed', {}, 'Cannot search: the search engine failed', { cause })
  } finally {
    signal?.removeEventListener('abort', onAbort)
  }
}
