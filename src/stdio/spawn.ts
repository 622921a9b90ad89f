/**
 * A child process as a byte duplex.
 * @module
 */

import { type ChildProcessByStdio, spawn } from 'node:child_process'
import process from 'node:process'
import type { Readable, Writable } from 'node:stream'
import type { ByteDuplex } from '../proxy/index.ts'
import { refuseScript, startError } from './command.ts'
import { Ending, type Exit } from './ending.ts'
import { readableOf, writableOf } from './node-streams.ts'

/** How a server is started. */
export interface SpawnOptions {
  /** The child's whole environment. Default: this process's own. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /** Its working directory. Default: this process's own. */
  readonly cwd?: string | undefined
  /** Milliseconds between closing the child's input, SIGTERM and SIGKILL. Default 1,000. */
  readonly graceMs?: number | undefined
}

/** A server that runs as a child process. */
export interface SpawnedServer extends ByteDuplex {
  readonly pid: number
  /** Resolves when the child has ended, however that came. */
  readonly exited: Promise<Exit>
  /** Ends the child: its input, SIGTERM, SIGKILL. Resolves when it has ended. */
  end(): Promise<Exit>
}

/**
 * Starts an MCP server and gives its stdin and stdout as a byte duplex. No shell is used: arguments reach the child one to one. Its
 * stderr is this process's. It ends when the duplex is closed from this side, and with this process: a signal that ends this process
 * is handed on first. Only where this process is ended by SIGKILL the child has nothing but the end of its input to go by.
 *
 * @throws {StdioError} `not-an-executable`, `shell-script-refused`, `cannot-start`
 *
 * @example
 * ```ts
 * const echo = await spawnStdio('node', ['-e', 'process.stdin.pipe(process.stdout)'])
 * const writer = echo.writable.getWriter()
 * await writer.write(new TextEncoder().encode('{"jsonrpc":"2.0","method":"hello"}\n'))
 * await writer.close()
 * console.log(await new Response(echo.readable).text(), await echo.exited) // the line, { code: 0, signal: null }
 * ```
 */
export async function spawnStdio(
  command: string,
  args: readonly string[] = [],
  { env, cwd, graceMs = 1000 }: SpawnOptions = {},
): Promise<SpawnedServer> {
  refuseScript(command, process.platform)
  const child = start(command, args, { env: env === undefined ? process.env : { ...env }, cwd })
  const ending = new Ending(child, graceMs)
  const end = (): void => ending.begin()
  const readable = readableOf(child.stdout, end)
  const writable = writableOf(child.stdin, end)
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.on('error', (cause) => reject(startError(command, cwd, cause)))
  })
  return {
    readable,
    writable,
    pid: child.pid as number,
    exited: ending.exited,
    end: () => {
      end()
      return ending.exited
    },
  }
}

function start(
  command: string,
  args: readonly string[],
  { env, cwd }: { readonly env: NodeJS.ProcessEnv; readonly cwd: string | undefined },
): ChildProcessByStdio<Writable, Readable, null> {
  try {
    return spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'], shell: false, windowsHide: true, env, cwd })
  } catch (cause) {
    throw startError(command, cwd, cause)
  }
}
