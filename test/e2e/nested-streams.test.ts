import { randomUUID } from 'node:crypto'
import { createServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { type EventStore, StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import {
  CallToolRequestSchema,
  type JSONRPCMessage,
  ListRootsRequestSchema,
  ListRootsResultSchema,
  ListToolsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { afterEach, describe, expect, it } from 'vitest'
import { callTool, readSchema, searchSchemas } from '../../src/consumer/index.ts'
import type { McpSession } from '../../src/core/index.ts'
import { createDisclosureProxy } from '../../src/proxy/index.ts'

const INFO = { name: 'nested', version: '1' }
const PROXY = new URL('http://127.0.0.1/mcp')
const ROOTS = { roots: [{ uri: 'file:///work', name: 'work' }] }

/** What a server of one session remembers of its streams. */
function eventStore(): EventStore {
  const events: { id: string; stream: string; message: JSONRPCMessage }[] = []
  return {
    async storeEvent(stream, message) {
      const id = `${stream}/${events.length}`
      events.push({ id, stream, message })
      return id
    },
    async replayEventsAfter(last, { send }) {
      const at = events.findIndex(({ id }) => id === last)
      const stream = events[at]?.stream as string
      for (const { id, message, ...event } of events.slice(at + 1)) {
        if (event.stream === stream && Object.keys(message).length > 0) await send(id, message)
      }
      return stream
    },
  }
}

let http: HttpServer | undefined
const closing: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closing.splice(0)) await close()
  http?.closeAllConnections()
  http?.close()
})

/** A server of SDK v1 that lists a tool for each root of its client, and cuts the stream first where it is told to. */
async function start(cuts: boolean): Promise<URL> {
  const server = new Server(INFO, { capabilities: { tools: {} } })
  server.setRequestHandler(ListToolsRequestSchema, async (_request, extra) => {
    if (cuts) extra.closeSSEStream?.()
    const { roots } = cuts ? ROOTS : await extra.sendRequest({ method: 'roots/list' }, ListRootsResultSchema)
    return { tools: roots.map(({ name }) => ({ name: `read_${name}`, inputSchema: { type: 'object' as const } })) }
  })
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => ({
    content: [{ type: 'text' as const, text: `called ${params.name}` }],
  }))
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    ...(cuts && { eventStore: eventStore(), retryInterval: 20 }),
  })
  await server.connect(transport as never)
  http = createServer((request, response) => void transport.handleRequest(request, response))
  await new Promise<void>((resolve) => http?.listen(0, '127.0.0.1', resolve))
  closing.push(() => server.close())
  return new URL(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`)
}

type Fetch = (input: string | URL, init?: RequestInit) => Promise<Response>

const CLIENTS: Readonly<Record<string, (fetch: Fetch, onAsked: () => void) => Promise<McpSession>>> = {
  v1: async (fetch, onAsked) => {
    const client = new ClientV1(INFO, { capabilities: { roots: {} } })
    client.setRequestHandler(ListRootsRequestSchema, () => {
      onAsked()
      return ROOTS
    })
    await client.connect(new TransportV1(PROXY, { fetch }) as never)
    closing.push(() => client.close())
    return client as never
  },
  v2: async (fetch, onAsked) => {
    const client = new ClientV2(INFO, { capabilities: { roots: {} } })
    client.setRequestHandler('roots/list', () => {
      onAsked()
      return ROOTS
    })
    await client.connect(new TransportV2(PROXY, { fetch }))
    closing.push(() => client.close())
    return client as never
  },
}

describe.each(Object.entries(CLIENTS))('a server of SDK v1, and client %s', (_name, connect) => {
  it.each([
    ['REQ-P-32: asks for the roots before it lists', false],
    ['REQ-P-31: cuts the stream before it lists', true],
  ])(
    '%s',
    async (_what, cuts) => {
      const url = await start(cuts)
      let resumed = 0
      const upstream = (request: Request) => {
        if (request.headers.has('last-event-id')) resumed++
        return fetch(new Request(url, request))
      }
      const proxy = createDisclosureProxy({ upstream })
      let asked = 0
      const session = await connect(
        (input, init) => proxy.fetch(new Request(input, init)),
        () => {
          asked++
        },
      )
      const [selected] = (await searchSchemas(session, 'read')).entries
      if (selected === undefined) throw new Error('not found')
      const { manifest } = await readSchema(session, selected.manifest)
      const call = { name: selected.name, arguments: {}, schemaSha256: manifest.schema_sha256 }
      expect((await callTool(session, call)).content).toEqual([{ type: 'text', text: 'called read_work' }])
      expect([asked > 0, resumed > 0]).toEqual([!cuts, cuts])
    },
    20_000,
  )
})
