/**
 * Requests through the session the caller already has.
 * @module
 */

import type { McpSession, RequestOptions } from '../core/index.ts'

const passThrough = <Value>(value: Value) => value

/**
 * A result schema that lets everything through: answers are checked here, field by field, not by the SDK. It speaks both
 * dialects: SDK v1 calls `safeParse`, v2 calls `~standard.validate`.
 */
const ANY_RESULT: never = Object.freeze({
  parse: passThrough,
  safeParse: <Value>(data: Value) => ({ success: true, data }),
  '~standard': Object.freeze({
    version: 1,
    vendor: 'mcp-schema-disclosure',
    validate: <Value>(value: Value) => ({ value }),
  }),
}) as never

/**
 * Sends one request and gives the result as the session parsed it. An abort is heeded whether or not the session heeds it, and
 * nothing is sent behind one.
 */
export async function send(
  session: McpSession,
  method: string,
  params: { readonly [name: string]: unknown },
  { signal, timeout }: RequestOptions,
): Promise<unknown> {
  const options = {
    ...(signal === undefined ? undefined : { signal }),
    ...(timeout === undefined ? undefined : { timeout }),
  }
  signal?.throwIfAborted()
  let onAbort = (): void => {}
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal?.reason)
    signal?.addEventListener('abort', onAbort)
  })
  try {
    return await Promise.race([session.request({ method, params }, ANY_RESULT, options), aborted])
  } finally {
    signal?.removeEventListener('abort', onAbort)
  }
}

/** An own member of a value from outside, `undefined` where there is none. */
export function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return (value as { [name: string]: unknown })[name]
}
