/**
 * MCP client sessions for the walk-through, and what `tools/list` costs in one.
 * @module
 */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

/** How long one request may take, in milliseconds. */
const TIMEOUT_MS = 30_000

/** How many pages of `tools/list` are read. */
const MAX_PAGES = 64

/** An answer as it came, unchecked: the walk-through measures, the consumer verifies. */
const AS_IT_IS = { '~standard': { version: 1, vendor: 'start', validate: (value: unknown) => ({ value }) } } as const

/** The server refused for want of credentials. */
export class CredentialsWanted extends Error {
  override readonly name = 'CredentialsWanted'
}

/** Opens a session, hands it over, and closes it in any case. */
export const withSession = async <Result>(
  url: URL,
  authorization: string | undefined,
  use: (session: Client) => Promise<Result>,
): Promise<Result> => {
  let status = 0
  const client = new Client({ name: 'mcp-schema-disclosure-start', version: '1.0.0' })
  const transport = new StreamableHTTPClientTransport(url, {
    requestInit: { headers: authorization ? { authorization } : {} },
    fetch: async (input, init) => {
      const response = await fetch(input, init)
      status = response.status
      return response
    },
  })
  try {
    await client.connect(transport, { timeout: TIMEOUT_MS })
    return await use(client)
  } catch (error) {
    throw status === 401 ? new CredentialsWanted(`${url} answers 401 without credentials`) : error
  } finally {
    await client.close()
  }
}

/** What a client gets from `tools/list`, all pages: how many tools, and the bytes of their JSON text. */
export const listCost = async (
  session: Client,
): Promise<{ tools: number; bytes: number; names: readonly string[] }> => {
  const names: string[] = []
  let size = 0
  let cursor: string | undefined
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const params = cursor === undefined ? {} : { cursor }
    const result = await session.request({ method: 'tools/list', params }, AS_IT_IS, { timeout: TIMEOUT_MS })
    const { tools, nextCursor } = result as { tools: { name: string }[]; nextCursor?: string }
    size += new TextEncoder().encode(JSON.stringify(tools)).length
    names.push(...tools.map((tool) => tool.name))
    if (nextCursor === undefined) break
    cursor = nextCursor
  }
  return { tools: names.length, bytes: size, names }
}
