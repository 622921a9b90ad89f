/**
 * The way to the client while its request is being answered: what the upstream says to it meanwhile goes there. REQ-P-32.
 * @module
 */

import { ProxyError } from './errors.ts'
import { innerText } from './members.ts'
import { isSameId, type RpcMessage } from './rpc.ts'
import { eventOf } from './sse.ts'

/** A stream to the client. */
export type Sink = Pick<TransformStreamDefaultController<Uint8Array>, 'enqueue'>

/** Most messages that go on with one answer: many more than a listing has reason for. Their bytes count with the listing's. */
const MAX_MESSAGES = 1024

export class Relay {
  /**
   * Makes the answer to the client a stream with these headers, if it is none yet. Undefined where it cannot be one, and in the
   * modern era: its servers ask nothing, and a listing inside another request asks them to tell nothing.
   */
  open: ((headers: Headers) => Sink) | undefined
  #sink: Sink | undefined
  #count = 0

  /**
   * Takes a message that came with a listing, not its answer. It goes on as an event without `id` and `retry`: nobody can resume
   * the stream to the client from there.
   *
   * @param id JSON text of the id that the listing was asked for under
   * @throws {ProxyError} `server-request` where it has to go on and cannot; `too-large`
   */
  take(message: RpcMessage, id: string, headers: Headers): void {
    const { open } = this
    if (open === undefined && message.isRequest) {
      throw new ProxyError('server-request', 'Cannot list tools: upstream asks the client something meanwhile')
    }
    if (open === undefined || isAboutListing(message, id)) return
    if (++this.#count > MAX_MESSAGES) {
      throw new ProxyError('too-large', 'Cannot list tools: upstream says too much meanwhile')
    }
    this.#sink ??= open(headers)
    this.#sink.enqueue(eventOf(message.bytes))
  }
}

/**
 * True for what the client can make nothing of, because it does not know the request it is about. The listing has no progress
 * token: under whichever progress comes, it is not of the request that is answered. REQ-P-16.
 */
const isAboutListing = ({ bytes, method, root }: RpcMessage, id: string): boolean =>
  method === undefined ||
  isSameId(method, '"notifications/progress"') ||
  (isSameId(method, '"notifications/cancelled"') &&
    isSameId(innerText(bytes, root.members.get('params'), 'requestId') ?? '', id))
