/**
 * Answers in the form of their request's protocol revision.
 * @module
 */

import type { OpenRequest } from './connection.ts'
import { type Members, type Message, own, type RequestMessage } from './messages.ts'

/** The era without sessions says in each request which revision it is of. */
const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion'

/** The revision a request names itself: only those of the era without sessions do. */
export function namedVersion(request: RequestMessage): string | undefined {
  const version = own(own(own(request, 'params'), '_meta'), VERSION_KEY)
  return typeof version === 'string' ? version : undefined
}

/** A result in the form of the request's era. */
export const resultMessage = (request: RequestMessage, result: Members): Message => ({
  jsonrpc: '2.0',
  id: request.id,
  result: namedVersion(request) === undefined ? result : { ...result, resultType: 'complete' },
})

/** An error by its number, message and data. */
export const errorMessage = (
  request: RequestMessage,
  { code, message, data }: { readonly code: unknown; readonly message: string; readonly data?: unknown },
): Message => ({
  jsonrpc: '2.0',
  id: request.id,
  error: { code, message, ...(data === undefined ? undefined : { data }) },
})

/** A tool's error, which a model can read. */
export const toolError = (request: RequestMessage, text: string): Message =>
  resultMessage(request, { content: [{ type: 'text', text }], isError: true })

/** The protocol revision of a request, as far as it can be told. */
export const versionOf = ({ connection, message, extra }: OpenRequest): string | null =>
  namedVersion(message) ?? connection.negotiated ?? headerOf(extra, 'mcp-protocol-version') ?? null

/** A header of the HTTP request a message came in: a plain object in SDK v1, a `Request` in v2. */
function headerOf(extra: unknown, name: string): string | undefined {
  const plain = own(own(own(extra, 'requestInfo'), 'headers'), name)
  if (typeof plain === 'string') return plain
  const request = own(extra, 'request')
  return request instanceof Request ? (request.headers.get(name) ?? undefined) : undefined
}
