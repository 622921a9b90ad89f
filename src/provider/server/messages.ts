/**
 * JSON-RPC messages as a transport of the MCP SDK hands them on: parsed already, and not to be trusted.
 * @module
 */

/** A JSON object of unknown members. */
export type Members = { readonly [name: string]: unknown }

/** What identifies a request of one side. */
export type RequestId = string | number

/** Any message; which members it has says what it is. */
export interface Message extends Members {
  readonly jsonrpc?: unknown
  readonly id?: unknown
  readonly method?: unknown
  readonly params?: unknown
  readonly result?: unknown
  readonly error?: unknown
}

/** A message that wants an answer. */
export interface RequestMessage extends Message {
  readonly id: RequestId
  readonly method: string
}

/** Members of `_meta` that are about one request only: an inner one must not report or queue in the outer one's name. */
const OF_ONE_REQUEST = new Set(['progressToken', 'io.modelcontextprotocol/related-task'])

export const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** An own member; nothing is inherited. */
export const own = (value: unknown, name: string): unknown =>
  isMembers(value) && Object.hasOwn(value, name) ? value[name] : undefined

const isId = (value: unknown): value is RequestId => typeof value === 'string' || typeof value === 'number'

export const isRequest = (message: Message): message is RequestMessage =>
  isId(own(message, 'id')) && typeof own(message, 'method') === 'string'

/** The id that an answer is to; undefined for every other message. */
export function answeredId(message: Message): RequestId | undefined {
  const id = own(message, 'id')
  return isId(id) && !Object.hasOwn(message, 'method') ? id : undefined
}

/** The request that a cancellation is about. */
export function cancelledId(message: Message): RequestId | undefined {
  const id = own(message, 'method') === 'notifications/cancelled' ? own(own(message, 'params'), 'requestId') : undefined
  return isId(id) ? id : undefined
}

/** The `_meta` of a request, for a request made in its name. */
export function metaForInner(request: RequestMessage): Members | undefined {
  const meta = own(own(request, 'params'), '_meta')
  if (!isMembers(meta)) return undefined
  return Object.fromEntries(Object.entries(meta).filter(([name]) => !OF_ONE_REQUEST.has(name)))
}

/** Who asks, as the SDK says it to a callback: in a flat object in v1, in the request's and the transport's parts in v2. */
export function callerOf(extra: unknown): {
  readonly id: unknown
  readonly authInfo: unknown
  readonly signal: AbortSignal
} {
  const request = own(extra, 'mcpReq')
  const isFlat = request === undefined
  const signal = own(isFlat ? extra : request, 'signal')
  return {
    id: isFlat ? own(extra, 'requestId') : own(request, 'id'),
    authInfo: own(isFlat ? extra : own(extra, 'http'), 'authInfo'),
    signal: signal instanceof AbortSignal ? signal : new AbortController().signal,
  }
}
