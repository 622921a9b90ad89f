/**
 * The cases of provider.json that need a server: its tool list and its calling tool, asked through the proxy in front of a server
 * that answers as the recorded one.
 * @module
 */

import { isDeepStrictEqual } from 'node:util'
import { createDisclosureProxy } from '../../src/proxy/index.ts'

type Json = { [name: string]: unknown }

export interface ProxiedServer {
  /** JSON text of each tool, as listed. */
  readonly tools: readonly string[]
  readonly handlers: ReadonlyMap<
    string,
    { readonly raises?: { readonly whenArgument: string; readonly equals: unknown; readonly text: string } }
  >
  readonly pinned: readonly string[]
  readonly searchTool: string
  readonly callTool: string
}

const toolError = (text: string) => ({ isError: true, content: [{ type: 'text', text }] })

async function ask(server: ProxiedServer, method: string, params: Json | undefined): Promise<Json> {
  const upstream = async (request: Request): Promise<Response> => {
    const asked = (await request.json()) as { id: unknown; method: string; params: { name: string; arguments?: Json } }
    const answer = (result: string) =>
      new Response(`{"jsonrpc":"2.0","id":${JSON.stringify(asked.id)},"result":${result}}`, {
        headers: { 'content-type': 'application/json' },
      })
    if (asked.method === 'tools/list') return answer(`{"tools":[${server.tools.join(',')}]}`)
    const { name, arguments: args = {} } = asked.params
    const handler = server.handlers.get(name)
    if (handler === undefined) return answer(JSON.stringify(toolError(`Unknown tool: '${name}'`)))
    const { raises } = handler
    if (raises !== undefined && args[raises.whenArgument] === raises.equals)
      return answer(JSON.stringify(toolError(raises.text)))
    const structuredContent = { ok: true, got: args }
    return answer(
      JSON.stringify({ content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }),
    )
  }
  const { pinned: pin, searchTool, callTool } = server
  const proxy = createDisclosureProxy({
    // The original has no such tool.
    readTool: '',
    upstream,
    pin,
    searchTool,
    callTool,
  })
  const response = await proxy.fetch(
    new Request('http://127.0.0.1/mcp', {
      method: 'POST',
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, ...(params === undefined ? undefined : { params }) }),
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    }),
  )
  return ((await response.json()) as { result: Json }).result
}

/** The names of the tool list, in order. */
export async function listedNames(server: ProxiedServer): Promise<string[]> {
  const { tools } = (await ask(server, 'tools/list', undefined)) as { tools: { name: string }[] }
  return tools.map(({ name }) => name)
}

/** What differs between the answer to a call and the recorded one. */
export async function compareCall(server: ProxiedServer, params: Json, expected: Json): Promise<string | undefined> {
  const result = (await ask(server, 'tools/call', params)) as {
    isError?: boolean
    structuredContent?: unknown
    content: { text: string }[]
  }
  if ((result.isError === true) !== (expected.is_error === true))
    return result.isError === true ? 'an error' : 'no error'
  if (expected.is_error === true) return undefined
  if (!isDeepStrictEqual(result.structuredContent, expected.structured_content)) return 'another structured answer'
  return isDeepStrictEqual(
    result.content.map(({ text }) => text),
    expected.content,
  )
    ? undefined
    : 'another text'
}
