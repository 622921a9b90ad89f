/**
 * The settings of the proxy over stdio: those of the proxy that are not about HTTP, and its own.
 * @module
 */

import { ProxyError } from '../errors.ts'
import type { ProxySettings } from '../settings.ts'

type OfHttp =
  | 'upstream'
  | 'allowCleartext'
  | 'forwardHeaders'
  | 'upstreamHeaders'
  | 'allowedOrigins'
  | 'allowedHosts'
  | 'maxRequestBytes'

/** What `interposeStdio` takes. Everything is optional. */
export interface StdioSettings extends Omit<ProxySettings, OfHttp> {
  /** Most bytes of one message, in either direction. Default 32 MiB. */
  readonly maxMessageBytes?: number | undefined
  /**
   * Hears of lines that do not pass: `too-large`, or `malformed` for what is no message; `data.line` shows what a server wrote beside
   * its messages. After 1,000 of these in a row the session ends. Default: nobody hears.
   */
  readonly report?: ((fault: ProxyError) => void) | undefined
  /** Ends both sides at once. */
  readonly signal?: AbortSignal | undefined
}

const DEFAULT_MESSAGE_BYTES = 32 * 1024 * 1024
const MOST_MESSAGE_BYTES = 2 ** 30

/** @throws {ProxyError} `settings` */
export function messageBound({ maxMessageBytes = DEFAULT_MESSAGE_BYTES }: StdioSettings): number {
  if (Number.isInteger(maxMessageBytes) && maxMessageBytes >= 1 && maxMessageBytes <= MOST_MESSAGE_BYTES) {
    return maxMessageBytes
  }
  const expected = `an integer from 1 to ${MOST_MESSAGE_BYTES}`
  const text = `Cannot make proxy: setting "maxMessageBytes" is not valid, expected ${expected}`
  throw new ProxyError('settings', text, { setting: 'maxMessageBytes', expected })
}
