/**
 * One connection of a server: which requests are open, who sent them, and requests of our own in their name.
 * @module
 */

import {
  answeredId,
  cancelledId,
  isRequest,
  type Members,
  type Message,
  metaForInner,
  own,
  type RequestId,
  type RequestMessage,
} from './messages.ts'
import type {
  Interposer,
  MessageExtra,
  MessageTransport,
  OnMessage,
  ScopeChallenge,
  ScopeResolver,
  SendOptions,
} from './transport.ts'

/** A request of the client that is not answered yet. */
export interface OpenRequest {
  readonly connection: Connection
  readonly message: RequestMessage
  /** What the transport said about its sender: the very object. */
  readonly extra: MessageExtra
  /** Fires when the client gives up, or is gone. */
  readonly signal: AbortSignal
}

/** Answers a request in the server's place; undefined where the server is to answer it. */
export type Answer = (request: OpenRequest) => Promise<void> | undefined

/**
 * The server's own refusal of a request of ours. Its caller gets it as it is: both SDKs put an error on the wire by its number,
 * message and data.
 */
export class ServerRefusal extends Error {
  override readonly name = 'ServerRefusal'
  readonly code: unknown
  readonly data: unknown

  constructor(error: unknown) {
    super(String(own(error, 'message')))
    this.code = own(error, 'code')
    this.data = own(error, 'data')
  }
}

/** What came under one id while it was open. More than one request is what JSON-RPC forbids: nobody can say whose an answer is. */
interface OpenId {
  readonly first: OpenRequest
  /** Of all requests under this id: nobody could say which is given up either. */
  readonly controller: AbortController
  isShared: boolean
  unanswered: number
}

export class Connection implements Interposer {
  readonly #target: MessageTransport
  readonly #answer: Answer
  readonly #onClosed: () => void
  readonly #open = new Map<RequestId, OpenId>()
  readonly #inner = new Map<RequestId, { readonly outer: RequestId; settle(message: Message): void }>()
  /** Nobody else can know it, so no id of a client is taken for one of ours. */
  readonly #prefix = `~sd:${crypto.randomUUID()}:`
  #count = 0
  #dispatch: OnMessage = () => {}
  #resolver: ScopeResolver | undefined
  /** The protocol revision that was agreed on here; undefined where nothing was. */
  negotiated: string | undefined

  constructor(target: MessageTransport, answer: Answer, onClosed: () => void) {
    this.#target = target
    this.#answer = answer
    this.#onClosed = onClosed
  }

  connected(dispatch: OnMessage): void {
    this.#dispatch = dispatch
  }

  judge(resolver: ScopeResolver): void {
    this.#resolver = resolver
  }

  readonly receive: OnMessage = (message, extra) => {
    if (!isRequest(message)) {
      const cancelled = cancelledId(message)
      if (cancelled !== undefined) this.#close(cancelled)
      this.#dispatch(message, extra)
      return
    }
    const known = this.#open.get(message.id)
    const controller = known?.controller ?? new AbortController()
    const request: OpenRequest = { connection: this, message, extra, signal: controller.signal }
    if (known === undefined) this.#open.set(message.id, { first: request, controller, isShared: false, unanswered: 1 })
    else {
      known.isShared = true
      known.unanswered++
    }
    const answering = this.#answer(request)
    if (answering === undefined) this.#dispatch(message, extra)
    else answering.catch((error) => this.#target.onerror?.(error as Error))
  }

  readonly send = (message: Message, options?: SendOptions): Promise<void> => {
    const answered = answeredId(message)
    if (answered !== undefined) {
      if (typeof answered === 'string' && answered.startsWith(this.#prefix)) {
        this.#inner.get(answered)?.settle(message)
        return Promise.resolve()
      }
      const open = this.#open.get(answered)
      if (open?.first.message.method === 'initialize') {
        const version = own(own(message, 'result'), 'protocolVersion')
        if (typeof version === 'string') this.negotiated = version
      }
      if (open !== undefined && --open.unanswered === 0) this.#open.delete(answered)
    }
    // What the server says while it answers a request of ours belongs to the request of the client behind it.
    const related = options?.relatedRequestId
    const outer = related === undefined ? undefined : this.#inner.get(related)?.outer
    return this.#target.send(message, outer === undefined ? options : { ...options, relatedRequestId: outer })
  }

  /** The one open request with this id; undefined where there is none, or nobody could say which. */
  find(id: unknown): OpenRequest | undefined {
    const open = this.#open.get(id as RequestId)
    return open?.isShared ? undefined : open?.first
  }

  /** Lets the server answer a request, in the form it has now. */
  pass({ extra, signal }: OpenRequest, message: Message): void {
    if (!signal.aborted) this.#dispatch(message, extra)
  }

  /** Answers a request, unless its sender gave up. */
  async reply({ signal }: OpenRequest, message: Message): Promise<void> {
    if (!signal.aborted) await this.send(message)
  }

  /**
   * Asks the server something as the sender of `request`, through all that its own requests pass through, and gives the result.
   *
   * @throws {ServerRefusal} an error of the server; the reason of `signal` when it fires
   */
  ask(request: OpenRequest, method: string, params: Members, signal: AbortSignal): Promise<unknown> {
    const id = `${this.#prefix}${this.#count++}`
    const meta = metaForInner(request.message)
    return new Promise<unknown>((resolve, reject) => {
      const end = (): void => {
        this.#inner.delete(id)
        signal.removeEventListener('abort', onAbort)
      }
      const onAbort = (): void => {
        end()
        this.#dispatch({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } }, request.extra)
        reject(signal.reason)
      }
      const settle = (message: Message): void => {
        end()
        if (Object.hasOwn(message, 'result')) resolve(message.result)
        else reject(new ServerRefusal(message.error))
      }
      signal.throwIfAborted()
      signal.addEventListener('abort', onAbort, { once: true })
      this.#inner.set(id, { outer: request.message.id, settle })
      const all = meta === undefined ? params : { ...params, _meta: meta }
      this.#dispatch({ jsonrpc: '2.0', id, method, params: all }, request.extra)
    })
  }

  /** What the server's own judge of scopes says about a request; nothing where it has none. */
  async challenge(message: RequestMessage, authInfo: unknown): Promise<ScopeChallenge | undefined> {
    return this.#resolver?.({ request: message, ...(authInfo === undefined ? undefined : { authInfo }) })
  }

  /** The connection is gone, and with it everybody who waits. */
  closed(): void {
    for (const id of [...this.#open.keys()]) this.#close(id)
    this.#onClosed()
  }

  #close(id: RequestId): void {
    this.#open.get(id)?.controller.abort()
    this.#open.delete(id)
  }
}
