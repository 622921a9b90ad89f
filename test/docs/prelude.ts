/**
 * What the examples of the docstrings take for granted: a server's tools, its disclosure, and a session with it.
 * @module
 */

import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js'
import type { SchemaNavigation } from '../../src/consumer/index.ts'
import { type McpSession, readSchemaFragment, reconstructSchema } from '../../src/core/index.ts'
import { collectTools, type FetchPage, type ListedTool } from '../../src/listing/index.ts'
import { discloseTool, navigateTools } from '../../src/provider/index.ts'

export const encode = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value))
export const listPage = async (_cursor: string | undefined): Promise<object> => ({
  tools: [
    { name: 'render_chart', description: 'Draws a chart', inputSchema: { type: 'object' } },
    { name: 'get_user', description: 'Fetch a user by id', inputSchema: { type: 'object' } },
  ],
})
export const fetchPage: FetchPage = async (cursor) => encode(await listPage(cursor))
export const listing = await collectTools(fetchPage)
export const { tools } = listing
export const tool = tools[0] as ListedTool
export const disclosure = await discloseTool(tool)
export const { manifest } = disclosure
export const uri = manifest.manifest_uri
export const find = async (): Promise<ListedTool> => tool
export const source = 'the bytes the tool came from'
export const wireTexts = await Promise.all(
  disclosure.parts.map(async (_, index) =>
    JSON.stringify(await readSchemaFragment(disclosure, index, { expectedSha256: manifest.schema_sha256 })),
  ),
)
export const wireText = wireTexts[0] as string
export const verified = await reconstructSchema(manifest, wireTexts)
const [entry] = (await navigateTools([tool])).entries
export const selected = entry as SchemaNavigation

export const session: McpSession = {
  async request({ method, params = {} }) {
    if (method === 'resources/read') {
      const text = params.uri === uri ? JSON.stringify(manifest) : wireText
      return { contents: [{ uri: params.uri, mimeType: 'application/json', text }] }
    }
    return params.name === 'search_tools'
      ? { content: [], structuredContent: { result: [selected], truncated: false, omitted: 0 } }
      : { content: [{ type: 'text', text: 'done' }] }
  },
}
export const client = session
export const askThePerson = async (name: string, args: object): Promise<boolean> => name !== '' && args !== null
export const [userId, catalog, child] = ['user-1', '1', '1'] as const

export { ResourceTemplate }
/** A server of its own for each example that has one. */
export function newServer(): McpServer {
  const server = new McpServer({ name: 'example', version: '1.0.0' })
  server.registerTool('ping', { description: 'Answers' }, () => ({ content: [] }))
  return server
}
export const newTransport = (): InMemoryTransport => InMemoryTransport.createLinkedPair()[0]
export const toolsOf = (caller: string | undefined): ListedTool[] => (caller === undefined ? [] : [tool])
