/**
 * The settings of the proxy over stdio: those of the proxy that are not about HTTP, and its own.
 * @module
 */

import { ProxyError } from '../errors.ts'
import { completeSettings, type ProxySettings } from '../settings.ts'

/** Nothing over stdio knows of these. */
const OF_HTTP = [
  'upstream',
  'allowCleartext',
  'forwardHeaders',
  'upstreamHeaders',
  'allowedOrigins',
  'allowedHosts',
  'maxRequestBytes',
  'publicUrl',
] as const

/** What `interposeStdio` takes. Everything is optional. */
export interface StdioSettings extends Omit<ProxySettings, (typeof OF_HTTP)[number]> {
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

/** Its own settings read, and those that go to the proxy. @throws {ProxyError} `settings`: of all of them, checked here */
export function readSettings(settings: StdioSettings) {
  if (typeof settings !== 'object' || settings === null) refuse('settings', 'an object')
  const { maxMessageBytes: maxBytes = DEFAULT_MESSAGE_BYTES, report = () => {}, signal, ...common } = settings
  if (!Number.isInteger(maxBytes) || maxBytes < 1 || maxBytes > MOST_MESSAGE_BYTES) {
    refuse('maxMessageBytes', `an integer from 1 to ${MOST_MESSAGE_BYTES}`)
  }
  if (typeof report !== 'function') refuse('report', 'a function')
  if (signal !== undefined && !(signal instanceof AbortSignal)) refuse('signal', 'an AbortSignal')
  for (const name of OF_HTTP) if (Object.hasOwn(common, name)) refuse(name, 'nothing: there is no HTTP')
  completeSettings({ ...common, upstream: () => Response.error() })
  return { maxBytes, report: safely(report), signal, common }
}

/** How whoever hears of a fault takes it ends nothing. */
const safely =
  (report: (fault: ProxyError) => void) =>
  (fault: ProxyError): void => {
    try {
      report(fault)
    } catch {
      // Its own affair.
    }
  }

function refuse(setting: string, expected: string): never {
  const text = `Cannot make proxy: setting "${setting}" is not valid, expected ${expected}`
  throw new ProxyError('settings', text, { setting, expected })
}

/** Settings that were read. */
export type Settled = ReturnType<typeof readSettings>
