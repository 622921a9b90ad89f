/**
 * Two streams of bytes that belong together, and lines in and out of them.
 * @module
 */

import { type Line, LineSplitter } from './lines.ts'

/** A connection as bytes: what comes from the other side, and what goes to it. */
export interface ByteDuplex {
  readonly readable: ReadableStream<Uint8Array>
  readonly writable: WritableStream<Uint8Array>
}

const LF = 0x0a
/** Bytes read ahead of lines that are not taken yet. */
const READ_AHEAD = 1024 * 1024

/** Writes whole lines: two that are written at once never mix. */
export class LineWriter {
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>
  /** Ends the wait for lines that are not taken yet. */
  readonly #pending = new Set<(reason: unknown) => void>()
  /** Rejects once the other side takes nothing any more. */
  readonly closed: Promise<void>

  constructor(writable: WritableStream<Uint8Array>) {
    this.#writer = writable.getWriter()
    this.closed = this.#writer.closed.then(() => {})
    this.closed.catch(() => {})
  }

  /** Resolves when the other side has taken the line: whoever waits does not run ahead of it. */
  async write(line: Uint8Array): Promise<void> {
    const ended = new Uint8Array(line.length + 1)
    ended.set(line)
    ended[line.length] = LF
    await new Promise<void>((resolve, reject) => {
      this.#pending.add(reject)
      const settle = () => this.#pending.delete(reject)
      this.#writer.write(ended).then(resolve, reject).finally(settle)
    })
  }

  /** Resolves when the other side has room for more, or takes nothing any more. */
  async ready(): Promise<void> {
    await this.#writer.ready.catch(() => {})
  }

  /** After the lines so far. How the other side takes that is its own affair. */
  async close(): Promise<void> {
    await this.#writer.close().catch(() => {})
  }

  /** At once: a stream waits for the write it is at, and that may be stuck. */
  abort(reason: unknown): void {
    for (const reject of this.#pending) reject(reason)
    void this.#writer.abort(reason).catch(() => {})
  }
}

/** Reads lines, one after another, until the stream ends or breaks off. */
export class LineReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  readonly #splitter: LineSplitter

  constructor(readable: ReadableStream<Uint8Array>, maxBytes: number) {
    this.#reader = readable.getReader()
    this.#splitter = new LineSplitter(maxBytes)
  }

  /**
   * Waits for `each` before it goes on to the next line. Rejects with what `each` throws.
   *
   * @param onEnd called when the stream has ended, maybe before its last lines were taken: where it is given, a little is read ahead,
   * for only a reader sees the end
   */
  async readLines(each: (line: Line) => Promise<void> | void, onEnd?: () => void): Promise<void> {
    for await (const chunk of this.#chunks(onEnd)) {
      const lines = chunk === undefined ? this.#splitter.end() : this.#splitter.push(chunk)
      for (const line of lines) {
        const waiting = each(line)
        if (waiting !== undefined) await waiting
      }
    }
  }

  /** Every chunk, then `undefined` for the end. */
  async *#chunks(onEnd: (() => void) | undefined): AsyncGenerator<Uint8Array | undefined> {
    const ahead: Promise<Uint8Array | undefined>[] = []
    let held = 0
    const readOn = async (): Promise<Uint8Array | undefined> => {
      // A stream that breaks off has ended: its last line is judged like any other.
      const { done, value } = await this.#reader.read().catch(() => ({ done: true, value: undefined }) as const)
      if (done) {
        onEnd?.()
        return undefined
      }
      held += value.length
      if (onEnd !== undefined && held < READ_AHEAD) ahead.push(readOn())
      return value
    }
    for (;;) {
      if (ahead.length === 0) ahead.push(readOn())
      const chunk = await (ahead.shift() as Promise<Uint8Array | undefined>)
      held -= chunk?.length ?? 0
      yield chunk
      if (chunk === undefined) return
    }
  }

  cancel(reason?: unknown): void {
    void this.#reader.cancel(reason).catch(() => {})
  }
}
