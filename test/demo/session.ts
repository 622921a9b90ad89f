/**
 * A client for the demo server in the same process: JSON-RPC over its fetch function.
 * @module
 */
import { createDemoUpstream } from '../../worker/demo/upstream.ts'

const upstream = createDemoUpstream()

/** The answer to one tool call, as it stands on the wire. */
export interface ToolAnswer {
  readonly content: readonly { readonly type: string; readonly text: string }[]
  readonly structuredContent?: { readonly [name: string]: unknown }
  readonly isError?: boolean
}

/** Sends any HTTP request to the demo server. */
export const send = (init: RequestInit): Promise<Response> => upstream(new Request('http://demo.local/mcp', init))

/** Sends one JSON-RPC request and takes its answer out of JSON or SSE. */
export const request = async (method: string, params: object = {}): Promise<{ result?: unknown; error?: unknown }> => {
  const response = await send({
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const text = await response.text()
  return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text)
}

/** Calls a tool; a JSON-RPC error fails the test. */
export const call = async (name: string, args: object): Promise<ToolAnswer> => {
  const { result, error } = await request('tools/call', { name, arguments: args })
  if (error) throw new Error(JSON.stringify(error))
  return result as ToolAnswer
}
