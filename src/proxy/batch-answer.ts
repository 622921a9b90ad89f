/**
 * Row 26: the parts of a batch answered side by side, as one stream. REQ-P-40.
 * @module
 */

import { takesEvents } from './answer-stream.ts'
import { type Batch, together } from './batch.ts'
import { asBody, concat, discard, readBounded } from './bytes.ts'
import type { RpcRequest } from './classify.ts'
import { ProxyError } from './errors.ts'
import { eventStream } from './event-stream.ts'
import type { Exchange } from './exchange.ts'
import { faultMessage } from './faults.ts'
import { errorMessage, isSameId, jsonResponse, readMessages } from './rpc.ts'
import { eventOf, isEventStream, messageData, withoutIds } from './sse.ts'
import { readWhole } from './transform.ts'
import { UpstreamRefusal } from './upstream-refusal.ts'

/** Parts that are begun at once: each may list upstream. */
const WIDTH = 4

/** Who answers the parts of a batch. */
export interface BatchAnswers {
  readonly one: (request: RpcRequest) => Promise<Response>
  readonly rest: (body: Uint8Array) => Promise<Response>
}

/** The beginning of a part's answer, and the ids that wait in it, as JSON text. */
interface Part {
  readonly head: Promise<Response>
  readonly ids: readonly string[]
}

/**
 * Answers each part by its row. As long as no part has begun to stream, what the upstream refuses as a whole – a credential, a session
 * – is the answer to the whole batch; from then on it is that of its own part.
 */
export async function answerBatch(exchange: Exchange, batch: Batch, answers: BatchAnswers): Promise<Response> {
  if (!takesEvents(exchange.request)) {
    return jsonResponse(errorMessage('null', -32600, 'A batch is answered as text/event-stream only'), 406)
  }
  exchange.expectStream()
  const parts = begin(batch, answers)
  const streaming = new Promise<Response>((resolve, reject) => {
    for (const { head } of parts) head.then((response) => isStream(response) && resolve(response), reject)
  })
  const begun = await Promise.race([streaming, Promise.all(parts.map(({ head }) => head))])
  const responses = begun instanceof Response ? [begun] : begun
  if (!(begun instanceof Response)) {
    const refusal = await refusalAmong(exchange, parts, begun)
    if (refusal !== undefined) return refusal
  }
  const headers = new Headers({ 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' })
  for (const response of responses) {
    const session = response.headers.get('mcp-session-id')
    if (session !== null) headers.set('mcp-session-id', session)
  }
  return new Response(merge(exchange, parts), { headers })
}

const isStream = (response: Response): boolean => response.ok && isEventStream(response)

/** What goes on together begins at once; of the others each waits for the one four before it to begin. */
function begin({ own, rest, restIds }: Batch, answers: BatchAnswers): Part[] {
  const parts: Part[] = []
  for (const [index, request] of own.entries()) {
    const before = parts[index - WIDTH]?.head ?? Promise.resolve()
    parts.push({ head: before.then(() => answers.one(request)), ids: [request.id] })
  }
  if (rest.length > 0) parts.push({ head: answers.rest(together(rest)), ids: restIds })
  return parts
}

/** What is refused so is not the part but who asks, or the session. */
const OF_THE_CALLER = new Set([401, 403, 404])

/** The first refusal of the caller that is no answer to a request of its part. Error bodies that are one can be read again. */
async function refusalAmong(
  exchange: Exchange,
  parts: Part[],
  responses: readonly Response[],
): Promise<Response | undefined> {
  for (const [index, response] of responses.entries()) {
    if (response.ok) continue
    const bytes = await readWhole(exchange, response)
    const { ids } = parts[index] as Part
    const copy = () => new Response(bytes.length === 0 ? null : asBody(bytes), response)
    if (OF_THE_CALLER.has(response.status) && !answersOneOf(bytes, ids)) {
      for (const [other, { body }] of responses.entries()) if (other !== index) discard(body)
      return copy()
    }
    parts[index] = { head: Promise.resolve(copy()), ids }
  }
  return undefined
}

const answersOneOf = (bytes: Uint8Array, ids: readonly string[]): boolean =>
  readMessages(bytes).some(({ isResponse, id }) => isResponse && ids.some((asked) => isSameId(asked, id ?? '')))

/** All parts in one stream, chunk by chunk: each chunk holds whole events. Whoever leaves ends them all. */
function merge(exchange: Exchange, parts: readonly Part[]): ReadableStream<Uint8Array> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const writer = writable.getWriter()
  const open = new Set<ReadableStreamDefaultReader<Uint8Array>>()
  const pour = async (part: Part): Promise<void> => {
    const reader = (await eventsOf(exchange, part)).getReader()
    open.add(reader)
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      await writer.write(value)
    }
    open.delete(reader)
  }
  writer.closed.catch((reason: unknown) => {
    exchange.leave(reason)
    for (const reader of open) discard(reader)
  })
  Promise.all(parts.map(pour)).then(
    () => writer.close().catch(() => undefined),
    (error: unknown) => writer.abort(error).catch(() => undefined),
  )
  return readable
}

/** A part's answer as events. Each request of it is answered, if only by an error. */
async function eventsOf({ signal, settings }: Exchange, { head, ids }: Part): Promise<ReadableStream<Uint8Array>> {
  const waiting = new Set(ids)
  const note = (data: Uint8Array): void => {
    for (const message of readMessages(data)) {
      if (!message.isResponse) continue
      const answered = message.id ?? ''
      // The very id goes before one that is equal only to a server that reads doubles.
      if (!waiting.delete(answered)) for (const id of waiting) if (isSameId(id, answered)) waiting.delete(id)
    }
  }
  const unanswered = (spell: (id: string) => Uint8Array): Uint8Array => {
    const left = [...waiting]
    waiting.clear()
    return concat(left.map((id) => eventOf(spell(id))))
  }
  const ended = () => unanswered((id) => errorMessage(id, -32603, 'The answer ended before this one'))
  const failed = (error: unknown) => unanswered((id) => faultMessage(id, error))
  const whole = (events: Uint8Array) => new Response(asBody(events)).body ?? new ReadableStream()
  const maxBytes = settings.limits.maxTotalBytes
  try {
    const response = await head
    if (isStream(response)) {
      return eventStream(response.body, maxBytes, {
        each: (event) => {
          const data = messageData(event)
          if (data !== undefined) note(data)
          return withoutIds(event)
        },
        atEnd: ended,
        atFault: failed,
      })
    }
    const read = await readBounded(response.body, maxBytes, signal)
    if (!read.complete) {
      discard(read.reader)
      throw new ProxyError('too-large', `Cannot read answer: longer than ${maxBytes} bytes`)
    }
    const { bytes } = read
    const before = waiting.size
    note(bytes)
    const said = waiting.size < before ? eventOf(bytes) : new Uint8Array(0)
    return whole(concat([said, response.ok ? ended() : failed(new UpstreamRefusal(response, undefined))]))
  } catch (error) {
    return whole(failed(error))
  }
}
