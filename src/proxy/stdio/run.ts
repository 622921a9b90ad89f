/**
 * Two byte streams with a session between them, from the first line to the end of both.
 * @module
 */

import { type ByteDuplex, LineReader, LineWriter } from './duplex.ts'
import type { Line } from './lines.ts'
import { StdioSession } from './session.ts'
import type { Settled } from './settings.ts'

/** How long requests under way may still ask the server after their client's input has ended. */
const LEAVE_MS = 1000
/** How long a server may take no line of a client that has left. */
const STUCK_MS = 5000

/** @returns which side ended first, as soon as both have ended */
export async function runSession(
  client: ByteDuplex,
  server: ByteDuplex,
  settings: Settled,
): Promise<'client' | 'server'> {
  const { maxBytes, signal } = settings
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
    let watch: ReturnType<typeof setTimeout> | undefined
    let hasLeft = false
    /** Lines that are left of a client that has gone are written as long as the server takes them. */
    const rewatch = (): void => {
      clearTimeout(watch)
      if (hasLeft) watch = setTimeout(() => toServer.abort('The client has left'), STUCK_MS)
    }
    const each = async (line: Line): Promise<void> => {
      await session.fromClient(line)
      rewatch()
    }
    await fromClient.readLines(each, () => {
      hasLeft = true
      rewatch()
    })
    clearTimeout(watch)
    hasLeft = false
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
