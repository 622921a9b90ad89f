/**
 * Servers in the same process: whoever authenticates the caller hands on who it is, and the listing inside a search hears it too.
 */
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { createMcpHandler, Server as ServerV2 } from '@modelcontextprotocol/server'
import { describe, expect, it } from 'vitest'
import { callTool, readSchema, searchSchemas } from '../../src/consumer/index.ts'
import { createDisclosureProxy } from '../../src/proxy/index.ts'
import { CLIENTS } from './clients.ts'

interface Who {
  readonly authInfo: { readonly token: string; readonly clientId: string; readonly scopes: string[] }
}
const INFO = { name: 'in-process', version: '1.0.0' }
const toolOf = (clientId: string | undefined) => ({
  name: `tool_of_${clientId}`,
  inputSchema: { type: 'object' as const, description: `for ${clientId}` },
})
const said = (text: string | undefined) => ({ content: [{ type: 'text' as const, text: String(text) }] })

/** Stateless, one server a request. */
const v1 = async (request: Request, who: Who): Promise<Response> => {
  const server = new Server(INFO, { capabilities: { tools: {} } })
  server.setRequestHandler(ListToolsRequestSchema, (_request, { authInfo }) => ({
    tools: [toolOf(authInfo?.clientId)],
  }))
  server.setRequestHandler(CallToolRequestSchema, (_request, { authInfo }) => said(authInfo?.clientId))
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true } as never)
  await server.connect(transport as never)
  return transport.handleRequest(request, who)
}

const handler = createMcpHandler((() => {
  const server = new ServerV2(INFO, { capabilities: { tools: {} } })
  server.setRequestHandler('tools/list', (_request, { http }) => ({ tools: [toolOf(http?.authInfo?.clientId)] }))
  server.setRequestHandler('tools/call', (_request, { http }) => said(http?.authInfo?.clientId))
  return server
}) as never)
const v2 = (request: Request, who: Who): Promise<Response> => handler.fetch(request, who as never)

describe.each([
  ['v1', v1],
  ['v2', v2],
] as const)('REQ-P-33: a handler of SDK %s', (_sdk, upstream) => {
  it.each(Object.keys(CLIENTS))('hears who the client of SDK %s is, in every step', async (version) => {
    const proxy = createDisclosureProxy<Who>({ upstream, readWindowMs: 10_000 })
    for (const clientId of ['ann', 'bob']) {
      const who = { authInfo: { token: 't', clientId, scopes: [] } }
      const { session, close } = await (CLIENTS[version] as NonNullable<(typeof CLIENTS)[string]>)((request) =>
        proxy.fetch(request, who),
      )
      const { entries } = await searchSchemas(session, 'tool', { by: 'pattern' })
      expect(entries.map(({ name }) => name)).toEqual([`tool_of_${clientId}`])
      const [selected] = entries
      if (selected === undefined) throw new Error('not found')
      const { inputSchema } = await readSchema(session, selected.manifest)
      expect(inputSchema.description).toBe(`for ${clientId}`)
      const call = { name: selected.name, arguments: {}, schemaSha256: selected.manifest.schema_sha256 }
      expect((await callTool(session, call)).content).toEqual([{ type: 'text', text: clientId }])
      const other = { ...call, name: `tool_of_${clientId === 'ann' ? 'bob' : 'ann'}` }
      expect((await callTool(session, other)).isError).toBe(true)
      await close()
    }
  })
})
