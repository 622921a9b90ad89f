/**
 * Changing one answer of the upstream on its way to the client, as JSON or inside a stream.
 * @module
 */

import { asBody, type BoundedRead, discard, encodeUtf8, readBounded, replay } from './bytes.ts'
import { ProxyError } from './errors.ts'
import type { Exchange } from './exchange.ts'
import { clientHeaders } from './headers.ts'
import { changeMessages, errorMessage, isSameId, jsonResponse, type RpcMessage, readMessage } from './rpc.ts'
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
  if (isEventStream(upstream)) return changeStream(upstream, id, change, maxBytes, withoutIds)
  const read = await readInTime(exchange, upstream, maxBytes)
  if (!read.complete) {
    discard(read.reader)
    throw new ProxyError('too-large', `Cannot read answer: longer than ${maxBytes} bytes`)
  }
  const message = readMessage(read.bytes)
  if (message?.isResponse !== true || !isSameId(message.id ?? '', id)) {
    // Only an HTTP error may be something else than the answer; row 30.
    if (upstream.ok) throw new ProxyError('malformed', 'Cannot read answer: not a response to the request')
    return unchanged(upstream, read.bytes)
  }
  const changed = await change({ ...message, id }, upstream)
  if (changed === undefined) return unchanged(upstream, read.bytes)
  const status = message.error === undefined ? upstream.status : 200
  return jsonResponse(changed, status, clientHeaders(upstream.headers, true))
}

/** No error is longer. */
const ERROR_BYTES = 65_536

/**
 * As `changeAnswer`, where only an error may be changed: every other answer passes as it streams, however long, and with its
 * event ids.
 */
export async function changeError(
  exchange: Exchange,
  upstream: Response,
  id: string,
  change: ChangeAnswer,
): Promise<Response> {
  if (isEventStream(upstream)) {
    return changeStream(upstream, id, change, exchange.settings.limits.maxTotalBytes, (event) => event)
  }
  const headers = clientHeaders(upstream.headers, false)
  const read = await readInTime(exchange, upstream, ERROR_BYTES)
  if (!read.complete) return new Response(replay(read.chunks, read.reader), { status: upstream.status, headers })
  const message = readMessage(read.bytes)
  const isAnswer = message?.isResponse === true && isSameId(message.id ?? '', id)
  const changed = isAnswer ? await change({ ...message, id }, upstream) : undefined
  if (changed !== undefined) return jsonResponse(changed, 200, clientHeaders(upstream.headers, true))
  return unchanged(upstream, read.bytes)
}

/** The answer as it came. 204, 304 and their like take no body, not even an empty one. */
function unchanged(upstream: Response, bytes: Uint8Array): Response {
  const headers = clientHeaders(upstream.headers, false)
  return new Response(bytes.length === 0 ? null : asBody(bytes), { status: upstream.status, headers })
}

/** An answer that has to be complete before it can be changed must also come to its end. Row 30. */
async function readInTime(exchange: Exchange, upstream: Response, maxBytes: number): Promise<BoundedRead> {
  const { timeoutMs } = exchange.settings
  const deadline = AbortSignal.timeout(timeoutMs)
  try {
    return await readBounded(upstream.body, maxBytes, AbortSignal.any([exchange.request.signal, deadline]))
  } catch (cause) {
    exchange.request.signal.throwIfAborted()
    if (deadline.aborted) throw new ProxyError('timeout', `Cannot read answer: not complete within ${timeoutMs} ms`)
    throw new ProxyError('unreachable', 'Cannot read answer: the upstream broke off', {}, { cause })
  }
}

function changeStream(
  upstream: Response,
  id: string,
  change: ChangeAnswer,
  maxBytes: number,
  strip: (event: Uint8Array) => Uint8Array,
): Response {
  const body = eventStream(upstream.body, maxBytes, async (event) => {
    const data = messageData(event)
    const stripped = strip(event)
    if (data === undefined) return stripped
    // What cannot be read here could be the list to another reader: it does not pass.
    const unreadable = errorMessage(id, -32603, 'Cannot read answer: not a message')
    // Any response on this stream is the answer, however it spells the id.
    const changed = await changeMessages(
      data,
      async (message) => {
        if (!message.isResponse) return undefined
        try {
          return await change(isSameId(message.id ?? '', id) ? { ...message, id } : message, upstream)
        } catch (error) {
          // The status line is out: the answer itself has to say it.
          return errorMessage(id, -32603, error instanceof Error ? error.message : 'Cannot read answer')
        }
      },
      unreadable,
    )
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
