/**
 * Streams of Node as streams of the platform, with backpressure both ways.
 * @module
 */

import type { Readable, Writable } from 'node:stream'

const QUEUE = new ByteLengthQueuingStrategy({ highWaterMark: 65_536 })
const nothing = (): void => {}

/** @param onCancel when the reader wants nothing any more, or the source has failed */
export function readableOf(source: Readable, onCancel: () => void = nothing): ReadableStream<Uint8Array> {
  let isOpen = true
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const end = (last: () => void): void => {
          if (isOpen) last()
          isOpen = false
        }
        source.on('data', (chunk: Uint8Array) => {
          if (!isOpen) return
          controller.enqueue(new Uint8Array(chunk.buffer as ArrayBuffer, chunk.byteOffset, chunk.byteLength))
          if ((controller.desiredSize ?? 0) <= 0) source.pause()
        })
        source.on('end', () => end(() => controller.close()))
        source.on('close', () => end(() => controller.close()))
        source.on('error', (error) => {
          end(() => controller.error(error))
          onCancel()
        })
        source.pause()
      },
      pull: () => void source.resume(),
      cancel() {
        isOpen = false
        source.destroy()
        onCancel()
      },
    },
    QUEUE,
  )
}

/** @param onEnd ends the sink, once everything is written */
export function writableOf(sink: Writable, onEnd: () => void = nothing): WritableStream<Uint8Array> {
  return new WritableStream<Uint8Array>(
    {
      start(controller) {
        // A reader that has gone: whoever writes hears of it.
        sink.on('error', (error) => controller.error(error))
        sink.on('close', () => controller.error(new Error('The stream is closed')))
        // Now, and not once a write that may be stuck has come to its end.
        controller.signal.addEventListener('abort', onEnd)
      },
      write: (chunk) =>
        new Promise((resolve, reject) => {
          sink.write(chunk, (error) => (error == null ? resolve() : reject(error)))
        }),
      close: onEnd,
    },
    QUEUE,
  )
}
