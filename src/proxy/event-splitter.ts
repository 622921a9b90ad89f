/**
 * A stream of bytes cut into server-sent events.
 * @module
 */

import { ProxyError } from './errors.ts'

const LF = 0x0a
const CR = 0x0d
/** What a splitter holds between events, however long they were. */
const KEPT_BYTES = 65_536
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]

/** Cuts a byte stream into events, each with the blank line that ends it. What is not complete yet is kept, bounded. */
export class EventSplitter {
  #buffer = new Uint8Array(1024)
  #length = 0
  /** Start of the line that is being scanned, and how far it has been. */
  #lineStart = 0
  #scanned = 0
  /** The last byte was a CR that ended a line: a LF that follows belongs to it. */
  #afterCr = false
  /** False until it is known whether the stream begins with a byte order mark, which is no part of its first line. */
  #isOpen = false
  readonly #maxBytes: number

  /** @param maxBytes most bytes of one event */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Takes a chunk and gives the events it completes, one after another. @throws {ProxyError} `too-large` */
  *push(chunk: Uint8Array): Generator<Uint8Array, void, undefined> {
    this.#append(chunk)
    if (!this.#isOpen && !this.#skipMark()) return
    const buffer = this.#buffer
    const length = this.#length
    let eventStart = 0
    let lineStart = this.#lineStart
    // Blank lines that follow one another leave together: each costs more alone than it says.
    let isBlank = this.#lineStart === 0
    let afterCr = this.#afterCr
    for (let at = this.#scanned; at < length; at++) {
      const byte = buffer[at]
      const isSecondHalf = afterCr && byte === LF
      afterCr = byte === CR
      if (isSecondHalf) lineStart = at + 1
      else if (byte === LF || byte === CR) {
        const isEmpty = at === lineStart
        if (byte === CR && at + 1 < length && buffer[at + 1] === LF) {
          at++
          afterCr = false
        }
        lineStart = at + 1
        if (!isEmpty) isBlank = false
        else if (!isBlank) {
          this.#check(at + 1 - eventStart)
          yield buffer.slice(eventStart, at + 1)
          eventStart = at + 1
          isBlank = true
        }
      }
    }
    // Nor are they held back.
    if (isBlank && lineStart > eventStart) {
      yield buffer.slice(eventStart, lineStart)
      eventStart = lineStart
    }
    this.#afterCr = afterCr
    this.#lineStart = lineStart
    this.#scanned = length
    this.#drop(eventStart)
    this.#check(this.#length)
  }

  /** Bytes that are held, taken or not. */
  get size(): number {
    return this.#buffer.length
  }

  /** What came behind the last complete event. */
  rest(): Uint8Array {
    return this.#buffer.slice(0, this.#length)
  }

  /** Drops a mark at the very start; false while there are too few bytes to tell. */
  #skipMark(): boolean {
    const isMark = BYTE_ORDER_MARK.every((byte, at) => at >= this.#length || this.#buffer[at] === byte)
    if (isMark && this.#length < BYTE_ORDER_MARK.length) return false
    this.#isOpen = true
    if (isMark) {
      this.#buffer.copyWithin(0, BYTE_ORDER_MARK.length, this.#length)
      this.#length -= BYTE_ORDER_MARK.length
    }
    return true
  }

  #check(length: number): void {
    if (length <= this.#maxBytes) return
    throw new ProxyError('too-large', `Cannot read event: longer than ${this.#maxBytes} bytes`)
  }

  #append(chunk: Uint8Array): void {
    const needed = this.#length + chunk.length
    if (needed > this.#buffer.length) {
      const grown = new Uint8Array(Math.max(needed, this.#buffer.length * 2))
      grown.set(this.#buffer.subarray(0, this.#length))
      this.#buffer = grown
    }
    this.#buffer.set(chunk, this.#length)
    this.#length = needed
  }

  #drop(count: number): void {
    if (count === 0) return
    const left = this.#length - count
    // What grew for one long event is not kept while short ones follow, or none.
    if (this.#buffer.length > KEPT_BYTES && left < KEPT_BYTES / 2) {
      const smaller = new Uint8Array(KEPT_BYTES)
      smaller.set(this.#buffer.subarray(count, this.#length))
      this.#buffer = smaller
    } else this.#buffer.copyWithin(0, count, this.#length)
    this.#length = left
    this.#lineStart -= count
    this.#scanned -= count
  }
}
