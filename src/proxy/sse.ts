/**
 * Server-sent events as bytes: taken apart, written. Lines end with LF, CRLF or CR.
 * @module
 */

import { asciiText } from '../json/bytes.ts'
import { encodeUtf8 } from './bytes.ts'

const LF = 0x0a
const CR = 0x0d
const COLON = 0x3a
const SPACE = 0x20

/** True for the media type of event streams. */
export const isEventStream = (response: Response): boolean =>
  response.body !== null && /^text\/event-stream\s*(?:[;,]|$)/i.test(response.headers.get('content-type') ?? '')

/** Where the parts of a line stand: name, value, and the line that follows. Plain numbers: an event may have millions. */
type VisitLine = (start: number, nameEnd: number, valueStart: number, end: number, next: number) => void

function eachLine(event: Uint8Array, visit: VisitLine): void {
  let start = 0
  while (start < event.length) {
    let end = start
    let colon = -1
    for (; end < event.length && event[end] !== LF && event[end] !== CR; end++) {
      if (colon === -1 && event[end] === COLON) colon = end
    }
    const next = Math.min(event[end] === CR && event[end + 1] === LF ? end + 2 : end + 1, event.length)
    if (colon === -1) visit(start, end, end, end, next)
    else visit(start, colon, Math.min(colon + (event[colon + 1] === SPACE ? 2 : 1), end), end, next)
    start = next
  }
}

const DATA = encodeUtf8('data')
const EVENT = encodeUtf8('event')
const ID = encodeUtf8('id')
const RETRY = encodeUtf8('retry')
const MESSAGE = encodeUtf8('message')

function holds(event: Uint8Array, start: number, end: number, text: Uint8Array): boolean {
  if (end - start !== text.length) return false
  for (let index = 0; index < text.length; index++) if (event[start + index] !== text[index]) return false
  return true
}

/** Copies a range and returns the offset behind the copy. Most lines are too short for a view to pay. */
function copy(from: Uint8Array, start: number, end: number, to: Uint8Array, at: number): number {
  if (end - start > 64) to.set(from.subarray(start, end), at)
  else for (let index = start; index < end; index++) to[at + index - start] = from[index] as number
  return at + end - start
}

/** The data of an event that carries a message; undefined for comments, primers and other events. */
export function messageData(event: Uint8Array): Uint8Array | undefined {
  // Data is never longer than its lines.
  const data = new Uint8Array(event.length)
  let length = -1
  // As in HTML: the last `event` line counts, and an empty one means `message`.
  let isMessage = true
  eachLine(event, (start, nameEnd, valueStart, end) => {
    if (holds(event, start, nameEnd, DATA)) {
      if (length === -1) length = 0
      else data[length++] = LF
      length = copy(event, valueStart, end, data, length)
    } else if (holds(event, start, nameEnd, EVENT)) {
      isMessage = valueStart === end || holds(event, valueStart, end, MESSAGE)
    }
  })
  return isMessage && length > 0 ? data.subarray(0, length) : undefined
}

/** No header is longer that has to be sent back, and no number. */
const FIELD_BYTES = 1024

/** The last value of a name, a character a byte; of a longer one, a byte more than fits. Undefined where there is none. */
export function lastField(event: Uint8Array, name: 'id' | 'retry'): string | undefined {
  const field = encodeUtf8(name)
  let value: string | undefined
  eachLine(event, (start, nameEnd, valueStart, end) => {
    if (holds(event, start, nameEnd, field))
      value = asciiText(event, valueStart, Math.min(end, valueStart + FIELD_BYTES + 1))
  })
  return value
}

/** The event without its `id` and `retry` lines: nobody shall resume a stream whose answer was changed. */
export const withoutIds = (event: Uint8Array): Uint8Array => withoutLines(event, ID, RETRY)

/** A CR that ended a line and a LF that is one must not meet where a line between them went: they would be one line end. */
const apart = (kept: Uint8Array, length: number, next: number | undefined): number => {
  if (length === 0 || kept[length - 1] !== CR || next !== LF) return length
  kept[length] = LF
  return length + 1
}

function withoutLines(event: Uint8Array, ...names: Uint8Array[]): Uint8Array {
  const kept = new Uint8Array(event.length)
  let length = 0
  eachLine(event, (start, nameEnd, _valueStart, _end, next) => {
    if (names.some((name) => holds(event, start, nameEnd, name))) return
    length = copy(event, start, next, kept, apart(kept, length, event[start]))
  })
  return kept.subarray(0, length)
}

/** The event with its data replaced by a message; every other line stays. */
export function withData(event: Uint8Array, message: Uint8Array): Uint8Array {
  const lines = dataLines(message)
  const made = new Uint8Array(event.length + lines.length)
  let length = 0
  let isWritten = false
  eachLine(event, (start, nameEnd, _valueStart, _end, next) => {
    if (!holds(event, start, nameEnd, DATA)) length = copy(event, start, next, made, apart(made, length, event[start]))
    else if (!isWritten) {
      length = copy(lines, 0, lines.length, made, length)
      isWritten = true
    }
  })
  return made.subarray(0, length)
}

/** An event of our own. */
export const eventOf = (message: Uint8Array): Uint8Array => withData(encodeUtf8('data\n\n'), message)

const DATA_START = encodeUtf8('data: ')

/** White space of a message may hold line ends: each line is a `data` line of its own. Its bytes are not decoded. */
function dataLines(message: Uint8Array): Uint8Array {
  let count = 1
  for (const byte of message) if (byte === LF || byte === CR) count++
  const made = new Uint8Array(message.length + count * (DATA_START.length + 1))
  let length = 0
  let start = 0
  for (let at = 0; at <= message.length; at++) {
    const byte = message[at]
    if (at < message.length && byte !== LF && byte !== CR) continue
    made.set(DATA_START, length)
    made.set(message.subarray(start, at), length + DATA_START.length)
    length += DATA_START.length + at - start
    made[length++] = LF
    if (byte === CR && message[at + 1] === LF) at++
    start = at + 1
  }
  return made.subarray(0, length)
}
