/**
 * Asking code that may never answer.
 * @module
 */

/** What came of a question. */
export type Answered<Value> =
  | { readonly kind: 'value'; readonly value: Value }
  | { readonly kind: 'failed'; readonly cause: unknown }
  | { readonly kind: 'timeout' }

/**
 * Asks, and waits no longer than `timeoutMs`. The signal that `ask` gets fires when nobody waits any more.
 *
 * @throws the reason of `signal`, where that fires first
 */
export async function inTime<Value>(
  ask: (signal: AbortSignal) => Value | Promise<Value>,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal | undefined },
): Promise<Answered<Value>> {
  signal?.throwIfAborted()
  const stop = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  let onAbort = (): void => {}
  try {
    // First the ends of the wait: what is asked may fire the signal itself.
    const ended = new Promise<Answered<Value>>((resolve, reject) => {
      timer = setTimeout(() => resolve({ kind: 'timeout' }), timeoutMs)
      onAbort = () => reject(signal?.reason)
      signal?.addEventListener('abort', onAbort)
    })
    // Code that is asked may throw before it gives a promise.
    const answered = (async (): Promise<Answered<Value>> => ({ kind: 'value', value: await ask(stop.signal) }))()
    return await Promise.race([answered.catch((cause: unknown) => ({ kind: 'failed', cause }) as const), ended])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
    stop.abort()
  }
}
