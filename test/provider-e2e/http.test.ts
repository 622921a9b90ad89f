import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { McpServer as ServerV1, ResourceTemplate as TemplateV1 } from '@modelcontextprotocol/sdk/server/mcp.js'
import { WebStandardStreamableHTTPServerTransport as HttpV1 } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { createMcpHandler, McpServer, ResourceTemplate, requireScopes } from '@modelcontextprotocol/server'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { callTool, readSchema, searchSchemas } from '../../src/consumer/index.ts'
import type { McpSession } from '../../src/core/index.ts'
import { attachSearch, RegexSearch, registerSchemaResources } from '../../src/provider/index.ts'

type Handler = (request: Request) => Promise<Response>

const INFO = { name: 'fixture', version: '1.0.0' }
const URL_OF_SERVER = 'http://127.0.0.1/mcp'
/** One for all requests, as in a Worker: what it keeps is shared by the servers made for each. */
const search = new RegexSearch()

const answer = (text: string) => ({ content: [{ type: 'text' as const, text }] })

/** The caller's scopes stand in a header: a stand-in for a verified token. */
const authInfoOf = (request: Request) => {
  const scopes = request.headers.get('x-scopes')
  return scopes === null ? {} : { authInfo: { token: 't', clientId: 'c', scopes: scopes.split(' ') } }
}

const v1: Handler = async (request) => {
  const server = new ServerV1(INFO)
  attachSearch(server, search)
  server.registerTool('echo', { inputSchema: { text: z.string() } }, ({ text }) => answer(text))
  registerSchemaResources(server, search, new Map(), { ResourceTemplate: TemplateV1 })
  const transport = new HttpV1({ enableJsonResponse: true } as never)
  await server.connect(transport as never)
  return transport.handleRequest(request, authInfoOf(request))
}

const { fetch } = createMcpHandler(() => {
  const server = new McpServer(INFO)
  attachSearch(server, search)
  server.registerTool('echo', { inputSchema: z.object({ text: z.string() }) }, ({ text }) => answer(text))
  server.registerTool('wipe', { scopeChallenge: requireScopes('admin', 'wipe') }, () => answer('wiped'))
  registerSchemaResources(server, search, new Map(), { ResourceTemplate })
  return server
})
const v2: Handler = (request) => fetch(request, authInfoOf(request))

async function connect(handler: Handler, mode: 'legacy' | 'auto', scopes?: string) {
  const client = new Client(INFO, { versionNegotiation: { mode } })
  const asked: Request[] = []
  const transport = new StreamableHTTPClientTransport(new URL(URL_OF_SERVER), {
    fetch: (input, init) => {
      const request = new Request(input, init)
      if (scopes !== undefined) request.headers.set('x-scopes', scopes)
      asked.push(request.clone())
      return handler(request)
    },
  })
  await client.connect(transport)
  return { client, session: client as unknown as McpSession, asked }
}

describe.each<[string, Handler, 'legacy' | 'auto']>([
  ['SDK v1', v1, 'legacy'],
  ['SDK v2, legacy', v2, 'legacy'],
  ['SDK v2, modern', v2, 'auto'],
])('over HTTP, a server for each request: %s', (_, handler, mode) => {
  it('R-C-01: lists, searches, reads, verifies and calls; what is listed is what this revision knows', async () => {
    const { client, session, asked } = await connect(handler, mode)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['search_tools', 'call_tool'])
    expect(tools[0]?.outputSchema).toMatchObject({ required: ['result', 'truncated', 'omitted'] })
    const { entries } = await searchSchemas(session, 'echo')
    const [selected] = entries
    if (selected === undefined) throw new Error('not found')
    const { manifest, inputSchema } = await readSchema(session, selected.manifest)
    expect(inputSchema).toMatchObject({ properties: { text: { type: 'string' } } })
    const call = { name: 'echo', arguments: { text: 'hello' }, schemaSha256: manifest.schema_sha256 }
    expect((await callTool(session, call)).content).toEqual([{ type: 'text', text: 'hello' }])
    // The negotiated revision, as requests name it.
    const modern = asked.at(-1)?.headers.get('mcp-protocol-version') === '2026-07-28'
    expect(modern).toBe(mode === 'auto')
    await expect(client.readResource({ uri: manifest.manifest_uri.replace('echo', 'nobody') })).rejects.toMatchObject({
      code: -32602,
      data: { uri: manifest.manifest_uri.replace('echo', 'nobody') },
    })
    await client.close()
  })
})

describe.each(['legacy', 'auto'] as const)('scopes that SDK v2 asks for by tool (%s)', (mode) => {
  it('R-A-66: are asked for behind the calling tool too', async () => {
    const wipe = { name: 'call_tool', arguments: { name: 'wipe' } }
    for (const scopes of ['admin', 'none']) {
      const { client } = await connect(v2, mode, scopes)
      const { isError, content } = await client.callTool(wipe)
      expect([isError, content]).toEqual([true, answer('Cannot call "wipe": it needs the scopes admin wipe').content])
    }
    const { client } = await connect(v2, mode, 'admin wipe')
    expect((await client.callTool(wipe)).content).toEqual(answer('wiped').content)
  })
})
