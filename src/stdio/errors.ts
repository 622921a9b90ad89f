/**
 * The errors of child processes.
 * @module
 */

/**
 * What each code means:
 * - `not-an-executable`: there is no such program; `npx` and its like are no programs on Windows
 * - `shell-script-refused`: only a shell could run it, and none is ever used
 * - `cannot-start`: the system refused for another reason, which `cause` holds, such as a working directory that is none
 */
export type StdioErrorCode = 'not-an-executable' | 'shell-script-refused' | 'cannot-start'

/**
 * A child process that cannot be started.
 *
 * @example
 * ```ts
 * try {
 *   await spawnStdio('no-such-program-anywhere', [])
 * } catch (error) {
 *   if (StdioError.is(error)) console.log(error.code) // 'not-an-executable'
 * }
 * ```
 */
export class StdioError extends Error {
  override readonly name = 'StdioError'
  readonly code: StdioErrorCode

  constructor(code: StdioErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }

  /** Tells a `StdioError` from every other thrown value. */
  static is(value: unknown): value is StdioError {
    return value instanceof StdioError
  }
}
