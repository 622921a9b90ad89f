/**
 * The embedded MCP server of the demo: Streamable HTTP over fetch, both protocol eras, without state.
 * @module
 */
import { createMcpHandler, ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server'
import { schemaCheck } from './schema-check.ts'
import { type DemoTool, type JsonObject, listEntry, ToolFailure } from './tool.ts'
import { demoTools } from './tools/index.ts'

/** How many findings a refusal of arguments names. */
const MAX_FINDINGS = 5

type CallResult = { content: { type: 'text'; text: string }[]; structuredContent?: JsonObject; isError?: true }

/**
 * Makes the demo server as one fetch function. It serves whoever can reach it: every tool computes from its arguments
 * alone and touches nothing else.
 *
 * @example
 * ```ts
 * const upstream = createDemoUpstream()
 * const response = await upstream(new Request('http://demo.local/mcp', { method: 'POST', headers, body }))
 * ```
 */
export const createDemoUpstream = (): ((request: Request) => Promise<Response>) => {
  const calls = new Map(demoTools.map((tool) => [tool.name, prepareCall(tool)]))
  const tools = demoTools.map(listEntry)
  const handler = createMcpHandler(() => {
    const server = new Server(
      { name: 'schema-disclosure-demo', title: 'Demo tools', version: '1.0.0' },
      { capabilities: { tools: {} } },
    )
    // The low-level server: tools are plain JSON Schema here, and must leave as they stand.
    server.setRequestHandler('tools/list', () => ({ tools }) as never)
    server.setRequestHandler('tools/call', async ({ params }) => {
      const call = calls.get(params.name)
      if (!call) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Cannot call "${params.name}": no such tool`)
      return call(params.arguments ?? {})
    })
    return server
  })
  return (request) => handler.fetch(request)
}

const prepareCall = (tool: DemoTool): ((args: JsonObject) => Promise<CallResult>) => {
  const check = tool.checksArguments === false ? undefined : schemaCheck(tool.inputSchema, MAX_FINDINGS)
  return async (args) => {
    const findings = check?.(args) ?? []
    if (findings.length > 0) {
      const list = findings.map(({ path, message }) => `${path || 'arguments'}: ${message}`)
      return refusal([`Cannot call "${tool.name}": its arguments do not keep the input schema`, ...list].join('\n'))
    }
    try {
      const structuredContent = await tool.run(args as never)
      return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }
    } catch (error) {
      if (error instanceof ToolFailure) return refusal(`Cannot call "${tool.name}": ${error.message}`)
      throw error
    }
  }
}

const refusal = (text: string): CallResult => ({ content: [{ type: 'text', text }], isError: true })
