/**
 * The interposer between two byte streams: a client's and a server's stdio.
 * @module
 */

import type { ByteDuplex } from './duplex.ts'
import { readSettings, type StdioSettings } from './settings.ts'

/**
 * Puts the proxy between a client and a server that talk over stdio: messages are lines of UTF-8. The same exchanges are answered,
 * rewritten and changed as over HTTP; every other line passes byte for byte and in order, but for a CR before its end. A request that
 * uses the id of one under way is refused. Lines of the server that are no messages do not pass.
 *
 * Where the client's input ends, the server's input is closed; where the server ends, requests under way are answered with −32603
 * and the client's stream is closed.
 *
 * @param client what the client writes, and where it reads
 * @param server what the server writes, and where it reads
 * @param settings those of `createDisclosureProxy` that are not about HTTP, and `report`, `maxMessageBytes`, `signal`
 * @returns which side ended first, as soon as both have ended
 * @throws {ProxyError} `settings`, before anything is read or written; `malformed` for a server that writes 1,000 lines in a row that
 * are no messages. Rejects with the reason of `settings.signal` where it aborts. Both sides are ended then
 *
 * @example
 * ```ts
 * const toServer = new TransformStream<Uint8Array, Uint8Array>()
 * const toClient = new TransformStream<Uint8Array, Uint8Array>()
 * const ended = interposeStdio(
 *   { readable: new Blob(['{"jsonrpc":"2.0","method":"notifications/initialized"}\n']).stream(), writable: toClient.writable },
 *   { readable: new Blob([]).stream(), writable: toServer.writable },
 * )
 * console.log(await new Response(toClient.readable).text(), await ended) // '' 'server': this one ended at once
 * ```
 */
export async function interposeStdio(
  client: ByteDuplex,
  server: ByteDuplex,
  settings: StdioSettings = {},
): Promise<'client' | 'server'> {
  // Before a stream is locked.
  const settled = readSettings(settings)
  settled.signal?.throwIfAborted()
  // A proxy over HTTP carries none of it.
  const { runSession } = await import('./run.ts')
  return runSession(client, server, settled)
}
