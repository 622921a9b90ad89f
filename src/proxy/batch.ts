/**
 * Row 26: several messages in one body, as revision 2025-03-26 has them. REQ-P-40.
 * @module
 */

import { isSchemaUri } from '../core/index.ts'
import { JsonError, JsonReader } from '../json/index.ts'
import { takesEvents } from './answer-stream.ts'
import { asBody, concat, discard, encodeUtf8, readBounded } from './bytes.ts'
import { type Classified, classify, type RpcRequest, stringParam } from './classify.ts'
import { eventStream } from './event-stream.ts'
import type { Exchange } from './exchange.ts'
import { faultMessage } from './faults.ts'
import { completesTemplate } from './resources.ts'
import { errorMessage, isSameId, jsonResponse, readMessages } from './rpc.ts'
import type { CommonSettings } from './settings.ts'
import { eventOf, isEventStream, messageData, withoutIds } from './sse.ts'

/** Most elements of a batch that is taken apart: each may list upstream. */
const MAX_ELEMENTS = 64
const ERROR_BYTES = 65_536
/** The one revision that has batches. Without a header it is the one that is meant. */
const REVISION = '2025-03-26'

/** A batch that is taken apart: what is answered here, one by one, and what goes on together. */
export interface Batch {
  readonly own: readonly RpcRequest[]
  readonly rest: readonly Uint8Array[]
  /** Ids of the requests in `rest`, as JSON text. */
  readonly restIds: readonly string[]
}

/** What becomes of an array: a refusal of ours, a batch to take apart, or undefined where its bytes go on as they are. */
export function readBatch(
  bytes: Uint8Array,
  version: string | null,
  settings: CommonSettings,
): Batch | { readonly problem: string } | undefined {
  const elements = elementsOf(bytes)
  if (elements === undefined) return undefined
  const classified = elements.map((element) => classify(element, version))
  if (classified.some(({ kind }) => kind === 'ambiguous')) return { problem: 'A name occurs twice in the request' }
  // The upstream refuses both: batches of the modern era, and a session that begins inside one.
  if (classified.some(isRefusedAnyway)) return undefined
  const isOwn = (one: Classified): boolean => one.kind === 'request' && isIntercepted(one.request, settings)
  if (!classified.some(isOwn)) return undefined
  if (version !== null && version !== REVISION) return { problem: `Revision ${version.slice(0, 32)} has no batches` }
  if (elements.length > MAX_ELEMENTS) return { problem: `A batch has more than ${MAX_ELEMENTS} messages` }
  const rest = classified.flatMap((one, index) => (isOwn(one) ? [] : [{ one, element: elements[index] as Uint8Array }]))
  return {
    own: classified.flatMap((one) => (one.kind === 'request' && isOwn(one) ? [one.request] : [])),
    rest: rest.map(({ element }) => element),
    restIds: rest.flatMap(({ one }) => (one.kind === 'request' ? one.request.id : (one.id ?? []))),
  }
}

function elementsOf(bytes: Uint8Array): Uint8Array[] | undefined {
  try {
    const reader = new JsonReader(bytes)
    if (reader.kind() !== 'array') return undefined
    const elements: Uint8Array[] = []
    reader.array(() => {
      reader.kind()
      const { start, end } = reader.span()
      elements.push(bytes.subarray(start, end))
    })
    reader.end()
    return elements
  } catch (error) {
    if (JsonError.is(error)) return undefined
    throw error
  }
}

const isRefusedAnyway = (one: Classified): boolean =>
  one.kind === 'request'
    ? one.request.envelope !== undefined || one.request.method === 'initialize'
    : one.kind === 'forward' && one.isModern

/** True for what is answered or changed here; a plain call passes as it is. */
function isIntercepted(request: RpcRequest, { searchTool, readTool, callTool }: CommonSettings): boolean {
  const { method } = request
  if (method === 'tools/call') {
    const name = stringParam(request, 'name')
    return name !== undefined && name !== '' && [searchTool, readTool, callTool].includes(name)
  }
  if (method === 'completion/complete') return completesTemplate(request)
  if (method.startsWith('resources/') && !method.endsWith('list')) return isSchemaUri(stringParam(request, 'uri') ?? '')
  return true
}

/** Who answers the parts of a batch. */
export interface BatchAnswers {
  readonly one: (request: RpcRequest) => Promise<Response>
  readonly rest: (body: Uint8Array) => Promise<Response>
}

/** One part's answer, and the ids that wait for theirs in it. */
interface Part {
  readonly response: Response
  readonly waiting: Set<string>
}

/**
 * Answers each part by its row, and gives all of it as one stream. What the upstream refuses as a whole – a credential, a session – is
 * the answer to the whole batch.
 */
export async function answerBatch(
  exchange: Exchange,
  { own, rest, restIds }: Batch,
  answers: BatchAnswers,
): Promise<Response> {
  if (!takesEvents(exchange.request)) {
    return jsonResponse(errorMessage('null', -32600, 'A batch is answered as text/event-stream only'), 406)
  }
  const parts: Part[] = await Promise.all([
    ...own.map(async (request) => ({ response: await answers.one(request), waiting: new Set([request.id]) })),
    ...(rest.length === 0 ? [] : [{ response: await answers.rest(together(rest)), waiting: new Set(restIds) }]),
  ])
  const streams = await Promise.all(parts.map((part) => streamOf(exchange, part)))
  const refusal = streams.find((stream) => stream instanceof Response)
  if (refusal !== undefined) {
    for (const stream of streams) if (stream !== refusal) discard(stream as ReadableStream)
    return refusal
  }
  const headers = new Headers({ 'content-type': 'text/event-stream' })
  for (const { response } of parts) {
    const session = response.headers.get('mcp-session-id')
    if (session !== null) headers.set('mcp-session-id', session)
  }
  return new Response(merge(streams as ReadableStream<Uint8Array>[]), { headers })
}

/** A part's answer as events, each request of it answered once; or a refusal that is none of them. */
async function streamOf(
  { signal, settings }: Exchange,
  { response, waiting }: Part,
): Promise<ReadableStream<Uint8Array> | Response> {
  const maxBytes = settings.limits.maxTotalBytes
  const answered = (data: Uint8Array): boolean => {
    const before = waiting.size
    for (const message of readMessages(data)) {
      if (!message.isResponse) continue
      for (const id of waiting) if (isSameId(id, message.id ?? '')) waiting.delete(id)
    }
    return waiting.size < before
  }
  const unanswered = (spell: (id: string) => Uint8Array): Uint8Array => {
    const ids = [...waiting]
    waiting.clear()
    return concat(ids.map((id) => eventOf(spell(id))))
  }
  const ended = () => unanswered((id) => errorMessage(id, -32603, 'The answer ended before this one'))
  if (response.ok && isEventStream(response)) {
    return eventStream(response.body, maxBytes, {
      each: (event) => {
        const data = messageData(event)
        if (data !== undefined) answered(data)
        return withoutIds(event)
      },
      atEnd: ended,
      atFault: (error) => unanswered((id) => faultMessage(id, error)),
    })
  }
  const read = await readBounded(response.body, response.ok ? maxBytes : ERROR_BYTES, signal)
  if (!read.complete) discard(read.reader)
  const bytes = read.complete ? read.bytes : NOTHING
  const isAnswer = answered(bytes)
  if (!response.ok && !isAnswer) return new Response(asBody(bytes), response)
  return new Response(asBody(concat([isAnswer ? eventOf(bytes) : NOTHING, ended()]))).body ?? new ReadableStream()
}

/** All streams in one, chunk by chunk: each chunk holds whole events. Whoever leaves ends them all. */
function merge(streams: readonly ReadableStream<Uint8Array>[]): ReadableStream<Uint8Array> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const writer = writable.getWriter()
  const readers = streams.map((stream) => stream.getReader())
  const pour = async (reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> => {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      await writer.write(value)
    }
  }
  writer.closed.catch(() => readers.forEach(discard))
  Promise.all(readers.map(pour)).then(
    () => writer.close().catch(() => undefined),
    (error) => writer.abort(error).catch(() => undefined),
  )
  return readable
}

const NOTHING = new Uint8Array(0)
const COMMA = encodeUtf8(',')

/** Messages as one array. */
export const together = (elements: readonly Uint8Array[]): Uint8Array =>
  concat([
    encodeUtf8('['),
    ...elements.flatMap((element, index) => (index === 0 ? [element] : [COMMA, element])),
    encodeUtf8(']'),
  ])
