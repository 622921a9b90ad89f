/**
 * Listing the upstream's tools inside the caller's own exchange: same session, same credential, own request id. §6.
 * @module
 */

import type { FetchPage } from '../listing/index.ts'
import { discard, encodeUtf8, readBounded, splice, textOf } from './bytes.ts'
import type { RpcRequest } from './classify.ts'
import { ProxyError } from './errors.ts'
import type { Exchange } from './exchange.ts'
import { clientHeaders, withoutMirrors } from './headers.ts'
import { readMembers } from './members.ts'
import { type Freshness, freshnessOf, leastFresh, type Source, serverInfoOf } from './results.ts'
import { isSameId, jsonResponse, type RpcMessage, readMessage, readMessages } from './rpc.ts'
import { EventSplitter, isEventStream, messageData } from './sse.ts'

/** Room for the envelope around a result. */
const ENVELOPE_BYTES = 65_536
/** Most bytes of an error body that is relayed. */
const ERROR_BYTES = 1 << 20
const ACCEPT = 'application/json, text/event-stream'

/** The upstream's own refusal, to be given to the caller instead of an answer of ours. REQ-P-33, REQ-P-04. */
export class UpstreamRefusal extends Error {
  override readonly name = 'UpstreamRefusal'
  readonly response: Response
  /** Its JSON-RPC error with the caller's id, where it is one. */
  readonly answer: Uint8Array | undefined

  constructor(response: Response, answer: Uint8Array | undefined) {
    super(`Upstream refused with ${response.status}`)
    this.response = response
    this.answer = answer
  }
}

const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'
/** REQ-P-16: what of a modern request's `_meta` also holds for the listing inside it; all else is about that request alone. */
const KEPT_META = new Set([
  'io.modelcontextprotocol/protocolVersion',
  'io.modelcontextprotocol/clientInfo',
  CAPABILITIES,
  'traceparent',
  'tracestate',
  'baggage',
])

/** Pages of `tools/list` for one exchange. Remembers what the upstream's answers say of themselves. */
export class NestedListing implements Source {
  readonly #exchange: Exchange
  readonly #request: RpcRequest
  /** JSON text of `_meta` as a member, in the modern era. */
  readonly #meta: string | undefined
  #session: string | null = null
  #freshness: Freshness | undefined
  #serverInfo: string | undefined
  /** Bytes of all bodies so far. */
  #read = 0

  /** @param request the one that is being answered */
  constructor(exchange: Exchange, request: RpcRequest) {
    this.#exchange = exchange
    this.#request = request
    this.#meta = metaOf(request)
  }

  /** JSON text of what the client says it can do, in the modern era. */
  get clientCapabilities(): string | undefined {
    const { bytes, envelope } = this.#request
    if (envelope === undefined) return undefined
    const place = readMembers(bytes, envelope.meta.start, envelope.meta.end).members.get(CAPABILITIES)
    return place === undefined ? undefined : textOf(bytes, place)
  }

  get isModern(): boolean {
    return this.#meta !== undefined
  }

  /** Of all pages so far, in the modern era. */
  get freshness(): Freshness | undefined {
    return this.#freshness
  }

  get serverInfo(): string | undefined {
    return this.#serverInfo
  }

  /** Headers of the answer that is made from the listing: the upstream's session id is handed on. */
  get headers(): Headers {
    const headers = new Headers()
    if (this.#session !== null && this.#meta === undefined) headers.set('mcp-session-id', this.#session)
    return headers
  }

  readonly fetchPage: FetchPage = async (cursor, { signal, maxBytes }) => {
    // REQ-P-15: a string nobody else in the session uses.
    const id = JSON.stringify(`~sd:${crypto.randomUUID()}`)
    const members = [this.#meta, cursor === undefined ? undefined : `"cursor":${JSON.stringify(cursor)}`].filter(
      (member) => member !== undefined,
    )
    const params = members.length === 0 ? '' : `,"params":{${members.join()}}`
    const response = await this.#exchange.ask({
      method: 'POST',
      body: encodeUtf8(`{"jsonrpc":"2.0","id":${id},"method":"tools/list"${params}}`),
      headers: (headers) => {
        headers.set('accept', ACCEPT)
        headers.set('content-type', 'application/json')
        headers.delete('last-event-id')
        // A list may be coded: nobody waits for its parts.
        headers.delete('accept-encoding')
        if (this.#meta === undefined) headers.delete('mcp-method')
        else headers.set('mcp-method', 'tools/list')
        withoutMirrors(headers)
      },
      signal: AbortSignal.any([signal, this.#exchange.request.signal]),
      timeoutMs: this.#exchange.settings.timeoutMs,
    })
    this.#session = response.headers.get('mcp-session-id') ?? this.#session
    // What stands around the results is read too: all bodies together are bounded, not the results alone.
    const limit = Math.min(maxBytes, this.#exchange.settings.limits.maxTotalBytes - this.#read) + ENVELOPE_BYTES
    const message = await unlessBroken(signal, async () => {
      if (!response.ok || response.status === 202) throw await this.#refusal(response, id, signal)
      const answer = isEventStream(response) ? answerOnStream : answerInBody
      return answer(response, id, limit, signal, (bytes) => {
        this.#read += bytes
      })
    })
    const { bytes, result } = message
    if (result !== undefined) {
      const page = bytes.subarray(result.start, result.end)
      if (this.#meta !== undefined) this.#note(page)
      // A view keeps all of its body alive.
      return page.length * 2 < bytes.buffer.byteLength ? page.slice() : page
    }
    const answer = this.#forClient(message, id)
    throw new UpstreamRefusal(jsonResponse(answer, 200, clientHeaders(response.headers, true)), answer)
  }

  #note(page: Uint8Array): void {
    const object = readMembers(page)
    const freshness = freshnessOf(page, object)
    this.#freshness = this.#freshness === undefined ? freshness : leastFresh(this.#freshness, freshness)
    this.#serverInfo ??= serverInfoOf(page, object)
  }

  /** An HTTP refusal with its status, challenge and body; a JSON-RPC error in it gets the caller's id. */
  async #refusal(response: Response, id: string, signal: AbortSignal): Promise<Error> {
    const read = await readBounded(response.body, ERROR_BYTES, signal)
    if (!read.complete) discard(read.reader)
    const bytes = read.complete ? read.bytes : new Uint8Array()
    if (response.ok)
      return new ProxyError('malformed', `Cannot list tools: upstream answered ${response.status} without a list`)
    const message = readMessage(bytes)
    const body = message === undefined ? bytes : this.#forClient(message, id)
    return new UpstreamRefusal(
      new Response(body.length === 0 ? null : (body as Uint8Array<ArrayBuffer>), {
        status: response.status,
        headers: clientHeaders(response.headers, body !== bytes),
      }),
      message !== undefined && isAnswerTo(message, id) ? body : undefined,
    )
  }

  #forClient(message: RpcMessage, id: string): Uint8Array {
    const member = message.root.members.get('id')
    return member === undefined || !isSameId(message.id ?? '', id)
      ? message.bytes
      : splice(message.bytes, [{ start: member.start, end: member.end, by: this.#request.id }])
  }
}

function metaOf({ bytes, envelope }: RpcRequest): string | undefined {
  if (envelope === undefined) return undefined
  const { members } = readMembers(bytes, envelope.meta.start, envelope.meta.end)
  const kept = [...members].filter(([name]) => KEPT_META.has(name))
  return `"_meta":{${kept.map(([name, place]) => `${JSON.stringify(name)}:${textOf(bytes, place)}`).join()}}`
}

/** A body that breaks off is the upstream's fault. Row 30. */
async function unlessBroken<Value>(signal: AbortSignal, read: () => Promise<Value>): Promise<Value> {
  try {
    return await read()
  } catch (cause) {
    if (ProxyError.is(cause) || cause instanceof UpstreamRefusal) throw cause
    signal.throwIfAborted()
    throw new ProxyError('unreachable', 'Cannot list tools: the upstream broke off', {}, { cause })
  }
}

type ReadAnswer = (
  response: Response,
  id: string,
  limit: number,
  signal: AbortSignal,
  count: (bytes: number) => void,
) => Promise<RpcMessage>

const isAnswerTo = (message: RpcMessage, id: string): boolean => message.isResponse && isSameId(message.id ?? '', id)

const answerInBody: ReadAnswer = async (response, id, limit, signal, count) => {
  const read = await readBounded(response.body, limit, signal)
  if (!read.complete) {
    discard(read.reader)
    throw tooLarge(limit)
  }
  count(read.bytes.length)
  const message = readMessage(read.bytes)
  if (message !== undefined && isAnswerTo(message, id)) return message
  throw new ProxyError('malformed', 'Cannot list tools: upstream did not answer the request')
}

const answerOnStream: ReadAnswer = async (response, id, limit, signal, count) => {
  const splitter = new EventSplitter(limit)
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const stop = () => discard(reader)
  signal.addEventListener('abort', stop)
  let bytes = 0
  try {
    for (;;) {
      const { done, value } = await reader.read()
      signal.throwIfAborted()
      if (done) throw new ProxyError('malformed', 'Cannot list tools: the stream ended before the answer')
      bytes += value.length
      if (bytes > limit) throw tooLarge(limit)
      for (const event of splitter.push(value)) {
        const data = messageData(event)
        for (const message of data === undefined ? [] : readMessages(data)) {
          if (isAnswerTo(message, id)) return message
          if (message.isRequest) {
            throw new ProxyError('server-request', 'Cannot list tools: upstream asks the client something meanwhile')
          }
        }
      }
    }
  } finally {
    count(bytes)
    signal.removeEventListener('abort', stop)
    stop()
  }
}

const tooLarge = (limit: number): ProxyError =>
  new ProxyError('too-large', `Cannot list tools: a page is longer than ${limit} bytes`)
