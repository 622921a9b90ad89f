/**
 * The server behind stdio as the upstream of the engine: one request is one line, its answer the line with the same id.
 * @module
 */

import { asBody, encodeUtf8 } from '../bytes.ts'
import { errorMessage, jsonResponse, type RpcMessage, readMessage } from '../rpc.ts'
import type { LineWriter } from './duplex.ts'
import { IdMap, idKey } from './ids.ts'
import type { Work } from './work.ts'

/** Ids of requests that were answered or given up. */
const MAX_CLOSED = 4096
/** REQ-P-15: so begin the ids of the engine's own requests. */
const NESTED = '"~sd:'

interface Waiting {
  /** JSON text. */
  readonly id: string
  readonly work: Work
  /** Held here, or its signal may be collected before it fires. */
  readonly request: Request
  readonly answer: (answer: Response) => void
}

export class ServerSide {
  readonly #out: LineWriter
  readonly #waiting = new IdMap<Waiting>()
  readonly #closed = new IdMap<true>(MAX_CLOSED)
  #hasEnded = false

  constructor(out: LineWriter) {
    this.#out = out
  }

  /** The engine's upstream. Rejects where the request is aborted. */
  readonly ask = async (request: Request, work: Work): Promise<Response> => {
    const body = new Uint8Array(await request.arrayBuffer())
    const id = readMessage(body)?.id
    if (id === undefined) throw new TypeError('Not a request')
    const key = idKey(id)
    const signals = [work.signal, request.signal]
    for (const signal of signals) signal.throwIfAborted()
    if (this.#hasEnded) return endedAnswer(id)
    return new Promise<Response>((resolve, reject) => {
      const answer = (answer: Response): void => {
        forget()
        resolve(answer)
      }
      const forget = (): void => {
        for (const signal of signals) signal.removeEventListener('abort', giveUp)
      }
      const giveUp = (): void => {
        forget()
        this.#waiting.delete(key)
        this.#closed.set(key, true)
        // What the client gives up it cancels itself, under its own id; and `initialize` is never cancelled.
        if (key !== work.key || !(work.signal.aborted || work.isInitialize)) this.#cancel(id)
        reject(new Error('Given up'))
      }
      for (const signal of signals) signal.addEventListener('abort', giveUp)
      this.#waiting.set(key, { id, work, request, answer })
      this.#out.write(body).catch(() => {
        this.#waiting.delete(key)
        answer(endedAnswer(id))
      })
      work.step()
    })
  }

  /** Takes an answer that is waited for here. True where one was: once that is so, what it leads to has been written. */
  async take({ id, bytes }: RpcMessage): Promise<boolean> {
    const key = idKey(id as string)
    const waiting = this.#waiting.take(key)
    if (waiting === undefined) return false
    const { work, answer } = waiting
    this.#closed.set(key, true)
    const stepped = work.nextStep()
    answer(new Response(asBody(bytes), { headers: { 'content-type': 'application/json' } }))
    // A page of a listing is not the client's: whatever is made of it may take its time.
    if (key === work.key) await stepped
    return true
  }

  waitsFor(key: string): boolean {
    return this.#waiting.has(key)
  }

  /** True for an answer to what was answered or given up before: nobody waits for it, and the client would take it for ours. */
  isLate(key: string): boolean {
    return this.#closed.get(key) === true || key.startsWith(NESTED)
  }

  /** The server answers nothing any more. */
  end(): void {
    this.#hasEnded = true
    for (const { id, answer } of this.#waiting.values()) answer(endedAnswer(id))
  }

  #cancel(id: string): void {
    const notice = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id}}}`
    this.#out.write(encodeUtf8(notice)).catch(() => {})
  }
}

const endedAnswer = (id: string): Response => jsonResponse(errorMessage(id, -32603, 'The server has ended'))
