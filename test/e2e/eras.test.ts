import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { McpServer as ServerV1 } from '@modelcontextprotocol/sdk/server/mcp.js'
import { WebStandardStreamableHTTPServerTransport as HttpV1 } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { callTool, readSchema, searchSchemas } from '../../src/consumer/index.ts'
import type { McpSession } from '../../src/core/index.ts'
import { createDisclosureProxy } from '../../src/proxy/index.ts'
import { CLIENTS } from './clients.ts'

type Handler = (request: Request) => Promise<Response>

const INFO = { name: 'eras', version: '1' }
const answer = (text: string) => ({ content: [{ type: 'text' as const, text }] })
const CALL = { name: 'repeat', arguments: { text: 'naïve', times: 3 } }

/** A server of both eras, or of the modern one alone. */
const v2 = (legacy?: 'reject'): Handler => {
  const { fetch } = createMcpHandler(
    () => {
      const server = new McpServer(INFO)
      const inputSchema = z.object({
        text: z.string().meta({ 'x-mcp-header': 'Text' }),
        times: z.int().meta({ 'x-mcp-header': 'Times' }),
      })
      server.registerTool('repeat', { description: 'Repeats a text.', inputSchema }, ({ text, times }) =>
        answer(text.repeat(times)),
      )
      server.registerTool('other', { description: 'Does nothing.' }, () => answer(''))
      return server
    },
    legacy === undefined ? {} : { legacy },
  )
  return (request) => fetch(request)
}

/** A server of the legacy era alone. */
const v1: Handler = async (request) => {
  const server = new ServerV1(INFO)
  server.registerTool('repeat', { inputSchema: { text: z.string(), times: z.int() } }, ({ text, times }) =>
    answer(text.repeat(times)),
  )
  const transport = new HttpV1({ enableJsonResponse: true } as never)
  await server.connect(transport as never)
  return transport.handleRequest(request)
}

const url = new URL('http://127.0.0.1/mcp')

async function connect(handler: Handler, mode: 'legacy' | 'auto' | { pin: string }): Promise<Client> {
  const client = new Client(INFO, { versionNegotiation: { mode } })
  const transport = new StreamableHTTPClientTransport(url, {
    fetch: (input, init) => handler(new Request(input, init)),
  })
  await client.connect(transport)
  return client
}

/** How a connection ends up: the era, or the code or name of what was thrown. */
async function outcome(handler: Handler, mode: 'auto' | { pin: string } | 'v1'): Promise<string> {
  try {
    if (mode === 'v1') {
      const client = await (CLIENTS.v1 as (typeof CLIENTS)['v1'])(handler)
      await client.close()
      return 'legacy'
    }
    const client = await connect(handler, mode)
    const era = client.getProtocolEra()
    await client.close()
    return String(era)
  } catch (error) {
    const { name, code, message } = error as { name: string; code?: unknown; message: string }
    return `${name} ${code} ${/-32022/.exec(message)?.[0] ?? ''}`
  }
}

describe('REQ-P-39: a client ends up as it does without the proxy', () => {
  const modes = [
    ['auto', 'auto'],
    ['pinned', { pin: '2026-07-28' }],
    ['SDK v1', 'v1'],
  ] as const
  const upstreams = [
    ['legacy', v1],
    ['both', v2()],
    ['modern only', v2('reject')],
  ] as const
  it.each(
    modes.flatMap(([client, mode]) => upstreams.map(([server, upstream]) => [client, server, mode, upstream] as const)),
  )('client %s, server %s', async (_client, _server, mode, upstream) => {
    const proxy = createDisclosureProxy({ upstream })
    const through = await outcome((request) => proxy.fetch(request), mode)
    expect(through).toBe(await outcome(upstream, mode))
  })

  it('every way to end up occurs', async () => {
    expect(await outcome(v1, 'auto')).toBe('legacy')
    expect(await outcome(v2(), 'auto')).toBe('modern')
    expect(await outcome(v2('reject'), 'v1')).toContain('-32022')
    expect(await outcome(v1, { pin: '2026-07-28' })).not.toMatch(/^(?:legacy|modern)$/)
  })
})

describe.each(['catalog', 'none'] as const)('guard %s', (guard) => {
  it('REQ-P-09, REQ-P-10, R-C-12: in the modern era an SDK client searches, reads and calls what wants its arguments mirrored', async () => {
    const requests: string[] = []
    const upstream = v2()
    const proxy = createDisclosureProxy({
      guard,
      upstream: (request: Request) => {
        requests.push(`${request.headers.get('mcp-method')} ${request.headers.get('mcp-param-times')}`)
        return upstream(request)
      },
    })
    const client = await connect((request) => proxy.fetch(request), { pin: '2026-07-28' })
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['search_tools', 'read_schema', 'call_tool'])
    expect((await client.listResourceTemplates()).resourceTemplates.length).toBe(2)
    expect((await client.listResources()).resources).toEqual([])
    const session = client as unknown as McpSession
    const [selected] = (await searchSchemas(session, 'repeat a text')).entries
    if (selected === undefined) throw new Error('not found')
    const { manifest } = await readSchema(session, selected.manifest)
    requests.length = 0
    const { content } =
      guard === 'none'
        ? await client.callTool({ name: 'call_tool', arguments: CALL })
        : await callTool(session, { ...CALL, schemaSha256: manifest.schema_sha256 })
    expect(content).toEqual(answer('naïvenaïvenaïve').content)
    // A cold call is refused once, and learns from the list.
    expect(requests).toEqual([...(guard === 'none' ? ['tools/call null'] : []), 'tools/list null', 'tools/call 3'])
    await client.close()
  })
})

it('REQ-P-17: what is pinned and found is what this caller’s credential may see', async () => {
  const upstream = v2()
  const filtered: Handler = async (request) => {
    const isAdmin = request.headers.get('authorization') === 'Bearer admin'
    const answered = await upstream(request)
    if (isAdmin || request.headers.get('mcp-method') !== 'tools/list') return answered
    const body = JSON.parse(await answered.text())
    body.result.tools = body.result.tools.filter(({ name }: { name: string }) => name !== 'other')
    return Response.json(body)
  }
  const proxy = createDisclosureProxy({ upstream: filtered, forwardHeaders: ['authorization'], pin: ['*'] })
  const as = (token: string) =>
    connect(
      (request) => {
        request.headers.set('authorization', `Bearer ${token}`)
        return proxy.fetch(request)
      },
      { pin: '2026-07-28' },
    )
  const seen = async (token: string) => {
    const client = await as(token)
    const { tools } = await client.listTools()
    const { entries } = await searchSchemas(client as unknown as McpSession, 'other nothing')
    await client.close()
    return [tools.map(({ name }) => name), entries.map(({ name }) => name)]
  }
  expect(await seen('admin')).toEqual([['repeat', 'other', 'search_tools', 'read_schema', 'call_tool'], ['other']])
  expect(await seen('admin')).toEqual(await seen('admin'))
  expect(await seen('user')).toEqual([['repeat', 'search_tools', 'read_schema', 'call_tool'], []])
})
