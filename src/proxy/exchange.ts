/**
 * One HTTP exchange: the caller's request, the settings, and the way upstream.
 * @module
 */

import { asBody, discard } from './bytes.ts'
import { ProxyError } from './errors.ts'
import { clientHeaders, upstreamHeaders } from './headers.ts'
import { Relay } from './relay.ts'
import type { CompleteSettings } from './settings.ts'

/** How one request goes upstream. */
export interface UpstreamRequest {
  readonly method: string
  /** Another path of the upstream's origin than that of its endpoint. */
  readonly target?: string
  readonly body?: Uint8Array | ReadableStream<Uint8Array> | null | undefined
  /** Changes to the headers built from the caller's. */
  readonly headers?: (headers: Headers) => void
  readonly signal?: AbortSignal | undefined
  /** Milliseconds until the answer must begin. Absent for what passes as it is: only its client knows how long to wait. */
  readonly timeoutMs?: number
}

const SAFE_REDIRECTS = new Set([307, 308])

export class Exchange<Context = unknown> {
  readonly request: Request
  readonly settings: CompleteSettings<Context>
  /** What the upstream may tell the client before the answer. */
  readonly relay = new Relay()
  readonly #context: Context
  readonly #base: AbortSignal
  #gone: AbortController | undefined

  /** @param signal of a batch, where the exchange is a part of one */
  constructor(request: Request, context: Context, settings: CompleteSettings<Context>, signal = request.signal) {
    this.request = request
    this.#base = signal
    this.settings = settings
    this.#context = context
  }

  /** Fires when the client has gone: with its request's own signal, or as it leaves a stream that was made for it. */
  get signal(): AbortSignal {
    return this.#gone?.signal ?? this.#base
  }

  /** To be called before anything that may make a stream for the client. Not for every exchange: signals are dear. */
  expectStream(): void {
    if (this.#gone !== undefined) return
    this.#gone = new AbortController()
    const signal = this.#base
    const leave = () => this.leave(signal.reason)
    if (signal.aborted) leave()
    signal.addEventListener('abort', leave)
  }

  /** The client has gone: nobody waits for anything any more. */
  readonly leave = (reason: unknown): void => this.#gone?.abort(reason)

  /** For a part of a batch, with a way to the client of its own. It ends with the whole. */
  part(): Exchange<Context> {
    return new Exchange(this.request, this.#context, this.settings, this.signal)
  }

  /** The protocol revision the caller names, if it does. */
  get version(): string | null {
    return this.request.headers.get('mcp-protocol-version')
  }

  /**
   * Sends one request upstream and waits until it begins to answer. Same-origin 307 and 308 are followed once; every other
   * redirect is an error: its target is not what the operator named. Row 29.
   *
   * @throws {ProxyError} `unreachable`, `timeout`, `redirect`
   */
  async ask(asked: UpstreamRequest): Promise<Response> {
    const headers = upstreamHeaders(this.request.headers, this.settings)
    asked.headers?.(headers)
    const { upstream } = this.settings
    const endpoint = upstream instanceof URL ? upstream.href : this.request.url
    const target = asked.target === undefined ? endpoint : new URL(asked.target, endpoint).href
    const first = await this.#send(target, headers, asked)
    if (!isRedirect(first)) return first
    discard(first.body)
    const location = first.headers.get('location')
    const next = location === null || !URL.canParse(location, target) ? undefined : new URL(location, target)
    const followable = SAFE_REDIRECTS.has(first.status) && !(asked.body instanceof ReadableStream)
    if (next === undefined || next.origin !== new URL(target).origin || !followable) refuseRedirect(first.status)
    const second = await this.#send(next.href, headers, asked)
    if (isRedirect(second)) {
      discard(second.body)
      refuseRedirect(second.status)
    }
    return second
  }

  async #send(
    url: string,
    headers: Headers,
    { method, body, signal = this.signal, timeoutMs }: UpstreamRequest,
  ): Promise<Response> {
    const { upstream } = this.settings
    const stop = timeoutMs === undefined ? undefined : new AbortController()
    const timer = stop && setTimeout(() => stop.abort(), timeoutMs)
    const init: RequestInit & { duplex?: 'half' } = {
      method,
      headers,
      redirect: 'manual',
      signal: stop === undefined ? signal : AbortSignal.any([signal, stop.signal]),
    }
    if (body instanceof Uint8Array) init.body = asBody(body)
    else if (body instanceof ReadableStream) {
      init.body = body
      init.duplex = 'half'
    }
    try {
      if (upstream instanceof URL) return await fetch(url, init)
      const request = new Request(url, init)
      // A function need not heed the signal.
      return await unlessAborted(
        upstream(request, this.#context),
        stop === undefined ? [signal] : [signal, stop.signal],
      )
    } catch (cause) {
      if (stop?.signal.aborted) {
        throw new ProxyError('timeout', `Cannot ask upstream: no answer within ${timeoutMs} ms`)
      }
      signal.throwIfAborted()
      throw new ProxyError('unreachable', 'Cannot ask upstream: it cannot be reached', {}, { cause })
    } finally {
      clearTimeout(timer)
    }
  }

  /** True where a function knows its callers by what comes beside the request: nothing here can tell them apart. */
  get isIdentifiedElsewhere(): boolean {
    return !(this.settings.upstream instanceof URL) && this.#context !== undefined
  }

  /** The upstream's answer as it is, body untouched and streaming. */
  pass(upstream: Response): Response {
    return new Response(upstream.body, { status: upstream.status, headers: clientHeaders(upstream.headers, false) })
  }
}

/** Listens at the sources: a signal derived from them is held weakly, and may be collected before it fires. */
async function unlessAborted(answer: Promise<Response> | Response, signals: readonly AbortSignal[]): Promise<Response> {
  let onAbort = (): void => {}
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => {
      reject(new Error('Aborted'))
      // Nobody waits for what may still come.
      void Promise.resolve(answer)
        .then((late) => late.body?.cancel())
        .catch(() => undefined)
    }
    for (const signal of signals) signal.addEventListener('abort', onAbort)
    if (signals.some(({ aborted }) => aborted)) onAbort()
  })
  try {
    return await Promise.race([answer, aborted])
  } finally {
    for (const signal of signals) signal.removeEventListener('abort', onAbort)
  }
}

const isRedirect = ({ status, type }: Response): boolean =>
  type === 'opaqueredirect' || (status >= 300 && status < 400 && status !== 304)

function refuseRedirect(status: number): never {
  throw new ProxyError('redirect', `Cannot ask upstream: it redirects (${status})`)
}
