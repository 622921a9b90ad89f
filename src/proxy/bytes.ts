/**
 * Bytes in, bytes out: bounded reading and splicing.
 * @module
 */

import { decodeUtf8, encodeUtf8 } from '../json/bytes.ts'
import type { Span } from '../json/index.ts'

export { decodeUtf8, encodeUtf8 }

/** What the platform's constructors take; our arrays are never shared memory. */
export const asBody = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => bytes as Uint8Array<ArrayBuffer>

/** The text of a range of UTF-8. */
export const textOf = (bytes: Uint8Array, span: Span): string => decodeUtf8(bytes.subarray(span.start, span.end))

/** True where the bytes are UTF-8 throughout. */
export function isUtf8(bytes: Uint8Array): boolean {
  try {
    decodeUtf8(bytes)
    return true
  } catch {
    return false
  }
}

/** Replaces `start … end` by `by`. */
export interface Edit extends Span {
  readonly by: string | Uint8Array
}

/** A copy with the edits made; they must not overlap and are given in ascending order. */
export function splice(bytes: Uint8Array, edits: readonly Edit[]): Uint8Array {
  const inserts = edits.map(({ by }) => (typeof by === 'string' ? encodeUtf8(by) : by))
  let length = bytes.length
  for (const [at, edit] of edits.entries()) length += (inserts[at] as Uint8Array).length - (edit.end - edit.start)
  const made = new Uint8Array(length)
  let from = 0
  let to = 0
  for (const [at, edit] of edits.entries()) {
    const kept = bytes.subarray(from, edit.start)
    made.set(kept, to)
    to += kept.length
    const insert = inserts[at] as Uint8Array
    made.set(insert, to)
    to += insert.length
    from = edit.end
  }
  made.set(bytes.subarray(from), to)
  return made
}

/** All parts in one array. */
export function concat(parts: readonly Uint8Array[]): Uint8Array {
  let length = 0
  for (const part of parts) length += part.length
  const made = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    made.set(part, at)
    at += part.length
  }
  return made
}

/** What a bounded read found: everything, or the chunks read so far and the reader that holds the rest. */
export type BoundedRead =
  | { readonly complete: true; readonly bytes: Uint8Array }
  | {
      readonly complete: false
      readonly chunks: readonly Uint8Array[]
      readonly reader: ReadableStreamDefaultReader<Uint8Array>
    }

const NOTHING = new Uint8Array(0)

/**
 * Reads a body, counting while reading, and stops as soon as more than `maxBytes` arrived. An abort cancels the body and rejects
 * with the signal's reason.
 */
export async function readBounded(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
  signal?: AbortSignal,
): Promise<BoundedRead> {
  if (body === null) return { complete: true, bytes: NOTHING }
  const reader = body.getReader()
  const stop = () => void reader.cancel(signal?.reason).catch(() => {})
  if (signal?.aborted) stop()
  signal?.addEventListener('abort', stop)
  try {
    const chunks: Uint8Array[] = []
    let length = 0
    for (;;) {
      const { done, value } = await reader.read()
      signal?.throwIfAborted()
      if (done) break
      chunks.push(value)
      length += value.length
      if (length > maxBytes) return { complete: false, chunks, reader }
    }
    return { complete: true, bytes: chunks.length === 1 ? (chunks[0] as Uint8Array) : concat(chunks) }
  } finally {
    signal?.removeEventListener('abort', stop)
  }
}

/** The whole of a body; undefined where it is longer than `maxBytes`: nobody wants the rest. */
export async function readAll(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
  signal?: AbortSignal,
): Promise<Uint8Array | undefined> {
  const read = await readBounded(body, maxBytes, signal)
  if (read.complete) return read.bytes
  discard(read.reader)
  return undefined
}

/** The chunks already read and then the rest: a stream as if nothing had been read. */
export function replay(chunks: readonly Uint8Array[], reader: ReadableStreamDefaultReader<Uint8Array>): ReadableStream {
  let next = 0
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const early = chunks[next++]
      if (early !== undefined) return controller.enqueue(early)
      const { done, value } = await reader.read()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: (reason) => reader.cancel(reason),
  })
}

/** Ends a body or reader nobody wants any more. How the source takes that is its own affair. */
export function discard(source: ReadableStream | ReadableStreamDefaultReader | null): void {
  void source?.cancel().catch(() => undefined)
}
