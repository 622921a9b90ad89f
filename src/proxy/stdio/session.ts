/**
 * One client and one server over lines: requests of the table go through the engine, everything else passes as it is.
 * @module
 */

import { readBatch, together } from '../batch.ts'
import { isUtf8 } from '../bytes.ts'
import { CatalogMemory } from '../catalog.ts'
import { classify, isModern, REVISION, type RpcRequest } from '../classify.ts'
import { ProxyError } from '../errors.ts'
import { errorMessage, type RpcMessage, readMessage } from '../rpc.ts'
import { type CompleteSettings, completeSettings } from '../settings.ts'
import { handle } from '../table.ts'
import { agreedVersion, type ClientMessage, methodOf, readClientMessage } from './client-message.ts'
import type { LineWriter } from './duplex.ts'
import { IdMap, idKey } from './ids.ts'
import { LineExchange, linesOf, requestFor } from './line-exchange.ts'
import type { Line } from './lines.ts'
import { messagesOf, Noise } from './noise.ts'
import { remainsOf, standIn } from './remains.ts'
import { ServerSide } from './server-side.ts'
import type { Settled } from './settings.ts'
import { Work } from './work.ts'

/** More at once is refused: each holds memory here. */
const MAX_OPEN = 1024
/** Requests that pass as they are, remembered to tell whose an answer is. */
const MAX_PASSED = 8192

export class StdioSession {
  readonly #client: LineWriter
  readonly #server: LineWriter
  readonly #upstream: ServerSide
  readonly #settings: CompleteSettings
  #memory: CatalogMemory
  readonly #maxBytes: number
  readonly #report: (fault: ProxyError) => void
  readonly #noise: Noise
  /** What the engine is at work on. */
  readonly #open = new IdMap<Work>()
  readonly #running = new Set<Promise<void>>()
  readonly #passed = new IdMap<string>(MAX_PASSED)
  /** What `initialize` agreed on. */
  #version: string | undefined
  #initializing: Promise<void> | undefined

  constructor(client: LineWriter, server: LineWriter, { maxBytes, report, common }: Settled) {
    this.#maxBytes = maxBytes
    this.#client = client
    this.#server = server
    this.#report = report
    this.#noise = new Noise(report)
    this.#upstream = new ServerSide(server)
    this.#settings = completeSettings<unknown>({
      ...common,
      upstream: (request, work) => this.#upstream.ask(request, work as Work),
      maxRequestBytes: this.#maxBytes,
    })
    this.#memory = new CatalogMemory(this.#settings.sourceDigests)
  }

  /** A line of the client. Resolves when the next one may be read. */
  async fromClient(line: Line): Promise<void> {
    if (line.kind === 'too-long') return this.#tooLong(line, true)
    const { bytes } = line
    if (!isUtf8(bytes)) {
      this.#report(new ProxyError('malformed', 'Cannot read message of the client: not UTF-8'))
      return this.#tell(errorMessage('null', -32700, 'Parse error: not UTF-8'))
    }
    const classified = classify(bytes, null)
    if (classified.kind === 'ambiguous') {
      return this.#tell(errorMessage(classified.id, -32600, 'A name occurs twice in the message'))
    }
    const batch = readBatch(bytes, this.#version ?? null, this.#settings)
    if (batch !== undefined && 'problem' in batch) return this.#tell(errorMessage('null', -32600, batch.problem))
    const own = classified.kind === 'request' ? [classified.request] : (batch?.own ?? [])
    if (this.#isInUse(readClientMessage(bytes).asks, own)) {
      return this.#tell(errorMessage('null', -32600, 'The id is in use by a request that is not answered yet'))
    }
    for (const request of own) await this.#start(request)
    if (own.length === 0) await this.#pass(bytes)
    else if (batch !== undefined && batch.rest.length > 0) await this.#pass(together(batch.rest))
  }

  /** A line of the server. Resolves when the next one may be read. @throws {ProxyError} `malformed` */
  async fromServer(line: Line): Promise<void> {
    if (line.kind === 'too-long') return this.#tooLong(line, false)
    const { bytes } = line
    const messages = isUtf8(bytes) ? messagesOf(bytes) : undefined
    if (messages === undefined) return this.#unreadable(bytes)
    this.#noise.reset()
    // Of a batch only what is left of it passes, once something in it was asked here.
    const rest: RpcMessage[] = []
    for (const message of messages) if (!(await this.#take(message))) rest.push(message)
    if (rest.length === messages.length) return this.#tell(bytes)
    for (const message of rest) await this.#tell(message.bytes)
  }

  /** Resolves when the engine has nothing left to do. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  /** The server answers nothing any more: what waits for it is answered with an error. */
  serverEnded(): void {
    this.#upstream.end()
    for (const id of this.#passed.values()) void this.#tell(errorMessage(id, -32603, 'The server has ended'))
  }

  /** The client hears nothing any more. */
  clientLeft(): void {
    for (const work of this.#open.values()) work.cancel()
  }

  /** Two answers with one id could not be told apart, and an error with it would be taken for the first one's. */
  #isInUse(asks: ClientMessage['asks'], own: readonly RpcRequest[]): boolean {
    if (asks.some(({ key }) => this.#open.has(key))) return true
    return (
      own.length > 0 &&
      (new Set(asks.map(({ key }) => key)).size < asks.length || own.some(({ id }) => this.#passed.has(idKey(id))))
    )
  }

  async #pass(bytes: Uint8Array): Promise<void> {
    const { asks, cancels } = readClientMessage(bytes)
    for (const { key, id } of asks) this.#passed.set(key, id)
    for (const key of cancels) {
      if (!this.#passed.has(key)) this.#open.get(key)?.cancel()
      this.#passed.delete(key)
    }
    await this.#server.write(bytes).catch(() => {})
  }

  async #start(request: RpcRequest): Promise<void> {
    if (this.#open.size >= MAX_OPEN) {
      return this.#tell(errorMessage(request.id, -32603, `More than ${MAX_OPEN} requests at once`))
    }
    const work = new Work(request)
    const stepped = work.nextStep()
    this.#open.set(work.key, work)
    const running = this.#answer(work)
      // Who has cancelled gets no answer.
      .catch(() => (work.signal.aborted ? undefined : this.#tell(errorMessage(request.id, -32603, 'Internal error'))))
      .finally(() => {
        this.#close(work)
        this.#running.delete(running)
        if (work.isInitialize) this.#initializing = undefined
        work.end()
      })
    this.#running.add(running)
    if (work.isInitialize) this.#initializing = running
    await stepped
    // Nobody runs ahead of a server that does not read.
    await this.#server.ready()
  }

  async #answer(work: Work): Promise<void> {
    const { isInitialize, signal } = work
    if (!isInitialize && this.#initializing !== undefined) {
      // Which revision it is about is known when `initialize` was answered; cancelling must not wait for that.
      work.step()
      await this.#initializing
    }
    const exchange = new LineExchange(requestFor(work, this.#version), work, this.#settings)
    const lines = await linesOf(await handle(exchange, this.#memory), this.#maxBytes)
    if (signal.aborted) return
    // Once the answer is out its id is free.
    this.#close(work)
    if (isInitialize) {
      for (const line of lines) this.#agree(line)
      // Before the client hears of it: what it sends then waits for nothing.
      this.#initializing = undefined
    }
    for (const line of lines) await this.#tell(line)
  }

  #close(work: Work): void {
    if (this.#open.get(work.key) === work) this.#open.delete(work.key)
  }

  /** Only the legacy era agrees on a revision beforehand. */
  #agree(line: Uint8Array): void {
    const message = readMessage(line)
    const version = message === undefined ? undefined : agreedVersion(message)
    // What is no revision would be no header either.
    if (version !== undefined && REVISION.test(version) && !isModern(version)) this.#version = version
  }

  /** True for an answer that the engine waits for, or that would be taken for one of its answers. */
  async #take(message: RpcMessage): Promise<boolean> {
    const { id, isResponse } = message
    if (!isResponse || id === undefined) {
      // REQ-P-22: nothing is answered from a catalog that has changed, nor remembered by who has asked before.
      if (methodOf(message) === 'notifications/tools/list_changed') {
        this.#memory = new CatalogMemory(this.#settings.sourceDigests)
      }
      return false
    }
    const key = idKey(id)
    // The very id goes before one that is equal only to a server that reads doubles.
    const isPassed = this.#passed.has(key) && !this.#upstream.waitsFor(key)
    if (!isPassed && (await this.#upstream.take(message))) return true
    if (this.#passed.take(key) !== undefined) return false
    return this.#upstream.isLate(key) || this.#open.has(key)
  }

  /** It could be the list to another reader: it does not pass. Whoever can be told that something is missing is told. */
  async #unreadable(bytes: Uint8Array): Promise<void> {
    const remains = remainsOf(bytes, bytes.subarray(-1024))
    const told = remains.isOfProtocol ? standIn(remains, 'not a message') : undefined
    if (told?.to === 'receiver') await this.#fromServer(told.message)
    this.#noise.take(bytes)
  }

  /** A message in place of one of the server's. */
  async #fromServer(bytes: Uint8Array): Promise<void> {
    const message = readMessage(bytes)
    if (message === undefined || !(await this.#take(message))) await this.#tell(bytes)
  }

  async #tooLong({ head, tail }: Line & { kind: 'too-long' }, isFromClient: boolean): Promise<void> {
    const problem = `longer than ${this.#maxBytes} bytes`
    this.#report(new ProxyError('too-large', `Cannot read message: ${problem}`))
    const told = standIn(remainsOf(head, tail), problem)
    if (told === undefined) {
      if (isFromClient) await this.#tell(errorMessage('null', -32600, `Request is ${problem}`))
    } else if ((told.to === 'sender') === isFromClient) {
      await (isFromClient ? this.#tell(told.message) : this.#fromServer(told.message))
    } else {
      // Not waited for where it goes back: a server that is stuck writing reads nothing.
      const written = this.#server.write(told.message).catch(() => {})
      if (isFromClient) await written
    }
  }

  /** How a client that has gone takes it is nobody's concern. */
  #tell(line: Uint8Array): Promise<void> {
    return this.#client.write(line).catch(() => {})
  }
}
