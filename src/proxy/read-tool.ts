/**
 * `read_schema`: what the resources say, as the answer of a tool.
 * @module
 */

import { parseJsonText } from '../json/index.ts'
import type { ListedTool } from '../listing/index.ts'
import { refusalOfCall } from '../provider/call-guard.ts'
import { type ReadArguments, readingOf, readReadArguments } from '../provider/read-schema.ts'
import type { CatalogMemory } from './catalog.ts'
import type { RpcRequest } from './classify.ts'
import type { Exchange } from './exchange.ts'
import { NestedListing } from './nested.ts'
import { ownResult, toolError } from './results.ts'
import { unreadableArguments } from './rpc.ts'

/** @throws {JsonError} where a name occurs twice */
function askedOf({ bytes, params }: RpcRequest): ReadArguments {
  const place = params.get('arguments')
  return readReadArguments(place === undefined ? undefined : parseJsonText(bytes.subarray(place.start, place.end)))
}

/** Answered as a read of a resource is: from the caller's window where it holds these very schemas, else live. */
export async function answerReadTool(
  exchange: Exchange,
  request: RpcRequest,
  memory: CatalogMemory,
): Promise<Response> {
  let asked: ReadArguments
  try {
    asked = askedOf(request)
  } catch (error) {
    return unreadableArguments(request.id, error)
  }
  const tool = exchange.settings.readTool
  if ('problem' in asked) return toolError(request, `Cannot read with ${tool}: ${asked.problem}`)
  const { name, schemaSha256, index } = asked
  const isNamed = (candidate: ListedTool): boolean => candidate.name === name
  const refusalOf = (found: ListedTool | undefined) => refusalOfCall(name, found, schemaSha256, memory.disclose)
  const listing = new NestedListing(exchange, request)
  let target = await memory.findInWindow(exchange, listing, isNamed)
  if (target === undefined || (await refusalOf(target)) !== undefined) {
    target = await memory.findForReads(exchange, listing, isNamed)
    const refusal = await refusalOf(target)
    if (refusal !== undefined) return toolError(request, refusal, listing)
  }
  const reading = await readingOf(await memory.disclose(target as ListedTool), index)
  if (reading === undefined)
    return toolError(request, `Cannot read with ${tool}: there is no fragment ${index}`, listing)
  const structured = JSON.stringify(reading)
  const content = `"content":[{"type":"text","text":${JSON.stringify(structured)}}]`
  return ownResult(request, `${content},"structuredContent":${structured}`, { source: listing })
}
