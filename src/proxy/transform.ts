/**
 * Changing one answer of the upstream on its way to the client, as JSON or inside a stream.
 * @module
 */

import { asBody, encodeUtf8, readBounded } from './bytes.ts'
import { ProxyError } from './errors.ts'
import type { Exchange } from './exchange.ts'
import { clientHeaders } from './headers.ts'
import { changeMessages, errorMessage, jsonResponse, type RpcMessage, readMessage } from './rpc.ts'
import { EventSplitter, isEventStream, messageData, withData, withoutIds } from './sse.ts'

/** The changed message, or undefined where it stays as it is. */
export type ChangeAnswer = (
  answer: RpcMessage,
  upstream: Response,
) => Promise<Uint8Array | undefined> | Uint8Array | undefined

/**
 * Passes the upstream's answer to the request `id` through `change`. Everything else on a stream passes event by event; event
 * ids are taken off, so that nobody resumes a stream whose answer was changed here. Errors of HTTP pass as they are.
 *
 * @throws {ProxyError} `malformed`, `too-large`
 */
export async function changeAnswer(
  exchange: Exchange,
  upstream: Response,
  id: string,
  change: ChangeAnswer,
): Promise<Response> {
  const maxBytes = exchange.settings.limits.maxTotalBytes
  if (isEventStream(upstream)) return changeStream(upstream, id, change, maxBytes)
  const read = await readBounded(upstream.body, maxBytes, exchange.request.signal)
  if (!read.complete) {
    void read.reader.cancel()
    throw new ProxyError('too-large', `Cannot read answer: longer than ${maxBytes} bytes`)
  }
  const message = readMessage(read.bytes)
  if (message?.isResponse !== true || message.id !== id) {
    // Only an HTTP error may be something else than the answer; row 30.
    if (upstream.ok) throw new ProxyError('malformed', 'Cannot read answer: not a response to the request')
    return new Response(asBody(read.bytes), {
      status: upstream.status,
      headers: clientHeaders(upstream.headers, false),
    })
  }
  const changed = await change(message, upstream)
  if (changed === undefined) {
    return new Response(asBody(read.bytes), {
      status: upstream.status,
      headers: clientHeaders(upstream.headers, false),
    })
  }
  const status = message.error === undefined ? upstream.status : 200
  return jsonResponse(changed, status, clientHeaders(upstream.headers, true))
}

function changeStream(upstream: Response, id: string, change: ChangeAnswer, maxBytes: number): Response {
  const body = eventStream(upstream.body, maxBytes, async (event) => {
    const data = messageData(event)
    const stripped = withoutIds(event)
    if (data === undefined) return stripped
    // Any response on this stream is the answer, however it spells the id.
    const changed = await changeMessages(data, async (message) => {
      if (!message.isResponse) return undefined
      try {
        return await change(message, upstream)
      } catch (error) {
        // The status line is out: the answer itself has to say it.
        return errorMessage(id, -32603, error instanceof Error ? error.message : 'Cannot read answer')
      }
    })
    return changed === undefined ? stripped : withData(stripped, changed)
  })
  return new Response(body, { status: upstream.status, headers: clientHeaders(upstream.headers, true) })
}

/** A stream of events, each passed through `each` as soon as it is complete. Nothing is held back. */
export function eventStream(
  source: ReadableStream<Uint8Array> | null,
  maxBytes: number,
  each: (event: Uint8Array) => Promise<Uint8Array> | Uint8Array,
): ReadableStream<Uint8Array> {
  const splitter = new EventSplitter(maxBytes)
  const transform = new TransformStream<Uint8Array, Uint8Array>({
    async transform(chunk, controller) {
      for (const event of splitter.push(chunk)) {
        const made = await each(event)
        if (made.length > 0) controller.enqueue(made)
      }
    },
    async flush(controller) {
      const rest = splitter.rest()
      // A last event whose blank line never came is no event, but its bytes are not ours to drop.
      if (rest.length > 0) controller.enqueue(await each(rest))
    },
  })
  return (source ?? new Blob([asBody(encodeUtf8(''))]).stream()).pipeThrough(transform)
}
