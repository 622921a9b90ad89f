/**
 * The interposer between two byte streams: a client's and a server's stdio.
 * @module
 */

import { type ByteDuplex, LineReader, LineWriter } from './duplex.ts'
import { StdioSession } from './session.ts'
import { messageBound, type StdioSettings } from './settings.ts'

/** How long requests under way may still ask the server after their client's input has ended. */
const LEAVE_MS = 1000

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
  const { signal } = settings
  const maxBytes = messageBound(settings)
  signal?.throwIfAborted()
  const toClient = new LineWriter(client.writable)
  const toServer = new LineWriter(server.writable)
  const session = new StdioSession(toClient, toServer, settings)
  const fromClient = new LineReader(client.readable, maxBytes)
  const fromServer = new LineReader(server.readable, maxBytes)
  let first: 'client' | 'server' | undefined
  const stop = (reason: unknown): void => {
    session.clientLeft()
    for (const side of [fromClient, fromServer]) side.cancel(reason)
    for (const side of [toClient, toServer]) side.abort(reason)
  }
  let abort = (): void => {}
  // At once: a side that is stuck in the middle of a line may never settle.
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal?.reason)
  })
  signal?.addEventListener('abort', abort, { once: true })
  // A client that takes nothing any more has left, whatever it may still say.
  toClient.closed.catch(() => {
    first ??= 'client'
    session.clientLeft()
    fromClient.cancel()
  })
  // A server that takes nothing any more is told nothing any more; that it has ended its output will say.
  toServer.closed.catch(() => {
    first ??= 'server'
    fromClient.cancel()
  })
  const untilClientLeaves = async (): Promise<void> => {
    await fromClient.readLines((line) => session.fromClient(line))
    first ??= 'client'
    await within(LEAVE_MS, session.idle())
    await within(LEAVE_MS, toServer.close())
    // One that does not read what it was sent never sees the end.
    toServer.abort('The client has left')
  }
  const untilServerEnds = async (): Promise<void> => {
    await fromServer.readLines((line) => session.fromServer(line))
    first ??= 'server'
    session.serverEnded()
    toServer.abort('The server has ended')
    await session.idle()
    await toClient.close()
    fromClient.cancel()
  }
  try {
    await Promise.race([Promise.all([untilClientLeaves(), untilServerEnds()]), aborted])
    return first ?? 'server'
  } catch (error) {
    stop(error)
    throw error
  } finally {
    signal?.removeEventListener('abort', abort)
  }
}

async function within(milliseconds: number, done: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds)
  })
  await Promise.race([done, late])
  clearTimeout(timer)
}
