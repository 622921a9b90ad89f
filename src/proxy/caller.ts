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
/** As long as ids of sessions usually are: longer ones are hashed. */
const MAX_SESSION_LENGTH = 128

/** Who asks. */
export interface Caller {
  /** Everything the upstream can tell callers apart by, hashed. */
  readonly key: string
  /** The session alone, where there is one: what ends or changes it does so for every request of it. */
  readonly session: string | undefined
}

/**
 * By the credential, the session, the revision, and what a modern request says of its client. Undefined where a function knows its
 * callers by what comes beside the request. REQ-P-22, REQ-P-33.
 *
 * @param listing absent for what comes with a session, where no request speaks of itself
 */
export async function callerOf(exchange: Exchange, listing?: NestedListing): Promise<Caller | undefined> {
  if (exchange.isIdentifiedElsewhere) return undefined
  const { request, settings } = exchange
  const headers = upstreamHeaders(request.headers, settings)
  for (const name of OF_ONE_REQUEST) headers.delete(name)
  for (const name of [...headers.keys()]) if (name.startsWith('mcp-param-')) headers.delete(name)
  const id = headers.get('mcp-session-id')
  return {
    key: await sha256Hex(JSON.stringify([request.url, listing?.clientClaims ?? '', ...headers])),
    session: id === null ? undefined : `session ${id.length > MAX_SESSION_LENGTH ? await sha256Hex(id) : id}`,
  }
}
