/**
 * Changing one answer of the upstream on its way to the client, as JSON or inside a stream.
 * @module
 */

import { asBody, type BoundedRead, discard, readBounded, replay } from './bytes.ts'
import { ProxyError } from './errors.ts'
import { eventStream } from './event-stream.ts'
import type { Exchange } from './exchange.ts'
import { faultMessage } from './faults.ts'
import { clientHeaders } from './headers.ts'
import { changeMessages, errorMessage, isSameId, jsonResponse, type RpcMessage, readMessage } from './rpc.ts'
import { eventOf, isEventStream, messageData, withData, withoutIds } from './sse.ts'

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
  if (isEventStream(upstream)) return changeStream(exchange, upstream, id, change, true)
  const bytes = await readWhole(exchange, upstream)
  const message = readMessage(bytes)
  if (message?.isResponse !== true || !isSameId(message.id ?? '', id)) {
    // Only an error may be something else than the answer: one of HTTP, or of a server that could not tell the id. Row 30.
    const isError = !upstream.ok || (message?.error !== undefined && message.id === 'null')
    if (isError) return unchanged(upstream, bytes)
    throw new ProxyError('malformed', 'Cannot read answer: not a response to the request')
  }
  const changed = await change({ ...message, id }, upstream)
  if (changed === undefined) return unchanged(upstream, bytes)
  const status = message.error === undefined ? upstream.status : 200
  return jsonResponse(changed, status, clientHeaders(upstream.headers, true))
}

const NOTHING = new Uint8Array(0)

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
    return changeStream(exchange, upstream, id, change, false)
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

/** @throws {ProxyError} `too-large`, `timeout`, `unreachable` */
export async function readWhole(exchange: Exchange, upstream: Response): Promise<Uint8Array> {
  const maxBytes = exchange.settings.limits.maxTotalBytes
  const read = await readInTime(exchange, upstream, maxBytes)
  if (read.complete) return read.bytes
  discard(read.reader)
  throw new ProxyError('too-large', `Cannot read answer: longer than ${maxBytes} bytes`)
}

/** An answer that has to be complete before it can be changed must also come to its end. Row 30. */
async function readInTime(exchange: Exchange, upstream: Response, maxBytes: number): Promise<BoundedRead> {
  const { timeoutMs } = exchange.settings
  const deadline = AbortSignal.timeout(timeoutMs)
  try {
    return await readBounded(upstream.body, maxBytes, AbortSignal.any([exchange.signal, deadline]))
  } catch (cause) {
    exchange.signal.throwIfAborted()
    if (deadline.aborted) throw new ProxyError('timeout', `Cannot read answer: not complete within ${timeoutMs} ms`)
    throw new ProxyError('unreachable', 'Cannot read answer: the upstream broke off', {}, { cause })
  }
}

/**
 * @param own the stream loses its event ids, so nobody can resume it: where it ends without the answer, it has to say so
 */
function changeStream(
  exchange: Exchange,
  upstream: Response,
  id: string,
  change: ChangeAnswer,
  own: boolean,
): Response {
  const { relay, settings } = exchange
  let isAnswered = false
  const changeMessage = async (message: RpcMessage): Promise<Uint8Array | undefined> => {
    if (!message.isResponse) return undefined
    // Any response on this stream may be the list, but only one answers.
    const isOurs = isSameId(message.id ?? '', id)
    isAnswered ||= isOurs
    try {
      return await change(isOurs ? { ...message, id } : message, upstream)
    } catch (error) {
      // The status line is out: the answer itself has to say it.
      return faultMessage(id, error)
    }
  }
  const changeEvent = async (event: Uint8Array, data: Uint8Array): Promise<Uint8Array> => {
    const kept = own ? withoutIds(event) : event
    // What cannot be read here could be the list to another reader: it does not pass.
    const changed = await changeMessages(data, changeMessage, () => {
      isAnswered = true
      return errorMessage(id, -32603, 'Cannot read answer: not a message')
    })
    return changed === undefined ? kept : withData(kept, changed)
  }
  const body = eventStream(upstream.body, settings.limits.maxTotalBytes, {
    each: (event) => {
      const data = messageData(event)
      if (data === undefined) return own ? withoutIds(event) : event
      return changeEvent(event, data)
    },
    onLeave: exchange.leave,
    ...(own && {
      // The answer may have to be made of more than came.
      onStart: (stream) => {
        relay.open &&= () => stream
      },
      atEnd: () => (isAnswered ? NOTHING : eventOf(errorMessage(id, -32603, 'The stream ended before the answer'))),
      atFault: (error) => (isAnswered ? NOTHING : eventOf(faultMessage(id, error))),
      deadline: { timeoutMs: settings.timeoutMs, isDone: () => isAnswered },
    }),
  })
  return new Response(body, { status: upstream.status, headers: clientHeaders(upstream.headers, true) })
}
