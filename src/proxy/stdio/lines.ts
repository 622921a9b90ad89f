/**
 * Messages over stdio are lines: cut at LF, a CR before it belongs to the line end. Counted while reading.
 * @module
 */

import { concat } from '../bytes.ts'

const LF = 0x0a
const CR = 0x0d
/** What is kept of a line that is too long: enough to tell whose it is. */
const HEAD_BYTES = 4096
const TAIL_BYTES = 1024
const NOTHING = new Uint8Array(0)

/** A line without its end, or the two ends of one that is longer than the bound. */
export type Line =
  | { readonly kind: 'line'; readonly bytes: Uint8Array }
  | { readonly kind: 'too-long'; readonly head: Uint8Array; readonly tail: Uint8Array }

/** A copy of its own: a runtime's chunk may be a view on much more, or of another class. */
function copyOf(chunk: Uint8Array, start: number, end: number): Uint8Array {
  const made = new Uint8Array(end - start)
  made.set(chunk.subarray(start, end))
  return made
}

/** Cuts a byte stream into lines. Empty ones are left out. */
export class LineSplitter {
  readonly #maxBytes: number
  #buffer = NOTHING
  #length = 0
  /** Set while the rest of a line that is too long is skipped. */
  #head: Uint8Array | undefined
  #tail = NOTHING

  /** @param maxBytes most bytes of one line, its end not counted */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Takes a chunk and gives the lines it completes. */
  *push(chunk: Uint8Array): Generator<Line, void, undefined> {
    let start = 0
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, start)) {
      const line = this.#complete(chunk, start, end)
      if (line !== undefined) yield line
      start = end + 1
    }
    this.#keep(chunk, start, chunk.length)
  }

  /** What stands behind the last line end, once the stream has ended. */
  *end(): Generator<Line, void, undefined> {
    const line = this.#complete(NOTHING, 0, 0)
    if (line !== undefined) yield line
  }

  #complete(chunk: Uint8Array, start: number, end: number): Line | undefined {
    this.#keep(chunk, start, end)
    const head = this.#head
    if (head !== undefined) {
      const tail = this.#tail.at(-1) === CR ? this.#tail.subarray(0, -1) : this.#tail
      this.#head = undefined
      this.#tail = NOTHING
      return { kind: 'too-long', head, tail }
    }
    const length = this.#buffer[this.#length - 1] === CR && this.#length > 0 ? this.#length - 1 : this.#length
    const kept = this.#buffer
    this.#length = 0
    // A buffer that grew for one long line is not kept for the short ones that follow.
    if (kept.length > 65_536) this.#buffer = NOTHING
    if (length > this.#maxBytes) return tooLong(kept.subarray(0, length))
    return length === 0 ? undefined : { kind: 'line', bytes: copyOf(kept, 0, length) }
  }

  #keep(chunk: Uint8Array, start: number, end: number): void {
    if (start === end) return
    if (this.#head !== undefined) {
      const more = copyOf(chunk, Math.max(start, end - TAIL_BYTES), end)
      const tail = concat([this.#tail, more])
      this.#tail = tail.slice(Math.max(0, tail.length - TAIL_BYTES))
      return
    }
    const length = this.#length + end - start
    // One more byte may be the CR of the line end.
    if (length > this.#maxBytes + 1) {
      const { head } = tooLong(this.#buffer.subarray(0, this.#length))
      const missing = Math.max(0, HEAD_BYTES - head.length)
      const kept = this.#buffer.slice(Math.max(0, this.#length - TAIL_BYTES), this.#length)
      this.#head = concat([head, copyOf(chunk, start, Math.min(end, start + missing))])
      this.#tail = kept
      this.#buffer = NOTHING
      this.#length = 0
      return this.#keep(chunk, start, end)
    }
    if (length > this.#buffer.length) {
      const grown = new Uint8Array(Math.min(Math.max(length, this.#buffer.length * 2, 1024), this.#maxBytes + 1))
      grown.set(this.#buffer.subarray(0, this.#length))
      this.#buffer = grown
    }
    this.#buffer.set(chunk.subarray(start, end), this.#length)
    this.#length = length
  }
}

const tooLong = (bytes: Uint8Array) =>
  ({
    kind: 'too-long',
    head: bytes.slice(0, HEAD_BYTES),
    tail: bytes.slice(Math.max(0, bytes.length - TAIL_BYTES)),
  }) as const
