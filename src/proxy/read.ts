/**
 * Row 16: reads of our own URIs, answered against the upstream's catalog as this caller sees it now. REQ-P-23.
 * @module
 */

import { parseSchemaUri } from '../core/index.ts'
import { hasOwnManifest } from '../provider/entry.ts'
import { ProviderError } from '../provider/errors.ts'
import { type FindTool, readSchemaUri } from '../provider/read.ts'
import type { CatalogMemory } from './catalog.ts'
import type { RpcRequest } from './classify.ts'
import type { Exchange } from './exchange.ts'
import { NestedListing } from './nested.ts'
import { resourceNotFound } from './resources.ts'
import { ownResult } from './results.ts'
import { jsonResponse } from './rpc.ts'

/** Undefined where the upstream's own manifest stands: then the read is its business. */
export async function answerRead(
  exchange: Exchange,
  request: RpcRequest,
  uri: string,
  memory: CatalogMemory,
): Promise<Response | undefined> {
  const listing = new NestedListing(exchange, request)
  let own = false
  const read = (find: FindTool) =>
    readSchemaUri(
      uri,
      async (matches) => {
        const tool = await find(matches)
        own = tool !== undefined && hasOwnManifest(tool)
        return own ? undefined : tool
      },
      { disclose: memory.disclose },
    )
  const readNow = async () => {
    try {
      return await read((matches) => memory.findInWindow(exchange, listing, matches))
    } catch (error) {
      // Whatever the window does not hold, another digest too, is judged live.
      if (!ProviderError.is(error) || own) throw error
      return read((matches) => memory.findForReads(exchange, listing, matches))
    }
  }
  try {
    // A malformed URI is refused only to those whom the upstream lets list.
    if (parseSchemaUri(uri) === undefined) await memory.find(exchange, listing, () => true)
    const content = JSON.stringify(await readNow())
    return ownResult(request, `"contents":[${content}]`, { source: listing, isKept: true })
  } catch (error) {
    if (!ProviderError.is(error)) throw error
    return own ? undefined : jsonResponse(resourceNotFound(request, uri), 200, listing.headers)
  }
}
