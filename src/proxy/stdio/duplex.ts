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

  /** Waits for `each` before it goes on reading. Rejects with what `each` throws. */
  async readLines(each: (line: Line) => Promise<void> | void): Promise<void> {
    for (;;) {
      // A stream that breaks off has ended: its last line is judged like any other.
      const { done, value } = await this.#reader.read().catch(() => ({ done: true, value: undefined }) as const)
      const lines = done ? this.#splitter.end() : this.#splitter.push(value)
      for (const line of lines) {
        const waiting = each(line)
        if (waiting !== undefined) await waiting
      }
      if (done) return
    }
  }

  cancel(reason?: unknown): void {
    void this.#reader.cancel(reason).catch(() => {})
  }
}
