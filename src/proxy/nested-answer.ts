/**
 * The answer to a request of our own, found by its id in a body or on a stream. §6.
 * @module
 */

import { discard, readAll } from './bytes.ts'
import { ProxyError } from './errors.ts'
import { EventSplitter } from './event-splitter.ts'
import { Resumption } from './resumption.ts'
import { isSameId, type RpcMessage, readMessage, readMessages } from './rpc.ts'
import { isEventStream, messageData } from './sse.ts'

/** What is waited for, and how. */
export interface Wait {
  /** JSON text. */
  readonly id: string
  /** Most bytes of one body or event. */
  readonly limit: number
  readonly signal: AbortSignal
  /** Told how many bytes were read. Throws where they are too many altogether. */
  readonly count: (bytes: number) => void
  /** Told what else comes on the stream. What it throws ends the wait. */
  readonly meanwhile: (message: RpcMessage) => void
  /** Asks for what follows an event; undefined where nobody answered. Absent where streams are not taken up again. */
  readonly resume?: ((lastEventId: string, signal: AbortSignal) => Promise<Response | undefined>) | undefined
}

export const isAnswerTo = (message: RpcMessage, id: string): boolean =>
  message.isResponse && isSameId(message.id ?? '', id)

/** @throws {ProxyError} `malformed`, `too-large`, `interrupted`; and whatever a body breaks off with */
export async function readAnswer(response: Response, wait: Wait): Promise<RpcMessage> {
  if (isEventStream(response)) return answerOnStream(response, wait)
  const { id, limit, signal, count } = wait
  const bytes = await readAll(response.body, limit, signal)
  if (bytes === undefined) throw tooLarge(limit)
  count(bytes.length)
  const message = readMessage(bytes)
  if (message !== undefined && isAnswerTo(message, id)) return message
  throw new ProxyError('malformed', 'Cannot list tools: upstream did not answer the request')
}

/** REQ-P-31: an upstream may cut its stream behind an event and give the rest to who asks for what follows it. */
async function answerOnStream(first: Response, wait: Wait): Promise<RpcMessage> {
  const resumption = new Resumption(wait.signal)
  try {
    let response: Response | undefined = first
    for (;;) {
      const answer = response && (await readStream(response, wait, resumption))
      if (answer !== undefined) return answer
      if (resumption.lastEventId === '') {
        throw new ProxyError('malformed', 'Cannot list tools: the stream ended before the answer')
      }
      response = await wait.resume?.(await resumption.next(), resumption.signal)
    }
  } finally {
    resumption.end()
  }
}

/** Undefined where the stream ends without the answer, or breaks off where it can be taken up again. */
async function readStream(
  response: Response,
  { id, limit, count, meanwhile, resume }: Wait,
  resumption: Resumption,
): Promise<RpcMessage | undefined> {
  const { signal } = resumption
  const splitter = new EventSplitter(limit)
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const stop = () => discard(reader)
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        if (resumption.lastEventId === '') throw error
        return { done: true, value: undefined } as const
      })
      signal.throwIfAborted()
      if (done) return undefined
      count(value.length)
      for (const event of splitter.push(value)) {
        if (resume !== undefined) resumption.note(event)
        const data = messageData(event)
        for (const message of data === undefined ? [] : readMessages(data)) {
          if (isAnswerTo(message, id)) return message
          meanwhile(message)
        }
      }
    }
  } finally {
    signal.removeEventListener('abort', stop)
    stop()
  }
}

export const tooLarge = (limit: number): ProxyError =>
  new ProxyError('too-large', `Cannot list tools: a page is longer than ${limit} bytes`)
