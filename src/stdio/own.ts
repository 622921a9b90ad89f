/**
 * This process's own stdin and stdout as a byte duplex.
 * @module
 */

import process from 'node:process'
import type { ByteDuplex } from '../proxy/index.ts'
import { readableOf, writableOf } from './node-streams.ts'

/**
 * The client that has started this process: what it writes is this process's stdin, what it reads is stdout. Nothing else may be
 * written to stdout from now on, by `console.log` neither. Stdout itself stays open until the process ends.
 *
 * @example
 * ```ts
 * const front = async () => {
 *   const server = await spawnStdio('node', ['server.js'])
 *   await interposeStdio(stdioOfProcess(), server)
 * }
 * console.log(typeof front) // 'function': examples/stdio-front.mjs runs one
 * ```
 */
export function stdioOfProcess(): ByteDuplex {
  return { readable: readableOf(process.stdin), writable: writableOf(process.stdout) }
}
