/**
 * What may be started, and why something did not start. No shell, ever: arguments reach the child one to one.
 * @module
 */

import { existsSync } from 'node:fs'
import { StdioError } from './errors.ts'

const HINT = 'name the program itself, such as node with the path of the script as its first argument'
const NO_PROGRAM = new Set(['ENOENT', 'EACCES', 'ENOEXEC'])

/** @throws {StdioError} `shell-script-refused` for what Windows runs only in a shell */
export function refuseScript(command: string, platform: string): void {
  if (platform !== 'win32' || !/\.(?:cmd|bat)[. ]*$/i.test(command)) return
  throw new StdioError('shell-script-refused', `Cannot start "${command}": it is a shell script, ${HINT}`)
}

/** Why the system did not start a command, by its own code. */
export function startError(command: string, cwd: string | undefined, cause: unknown): StdioError {
  // The system says the same of both.
  if (cwd !== undefined && !existsSync(cwd)) {
    return new StdioError('cannot-start', `Cannot start "${command}": there is no folder "${cwd}"`, { cause })
  }
  return NO_PROGRAM.has(String((cause as { code?: unknown } | null)?.code))
    ? new StdioError('not-an-executable', `Cannot start "${command}": there is no such program, ${HINT}`, { cause })
    : new StdioError('cannot-start', `Cannot start "${command}": the system refuses`, { cause })
}
