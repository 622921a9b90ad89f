/**
 * A client's line as an exchange of the engine: a POST with the headers that over HTTP mirror the body.
 * @module
 */

import { asBody } from '../bytes.ts'
import { EventSplitter } from '../event-splitter.ts'
import { Exchange } from '../exchange.ts'
import { mirrorsOf } from '../mirrors.ts'
import { isEventStream, messageData } from '../sse.ts'
import type { Work } from './work.ts'

/** Nobody's: only the engine sees it. */
const ENDPOINT = 'http://stdio.invalid/mcp'

export class LineExchange extends Exchange {
  /** A connection is one caller: all that is said on it may be known to all of it. */
  override get isIdentifiedElsewhere(): boolean {
    return false
  }
}

/** @param version what `initialize` agreed on, where it did; a modern request names its own */
export function requestFor({ request, signal }: Work, version: string | undefined): Request {
  const headers = new Headers({ 'content-type': 'application/json', accept: 'application/json, text/event-stream' })
  if (version !== undefined) headers.set('mcp-protocol-version', version)
  for (const [name, value] of mirrorsOf(request)) headers.set(name, value)
  return new Request(ENDPOINT, { method: 'POST', body: asBody(request.bytes), headers, signal })
}

/** The messages of an answer, each one line. Its HTTP status says nothing that they do not say. Lines are bounded where they are read. */
export async function linesOf(answer: Response, maxBytes: number): Promise<readonly Uint8Array[]> {
  const bytes = new Uint8Array(await answer.arrayBuffer())
  if (!isEventStream(answer)) return bytes.length === 0 ? [] : [asLine(bytes)]
  return [...new EventSplitter(maxBytes).push(bytes)].flatMap((event) => {
    const data = messageData(event)
    return data === undefined ? [] : [asLine(data)]
  })
}

/** Outside of strings a line end is white space, and inside of them there is none. */
const asLine = (bytes: Uint8Array): Uint8Array =>
  bytes.includes(0x0a) ? bytes.map((byte) => (byte === 0x0a ? 0x20 : byte)) : bytes
