/**
 * Row 8: `search_tools` lists upstream as this caller and answers navigation.
 * @module
 */

import { parseJsonText } from '../json/index.ts'
import type { ListedTool } from '../listing/index.ts'
import { distinctTools } from '../provider/distinct.ts'
import { ProviderError } from '../provider/errors.ts'
import type { Navigation } from '../provider/navigate.ts'
import { readSearchArguments, type SearchArguments } from '../provider/search-arguments.ts'
import { searchTools } from '../provider/search-tools.ts'
import type { CatalogMemory } from './catalog.ts'
import type { RpcRequest } from './classify.ts'
import type { Exchange } from './exchange.ts'
import { NestedListing } from './nested.ts'
import { ownResult, toolError } from './results.ts'
import { unreadableArguments } from './rpc.ts'

type Asked = Exclude<SearchArguments, { readonly problem: string }>

/** @throws {JsonError} where a name occurs twice */
function askedOf(request: RpcRequest): SearchArguments {
  const place = request.params.get('arguments')
  return readSearchArguments(place === undefined ? {} : parseJsonText(request.bytes.subarray(place.start, place.end)))
}

export async function answerSearch(exchange: Exchange, request: RpcRequest, memory: CatalogMemory): Promise<Response> {
  let asked: SearchArguments
  try {
    asked = askedOf(request)
  } catch (error) {
    return unreadableArguments(request.id, error)
  }
  const { searchTool } = exchange.settings
  if ('problem' in asked) return toolError(request, `Cannot search with ${searchTool}: ${asked.problem}`)
  const listing = new NestedListing(exchange, request)
  const { tools } = await distinctTools((await memory.list(exchange, listing)).tools)
  const found = await search(exchange, asked, tools, memory)
  if (found === undefined) {
    return toolError(request, `Cannot search with ${searchTool}: its engine for ${asked.engine} failed`, listing)
  }
  const { text, truncated, omitted, entries } = found
  const structured = `{"result":${text},"truncated":${truncated},"omitted":${omitted}}`
  const content = entries.length === 0 ? '[]' : `[{"type":"text","text":${JSON.stringify(structured)}}]`
  return ownResult(request, `"content":${content},"structuredContent":${structured}`, { source: listing })
}

/** Undefined where the engine fails or takes too long: it may be somebody else's, and what it says could hold anything. */
async function search(
  { signal, settings }: Exchange,
  { engine, text, limit }: Asked,
  tools: readonly ListedTool[],
  { disclose }: CatalogMemory,
): Promise<Navigation | undefined> {
  const stop = new AbortController()
  const giveUp = (): void => stop.abort(signal.reason)
  const timer = setTimeout(giveUp, settings.timeoutMs)
  signal.addEventListener('abort', giveUp, { once: true })
  try {
    return await searchTools(text, tools, { engine: settings.engines[engine], limit, disclose, signal: stop.signal })
  } catch (error) {
    signal.throwIfAborted()
    if (ProviderError.is(error) || stop.signal.aborted) return undefined
    throw error
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', giveUp)
  }
}
