/**
 * Whose memory is whose.
 * @module
 */

import { sha256Hex } from '../core/index.ts'
import type { Exchange } from './exchange.ts'
import { upstreamHeaders } from './headers.ts'
import type { NestedListing } from './nested.ts'

/** Of no caller, but of one request. */
const OF_ONE_REQUEST = ['accept', 'content-type', 'last-event-id', 'traceparent', 'mcp-method', 'mcp-name']

/**
 * Everything the upstream can tell callers apart by, hashed: the credential, the session, the revision, and what a modern request says
 * its client can do. Undefined where a function knows its callers by what comes beside the request. REQ-P-22, REQ-P-33.
 *
 * @param listing absent for what comes with a session, where no request speaks of itself
 */
export async function callerKey(exchange: Exchange, listing?: NestedListing): Promise<string | undefined> {
  if (exchange.isIdentifiedElsewhere) return undefined
  const { request, settings } = exchange
  const headers = upstreamHeaders(request.headers, settings)
  for (const name of OF_ONE_REQUEST) headers.delete(name)
  for (const name of [...headers.keys()]) if (name.startsWith('mcp-param-')) headers.delete(name)
  return sha256Hex(JSON.stringify([request.url, listing?.clientCapabilities ?? '', ...headers]))
}
