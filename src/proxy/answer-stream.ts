/**
 * An answer that becomes a stream as soon as the upstream has something to say to the client before it; it is then the end of
 * that stream. REQ-P-32.
 * @module
 */

import { encodeUtf8 } from './bytes.ts'
import type { RpcRequest } from './classify.ts'
import { eventStream } from './event-stream.ts'
import type { Exchange } from './exchange.ts'
import { faultMessage } from './faults.ts'
import { jsonResponse, readMessage, withId } from './rpc.ts'
import { eventOf, isEventStream } from './sse.ts'
import { readWhole } from './transform.ts'
import { UpstreamRefusal } from './upstream-refusal.ts'

/** True where the client takes its answer as a stream. */
export const takesEvents = ({ headers }: Request): boolean =>
  /text\/event-stream|\*\/\*/i.test(headers.get('accept') ?? '')

/** @param run makes the answer, which is given as it is where nothing is sent before it */
export async function answerOrStream(
  exchange: Exchange,
  { id, envelope }: RpcRequest,
  run: () => Promise<Response>,
): Promise<Response> {
  if (envelope !== undefined || !takesEvents(exchange.request)) return run()
  let answer: Promise<Response>
  const opened = new Promise<Response>((resolve) => {
    exchange.relay.open = (headers) => {
      let stream!: TransformStreamDefaultController<Uint8Array>
      const { readable, writable } = new TransformStream({
        start(controller) {
          stream = controller
        },
        // Newer than the types know.
        cancel: exchange.leave,
      } as Transformer<Uint8Array, Uint8Array> & { cancel(reason: unknown): void })
      answer
        .then((response) => endOf(exchange, response, id))
        .then((events) => events.pipeTo(writable))
        .catch((error: unknown) => writable.abort(error))
        // Whoever reads has seen it, or has gone.
        .catch(() => undefined)
      headers.set('content-type', 'text/event-stream')
      // A question that a server in front held back would never be answered.
      headers.set('x-accel-buffering', 'no')
      resolve(new Response(readable, { headers }))
      return stream
    }
  })
  answer = run()
  return Promise.race([opened, answer])
}

/** A JSON text as one event. Outside of strings its line ends are white space, and inside of them there are none. */
function asEvent(): TransformStream<Uint8Array, Uint8Array> {
  return new TransformStream({
    start: (controller) => controller.enqueue(encodeUtf8('data: ')),
    transform: (chunk, controller) =>
      controller.enqueue(chunk.map((byte) => (byte === 0x0a || byte === 0x0d ? 0x20 : byte))),
    flush: (controller) => controller.enqueue(encodeUtf8('\n\n')),
  })
}

/** An answer as events: those of a stream as they are, or one of its message. The status line is out: a refusal is said there. */
async function endOf(exchange: Exchange, response: Response, id: string): Promise<ReadableStream<Uint8Array>> {
  if (response.ok && isEventStream(response)) {
    // Event by event: its bytes may begin with a mark.
    return eventStream(response.body, exchange.settings.limits.maxTotalBytes, { each: (event) => event })
  }
  // As long as it is, and as slow: a call waits as its client does.
  const isJson = /^application\/json\s*(?:;|$)/i.test(response.headers.get('content-type') ?? '')
  if (response.ok && isJson && response.body !== null) return response.body.pipeThrough(asEvent())
  let said: Uint8Array
  try {
    const message = readMessage(await readWhole(exchange, response))
    if (!message?.isResponse) throw new UpstreamRefusal(response, undefined)
    // A refusal need not know the id.
    said = withId(message, id)
  } catch (error) {
    said = faultMessage(id, error)
  }
  return jsonResponse(eventOf(said)).body as ReadableStream<Uint8Array>
}
