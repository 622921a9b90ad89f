/**
 * The errors of the proxy.
 * @module
 */

/**
 * What each code means. `settings` is thrown by `createDisclosureProxy` and `interposeStdio`; every other code stays inside
 * `fetch`, which answers with the status in brackets and a JSON-RPC error that carries the caller's id, or goes to the `report` of
 * `interposeStdio`:
 * - `settings`: a setting is not what the model allows; `data.setting` names it, `data.expected` says what may stand there; its
 *   value is never shown
 * - `unreachable` [502]: the upstream could not be asked
 * - `timeout` [504]: the upstream did not answer in time
 * - `redirect` [502]: the upstream points elsewhere
 * - `malformed` [502]: an answer that has to be changed or read is no JSON-RPC answer to the request
 * - `too-large` [502]: an answer that has to be changed or read exceeds the bounds
 * - `interrupted` [502]: the upstream cut the stream of a listing, and asking for the rest did not bring it; the answer to the call
 *   of a tool is an error result instead
 * - `server-request` [502]: the upstream asks something while the proxy lists its tools, and the client does not take its answer
 *   as a stream, or is of the era that has no such requests
 */
export type ProxyErrorCode =
  | 'settings'
  | 'unreachable'
  | 'timeout'
  | 'redirect'
  | 'malformed'
  | 'too-large'
  | 'interrupted'
  | 'server-request'

/** What an error says beyond its code. */
export interface ProxyErrorData {
  /** The setting, for `settings`: a path such as `limits.maxPages`. */
  readonly setting?: string
  /** What may stand there, for `settings`. */
  readonly expected?: string
  /**
   * What stands in a line that a server wrote beside its messages, for `malformed` over stdio: at most 200 characters. It may say
   * anything: for the log of whoever runs the server, never for a model.
   */
  readonly line?: string
}

/**
 * A proxy that cannot be made, or an exchange that cannot be completed.
 *
 * @example
 * ```ts
 * try {
 *   createDisclosureProxy({ upstream: 'ftp://example.com' })
 * } catch (error) {
 *   if (ProxyError.is(error)) console.log(error.code, error.data.setting) // 'settings' 'upstream'
 * }
 * ```
 */
export class ProxyError extends Error {
  override readonly name = 'ProxyError'
  readonly code: ProxyErrorCode
  readonly data: ProxyErrorData

  constructor(code: ProxyErrorCode, message: string, data: ProxyErrorData = {}, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.data = Object.freeze({ ...data })
  }

  /** Tells a `ProxyError` from every other thrown value. */
  static is(value: unknown): value is ProxyError {
    return value instanceof ProxyError
  }
}

/** The HTTP status that an error inside an exchange is answered with. Row 30. */
export const statusOf = (code: ProxyErrorCode): number => (code === 'timeout' ? 504 : 502)
