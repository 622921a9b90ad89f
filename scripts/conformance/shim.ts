/**
 * Stands in front of the proxy and makes every call of a tool a call of the calling tool: so the suite, which knows only tools
 * by their names, tests what the proxy makes of `call_tool`.
 * @module
 */

import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { type Listening, open } from '../../test/conformance/fixture/listen.ts'
import { CALL_TOOL, spliceCall } from './splice.ts'

export interface Shim extends Listening {
  /** Calls that became others. */
  calls(): number
}

export async function startShim(proxy: URL): Promise<Shim> {
  let calls = 0
  const server = createServer(async (incoming, outgoing) => {
    try {
      const body = await buffer(incoming)
      const spliced = spliceCall(body)
      if (spliced !== undefined) calls++
      const headers = { ...incoming.headers }
      // One that contradicts the body stays: it is to be refused.
      if (spliced !== undefined && headers['mcp-name'] === spliced.name) headers['mcp-name'] = CALL_TOOL
      await exchange(incoming, outgoing, proxy, headers, spliced?.body ?? body)
    } catch {
      outgoing.destroy()
    }
  })
  return { ...(await open(server)), calls: () => calls }
}

/** Sends a request on, and the answer back as it comes. `Host` stays: the proxy is to take the shim's name for its own. */
async function exchange(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  proxy: URL,
  headers: IncomingMessage['headers'],
  body: Uint8Array,
): Promise<void> {
  if (headers['content-length'] !== undefined) headers['content-length'] = String(body.length)
  const forwarded = request(proxy, { method: incoming.method ?? 'GET', headers })
  outgoing.once('close', () => forwarded.destroy())
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    forwarded.once('response', resolve)
    forwarded.once('error', reject)
    forwarded.end(body)
  })
  outgoing.writeHead(answer.statusCode as number, answer.headers)
  // A stream may have nothing to say for long; that it was accepted is to be seen at once.
  outgoing.flushHeaders()
  await pipeline(answer, outgoing)
}
