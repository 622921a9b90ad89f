/**
 * When and how a stream that was cut off is taken up again. REQ-P-31.
 * @module
 */

import { ProxyError } from './errors.ts'
import { lastField } from './sse.ts'

/** Most times that one answer is asked for again. */
const MAX_TRIES = 3
/** Most milliseconds from the first cut to the answer. */
const MAX_MS = 10_000
/** Where the stream does not say how long to wait. */
const DEFAULT_RETRY_MS = 1000

/** What every runtime sends back as it came: ASCII without control characters, and without blanks at the ends. */
const EVENT_ID = /^[!-~](?:[ -~]{0,1022}[!-~])?$/

/** What the events of an answer say of taking it up again. */
export class Resumption {
  /** Fires with the caller's, and when it has taken too long. */
  readonly signal: AbortSignal
  /** Of the event that came last. Empty where the upstream named none: then it cannot be asked for what follows. */
  lastEventId = ''
  readonly #stop = new AbortController()
  #limit: ReturnType<typeof setTimeout> | undefined
  #pause: ReturnType<typeof setTimeout> | undefined
  #retryMs = DEFAULT_RETRY_MS
  #tries = 0

  constructor(signal: AbortSignal) {
    this.signal = AbortSignal.any([signal, this.#stop.signal])
  }

  note(event: Uint8Array): void {
    const id = lastField(event, 'id')
    if (id !== undefined) this.lastEventId = EVENT_ID.test(id) ? id : ''
    const retry = lastField(event, 'retry') ?? ''
    if (/^\d+$/.test(retry)) this.#retryMs = Number(retry)
  }

  /**
   * Waits as long as the upstream said, and gives the value of `Last-Event-ID`.
   *
   * @throws {ProxyError} `interrupted` where it has been tried often or long enough, or the wait would be too long
   */
  async next(): Promise<string> {
    this.#limit ??= setTimeout(() => this.#stop.abort(interrupted()), MAX_MS)
    if (++this.#tries > MAX_TRIES || this.#retryMs > MAX_MS) throw interrupted()
    const { signal } = this
    signal.throwIfAborted()
    await new Promise<unknown>((resolve) => {
      this.#pause = setTimeout(resolve, this.#retryMs)
      signal.addEventListener('abort', resolve)
    })
    signal.throwIfAborted()
    return this.lastEventId
  }

  /** To be called when nothing is waited for any more. */
  end(): void {
    clearTimeout(this.#limit)
    clearTimeout(this.#pause)
  }
}

export const interrupted = (): ProxyError =>
  new ProxyError('interrupted', 'Cannot list tools: the upstream cut the stream for good')
