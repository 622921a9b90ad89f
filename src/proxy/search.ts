/**
 * Row 8: `search_tools` lists upstream as this caller and answers navigation.
 * @module
 */

import { parseJsonText } from '../json/index.ts'
import type { ListedTool } from '../listing/index.ts'
import { distinctTools, type Navigation, ProviderError, searchTools } from '../provider/index.ts'
import type { CatalogMemory } from './catalog.ts'
import type { RpcRequest } from './classify.ts'
import type { Exchange } from './exchange.ts'
import { NestedListing } from './nested.ts'
import { jsonResponse, resultMessage, toolError, unreadableArguments } from './rpc.ts'

const DEFAULT_LIMIT = 5
const MAX_LIMIT = 20

/** What the search tool was asked, or what is wrong with it. */
export type SearchArguments = Asked | { readonly problem: string }

interface Asked {
  readonly engine: 'query' | 'pattern'
  readonly text: string
  readonly limit: number
}

/** REQ-P-28: arguments as the listed schema says, nothing coerced. @throws {JsonError} where a name occurs twice */
export function readSearchArguments(request: RpcRequest): SearchArguments {
  const place = request.params.get('arguments')
  const value = place === undefined ? {} : parseJsonText(request.bytes.subarray(place.start, place.end))
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { problem: 'arguments is not an object' }
  const { query, pattern, limit = DEFAULT_LIMIT, ...others } = value as { [name: string]: unknown }
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) return { problem: `"${unknown.slice(0, 100)}" is not an argument` }
  if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    return { problem: `limit is not an integer from 1 to ${MAX_LIMIT}` }
  }
  if ((query === undefined) === (pattern === undefined)) return { problem: 'give exactly one of query and pattern' }
  const engine = query === undefined ? 'pattern' : 'query'
  const text = query ?? pattern
  return typeof text === 'string' ? { engine, text, limit } : { problem: `${engine} is not a string` }
}

export async function answerSearch(exchange: Exchange, request: RpcRequest, memory: CatalogMemory): Promise<Response> {
  const { id } = request
  let asked: SearchArguments
  try {
    asked = readSearchArguments(request)
  } catch (error) {
    return unreadableArguments(id, error)
  }
  const { searchTool } = exchange.settings
  if ('problem' in asked)
    return jsonResponse(resultMessage(id, toolError(`Cannot search with ${searchTool}: ${asked.problem}`)))
  const listing = new NestedListing(exchange, id)
  const { tools } = await distinctTools((await memory.list(exchange, listing)).tools)
  const found = await search(exchange, asked, tools, memory)
  if (found === undefined) {
    const problem = `Cannot search with ${searchTool}: its engine for ${asked.engine} failed`
    return jsonResponse(resultMessage(id, toolError(problem)), 200, listing.headers)
  }
  const { text, truncated, omitted, entries } = found
  const structured = `{"result":${text},"truncated":${truncated},"omitted":${omitted}}`
  const content = entries.length === 0 ? '[]' : `[{"type":"text","text":${JSON.stringify(structured)}}]`
  const result = `{"content":${content},"structuredContent":${structured}}`
  return jsonResponse(resultMessage(id, result), 200, listing.headers)
}

/** Undefined where the engine fails or takes too long: it may be somebody else's, and what it says could hold anything. */
async function search(
  { request, settings }: Exchange,
  { engine, text, limit }: Asked,
  tools: readonly ListedTool[],
  { disclose }: CatalogMemory,
): Promise<Navigation | undefined> {
  const stop = new AbortController()
  const giveUp = (): void => stop.abort(request.signal.reason)
  const timer = setTimeout(giveUp, settings.timeoutMs)
  request.signal.addEventListener('abort', giveUp, { once: true })
  try {
    return await searchTools(text, tools, { engine: settings.engines[engine], limit, disclose, signal: stop.signal })
  } catch (error) {
    request.signal.throwIfAborted()
    if (ProviderError.is(error) || stop.signal.aborted) return undefined
    throw error
  } finally {
    clearTimeout(timer)
    request.signal.removeEventListener('abort', giveUp)
  }
}
