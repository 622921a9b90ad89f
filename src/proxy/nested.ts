/**
 * Listing the upstream's tools inside the caller's own exchange: same session, same credential, own request id. §6.
 * @module
 */

import type { FetchPage } from '../listing/index.ts'
import { asBody, discard, encodeUtf8, readAll, textOf } from './bytes.ts'
import type { RpcRequest } from './classify.ts'
import { ProxyError } from './errors.ts'
import type { Exchange } from './exchange.ts'
import { clientHeaders, withoutMirrors } from './headers.ts'
import { readMembers } from './members.ts'
import { isAnswerTo, readAnswer, tooLarge } from './nested-answer.ts'
import { type Freshness, freshnessOf, leastFresh, type Source, serverInfoOf } from './results.ts'
import { interrupted } from './resumption.ts'
import { jsonResponse, readMessage, withId } from './rpc.ts'
import { isEventStream } from './sse.ts'
import { UpstreamRefusal } from './upstream-refusal.ts'

/** Room for the envelope around a result. */
const ENVELOPE_BYTES = 65_536
/** Most bytes of an error body that is relayed. */
const ERROR_BYTES = 1 << 20
/** What the client has to hear of, wherever it comes up: it is not allowed any more, or its session has ended. */
const DENIALS = [401, 403, 404]

const CLAIMS = ['io.modelcontextprotocol/clientInfo', 'io.modelcontextprotocol/clientCapabilities']
/** REQ-P-16: what of a modern request's `_meta` also holds for the listing inside it; all else is about that request alone. */
const KEPT_META = new Set([
  'io.modelcontextprotocol/protocolVersion',
  ...CLAIMS,
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
  #session: string | null
  #freshness: Freshness | undefined
  #serverInfo: string | undefined
  /** Bytes of all bodies so far. */
  #read = 0

  /** @param request the one that is being answered @param first what the upstream has already answered to it */
  constructor(exchange: Exchange, request: RpcRequest, first?: Response) {
    this.#session = first?.headers.get('mcp-session-id') ?? null
    exchange.expectStream()
    this.#exchange = exchange
    this.#request = request
    this.#meta = metaOf(request)
  }

  /** JSON texts of what the client says of itself, in the modern era. */
  get clientClaims(): readonly (string | undefined)[] | undefined {
    const { bytes, envelope } = this.#request
    if (envelope === undefined) return undefined
    const { members } = readMembers(bytes, envelope.meta.start, envelope.meta.end)
    return CLAIMS.map((name) => {
      const place = members.get(name)
      return place === undefined ? undefined : textOf(bytes, place)
    })
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
    const headers = {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...(this.isModern && { 'mcp-method': 'tools/list' }),
    }
    const response = await this.#ask(
      signal,
      headers,
      encodeUtf8(`{"jsonrpc":"2.0","id":${id},"method":"tools/list"${params}}`),
    )
    this.#session = response.headers.get('mcp-session-id') ?? this.#session
    // What stands around the results is read too: all bodies together are bounded, not the results alone.
    const limit = Math.min(maxBytes, this.#exchange.settings.limits.maxTotalBytes - this.#read) + ENVELOPE_BYTES
    const most = this.#read + limit
    const message = await unlessBroken(signal, async () => {
      if (!response.ok || response.status === 202) throw await this.#refusal(response, id, signal)
      return readAnswer(response, {
        id,
        limit,
        signal,
        count: (bytes) => {
          this.#read += bytes
          if (this.#read > most) throw tooLarge(limit)
        },
        meanwhile: (said) => this.#exchange.relay.take(said, id, this.headers),
        // The modern era has no event ids: a stream that is cut is a request that is lost.
        resume: this.isModern ? undefined : (lastEventId, until) => this.#resume(lastEventId, id, until),
      })
    })
    const { bytes, result } = message
    if (result !== undefined) {
      const page = bytes.subarray(result.start, result.end)
      if (this.#meta !== undefined) this.#note(page)
      // A view keeps all of its body alive.
      return page.length * 2 < bytes.buffer.byteLength ? page.slice() : page
    }
    const answer = withId(message, this.#request.id)
    throw new UpstreamRefusal(jsonResponse(answer, 200, clientHeaders(response.headers, true)), answer)
  }

  #ask(signal: AbortSignal, own: Readonly<Record<string, string>>, body: Uint8Array | null): Promise<Response> {
    return this.#exchange.ask({
      method: body === null ? 'GET' : 'POST',
      body,
      headers: (headers) => {
        withoutMirrors(headers)
        // A list may be coded: nobody waits for its parts.
        for (const name of ['accept-encoding', 'content-type', 'last-event-id', 'mcp-method']) headers.delete(name)
        for (const [name, value] of Object.entries(own)) headers.set(name, value)
      },
      signal,
      timeoutMs: this.#exchange.settings.timeoutMs,
    })
  }

  /** REQ-P-31: the rest of a stream, from behind an event. Undefined where it could not be asked. */
  async #resume(lastEventId: string, id: string, signal: AbortSignal): Promise<Response | undefined> {
    const headers = { accept: 'text/event-stream', 'last-event-id': lastEventId }
    const response = await this.#ask(signal, headers, null).catch((error: unknown) => {
      if (ProxyError.is(error) && error.code === 'unreachable') return undefined
      throw error
    })
    if (response === undefined || (response.ok && isEventStream(response))) return response
    if (DENIALS.includes(response.status)) throw await this.#refusal(response, id, signal)
    discard(response.body)
    throw interrupted()
  }

  #note(page: Uint8Array): void {
    const object = readMembers(page)
    const freshness = freshnessOf(page, object)
    this.#freshness = this.#freshness === undefined ? freshness : leastFresh(this.#freshness, freshness)
    this.#serverInfo ??= serverInfoOf(page, object)
  }

  /** An HTTP refusal with its status, challenge and body; a JSON-RPC error in it gets the caller's id. */
  async #refusal(response: Response, id: string, signal: AbortSignal): Promise<Error> {
    const bytes = (await readAll(response.body, ERROR_BYTES, signal)) ?? new Uint8Array()
    if (response.ok)
      return new ProxyError('malformed', `Cannot list tools: upstream answered ${response.status} without a list`)
    const message = readMessage(bytes)
    const answer = message !== undefined && isAnswerTo(message, id) ? withId(message, this.#request.id) : undefined
    return new UpstreamRefusal(
      new Response(bytes.length === 0 ? null : asBody(answer ?? bytes), {
        status: response.status,
        headers: clientHeaders(response.headers, answer !== undefined),
      }),
      answer,
    )
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
