/**
 * A stream of events on its way to the client, changed event by event. Nothing is held back.
 * @module
 */

import { concat, encodeUtf8 } from './bytes.ts'
import { ProxyError } from './errors.ts'
import { EventSplitter } from './event-splitter.ts'

/** Ends a line that was cut short, and its event. */
const LINE_ENDS = encodeUtf8('\n\n')
const LINE_END = encodeUtf8('\n')
const NOTHING = new Uint8Array(0)

/** What becomes of a stream. */
export interface EventChanges {
  /** An event as it goes on. */
  readonly each: (event: Uint8Array) => Promise<Uint8Array> | Uint8Array
  /** What the stream ends with, beside what came. Where it is given, an event that was cut short is completed. */
  readonly atEnd?: () => Uint8Array
  /** What the stream ends with after a fault. Without it the stream breaks off. */
  readonly atFault?: (error: unknown) => Uint8Array
  /** Given the stream, to put more on it, before anything else happens. */
  readonly onStart?: (stream: TransformStreamDefaultController<Uint8Array>) => void
  /** Called when the client leaves the stream. */
  readonly onLeave?: (reason: unknown) => void
  /** After so many milliseconds without `isDone` the stream ends with a fault. */
  readonly deadline?: { readonly timeoutMs: number; readonly isDone: () => boolean }
}

/** @param maxBytes most bytes of one event */
export function eventStream(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
  { each, atEnd, atFault, deadline, onStart, onLeave }: EventChanges,
): ReadableStream<Uint8Array> {
  const splitter = new EventSplitter(maxBytes)
  let isFirst = true
  let brokeOff: ProxyError | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const fail = (controller: TransformStreamDefaultController<Uint8Array>, error: unknown): void => {
    clearTimeout(timer)
    if (atFault === undefined) throw error
    controller.enqueue(concat([splitter.rest().length > 0 ? LINE_ENDS : NOTHING, atFault(error)]))
    controller.terminate()
  }
  // `cancel` is newer than the types know: a client that leaves ends the wait.
  const transformer: Transformer<Uint8Array, Uint8Array> & { cancel(reason: unknown): void } = {
    cancel(reason) {
      clearTimeout(timer)
      onLeave?.(reason)
    },
    start(controller) {
      onStart?.(controller)
      if (deadline === undefined) return
      const { timeoutMs, isDone } = deadline
      timer = setTimeout(() => {
        try {
          if (!isDone())
            fail(controller, new ProxyError('timeout', `Cannot read answer: not complete within ${timeoutMs} ms`))
        } catch {
          // The client has gone: there is nobody to tell.
        }
      }, timeoutMs)
    },
    async transform(chunk, controller) {
      // Events that need no waiting leave together, as they came.
      let ready: Uint8Array[] = []
      const send = (): void => {
        const bytes = concat(ready)
        if (bytes.length > 0) {
          // A later line's mark would be the stream's own once nothing stands before it.
          if (isFirst && bytes[0] === 0xef) controller.enqueue(LINE_END)
          isFirst = false
          controller.enqueue(bytes)
        }
        ready = []
      }
      try {
        for (const event of splitter.push(chunk)) {
          const made = each(event)
          if (made instanceof Uint8Array) ready.push(made)
          else {
            send()
            ready.push(await made)
          }
        }
        send()
      } catch (error) {
        send()
        fail(controller, error)
      }
    },
    async flush(controller) {
      clearTimeout(timer)
      if (brokeOff !== undefined) return fail(controller, brokeOff)
      const rest = splitter.rest()
      // A last event whose blank line never came is no event, but its bytes are not ours to drop.
      const last = rest.length > 0 ? [await each(rest)] : []
      if (atEnd !== undefined) last.push(rest.length > 0 ? LINE_ENDS : NOTHING, atEnd())
      const bytes = concat(last)
      if (bytes.length === 0) return
      if (isFirst && bytes[0] === 0xef) controller.enqueue(LINE_END)
      controller.enqueue(bytes)
    },
  }
  const events = body ?? (new Response(NOTHING).body as ReadableStream<Uint8Array>)
  const source =
    atFault === undefined
      ? events
      : untilFault(events, (error) => {
          brokeOff = error
        })
  return source.pipeThrough(new TransformStream(transformer))
}

/** The stream as far as it comes; where it breaks off it ends, and `onFault` is told why. */
function untilFault(
  stream: ReadableStream<Uint8Array>,
  onFault: (error: ProxyError) => void,
): ReadableStream<Uint8Array> {
  const reader = stream.getReader()
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (done) controller.close()
        else controller.enqueue(value)
      } catch (cause) {
        onFault(new ProxyError('unreachable', 'Cannot read answer: the upstream broke off', {}, { cause }))
        controller.close()
      }
    },
    cancel: (reason) => reader.cancel(reason),
  })
}
