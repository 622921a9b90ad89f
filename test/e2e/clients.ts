/**
 * The MCP SDK's clients, v1 and v2, over a fetch function.
 * @module
 */

import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { McpSession } from '../../src/core/index.ts'

export type FetchHandler = (request: Request) => Promise<Response>

export interface ConnectedClient {
  readonly session: McpSession
  listTools(): Promise<{ tools: { name: string }[] }>
  close(): Promise<void>
}

const URL_OF_PROXY = new URL('http://127.0.0.1/mcp')
const INFO = { name: 'test', version: '1' }

const over = (handler: FetchHandler) => (input: string | URL | Request, init?: RequestInit) =>
  handler(new Request(input, init))

export const CLIENTS: Readonly<Record<string, (handler: FetchHandler) => Promise<ConnectedClient>>> = {
  v1: async (handler) => {
    const client = new ClientV1(INFO)
    await client.connect(new TransportV1(URL_OF_PROXY, { fetch: over(handler) }) as never)
    return connected(client as never)
  },
  v2: async (handler) => {
    const client = new ClientV2(INFO)
    await client.connect(new TransportV2(URL_OF_PROXY, { fetch: over(handler) }))
    return connected(client as never)
  },
}

function connected(client: McpSession & { listTools(): Promise<never>; close(): Promise<void> }): ConnectedClient {
  return { session: client, listTools: () => client.listTools(), close: () => client.close() }
}
