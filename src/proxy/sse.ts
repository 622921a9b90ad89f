/**
 * Server-sent events as bytes: split into events, taken apart, written. Lines end with LF, CRLF or CR.
 * @module
 */

import { asciiText } from '../json/bytes.ts'
import { concat, encodeUtf8 } from './bytes.ts'
import { ProxyError } from './errors.ts'

const LF = 0x0a
const CR = 0x0d

/** True for the media type of event streams. */
export const isEventStream = (response: Response): boolean =>
  /^text\/event-stream\s*(?:;|$)/i.test(response.headers.get('content-type') ?? '')

/** Cuts a byte stream into events, each with the blank line that ends it. What is not complete yet is kept, bounded. */
export class EventSplitter {
  #buffer = new Uint8Array(1024)
  #length = 0
  /** Start of the line that is being scanned, and how far it has been. */
  #lineStart = 0
  #scanned = 0
  readonly #maxBytes: number

  /** @param maxBytes most bytes of one event */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** @throws {ProxyError} `too-large` */
  push(chunk: Uint8Array): Uint8Array[] {
    this.#append(chunk)
    const events: Uint8Array[] = []
    let eventStart = 0
    let at = this.#scanned
    for (; at < this.#length; at++) {
      const byte = this.#buffer[at]
      if (byte !== LF && byte !== CR) continue
      // A CR at the very end may be half of a CRLF.
      if (byte === CR && at + 1 === this.#length) break
      const isEmpty = at === this.#lineStart
      if (byte === CR && this.#buffer[at + 1] === LF) at++
      this.#lineStart = at + 1
      if (isEmpty) {
        events.push(this.#buffer.slice(eventStart, at + 1))
        eventStart = at + 1
      }
    }
    this.#scanned = at
    this.#drop(eventStart)
    if (this.#length > this.#maxBytes) {
      throw new ProxyError('too-large', `Cannot read event: longer than ${this.#maxBytes} bytes`)
    }
    return events
  }

  /** What came behind the last complete event. */
  rest(): Uint8Array {
    return this.#buffer.slice(0, this.#length)
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
    this.#buffer.copyWithin(0, count, this.#length)
    this.#length -= count
    this.#lineStart -= count
    this.#scanned -= count
  }
}

interface Line {
  readonly field: string
  readonly value: Uint8Array
  readonly raw: Uint8Array
}

/** The lines of one event. Field names that matter are ASCII. */
function* lines(event: Uint8Array): Generator<Line> {
  let start = event[0] === 0xef && event[1] === 0xbb && event[2] === 0xbf ? 3 : 0
  while (start < event.length) {
    let end = start
    while (end < event.length && event[end] !== LF && event[end] !== CR) end++
    const next = event[end] === CR && event[end + 1] === LF ? end + 2 : end + 1
    const colon = event.subarray(start, end).indexOf(0x3a)
    const nameEnd = colon === -1 ? end : start + colon
    const valueStart = colon === -1 ? end : nameEnd + (event[nameEnd + 1] === 0x20 ? 2 : 1)
    yield {
      field: asciiText(event, start, nameEnd),
      value: event.subarray(Math.min(valueStart, end), end),
      raw: event.subarray(start, Math.min(next, event.length)),
    }
    start = next
  }
}

const NEWLINE = encodeUtf8('\n')
const NOTHING = new Uint8Array(0)

/** The data of an event that carries a message; undefined for comments, primers and other events. */
export function messageData(event: Uint8Array): Uint8Array | undefined {
  const data: Uint8Array[] = []
  // As in HTML: the last `event` line counts, and an empty one means `message`.
  let type: Uint8Array = NOTHING
  for (const { field, value } of lines(event)) {
    if (field === 'data') data.push(...(data.length === 0 ? [value] : [NEWLINE, value]))
    else if (field === 'event') type = value
  }
  if (type.length > 0 && asciiText(type, 0, type.length) !== 'message') return undefined
  const joined = data.length === 1 ? data[0] : concat(data)
  return joined === undefined || joined.length === 0 ? undefined : joined
}

/** The event without its `id` and `retry` lines: nobody shall resume a stream whose answer was changed. */
export function withoutIds(event: Uint8Array): Uint8Array {
  const kept: Uint8Array[] = []
  for (const { field, raw } of lines(event)) if (field !== 'id' && field !== 'retry') kept.push(raw)
  return concat(kept)
}

/** The event with its data replaced by a message; every other line stays. */
export function withData(event: Uint8Array, message: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = []
  let written = false
  for (const { field, raw } of lines(event)) {
    if (field !== 'data') parts.push(raw)
    else if (!written) {
      parts.push(dataLines(message))
      written = true
    }
  }
  return concat(parts)
}

const DATA = encodeUtf8('data: ')

/** White space of a message may hold line ends: each line is a `data` line of its own. Its bytes are not decoded. */
function dataLines(message: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = []
  let start = 0
  for (let at = 0; at <= message.length; at++) {
    const byte = message[at]
    if (at < message.length && byte !== LF && byte !== CR) continue
    parts.push(DATA, message.subarray(start, at), NEWLINE)
    if (byte === CR && message[at + 1] === LF) at++
    start = at + 1
  }
  return concat(parts)
}
