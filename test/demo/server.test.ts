import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { describe, expect, test } from 'vitest'
import { listEntry } from '../../worker/demo/tool.ts'
import { demoTools } from '../../worker/demo/tools/index.ts'
import { createDemoUpstream } from '../../worker/demo/upstream.ts'
import { call, request, send } from './session.ts'

const URL_OF_DEMO = new URL('http://demo.local/mcp')
const upstream = createDemoUpstream()
const inProcess = (input: string | URL, init?: RequestInit): Promise<Response> => upstream(new Request(input, init))

describe('demo server', () => {
  test('lists every tool with the schemas as they are, before and after calls', async () => {
    const expected = JSON.stringify({ tools: demoTools.map(listEntry) })
    expect(JSON.stringify((await request('tools/list')).result)).toBe(expected)
    await call('render_chart', { data: { values: [{ a: 1 }] }, mark: 'point' })
    await call('check_asyncapi', {})
    await call('hash_text', { text: '' })
    expect(JSON.stringify((await request('tools/list')).result)).toBe(expected)
  })

  test('every tool has a root type object, an output schema, a title and honest annotations', () => {
    for (const tool of demoTools.map(listEntry)) {
      expect(tool).toMatchObject({
        inputSchema: { type: 'object' },
        outputSchema: { type: 'object', additionalProperties: false },
        title: expect.any(String),
        description: expect.any(String),
        annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
      })
    }
  })

  test.each(['GET', 'DELETE'])('%s is answered 405: there are no sessions', async (method) => {
    expect((await send({ method, headers: { accept: 'text/event-stream' } })).status).toBe(405)
  })

  test('an unknown tool is a protocol error, arguments that break a schema are a tool error', async () => {
    expect(await request('tools/call', { name: 'constructor', arguments: {} })).toMatchObject({
      error: { code: -32602 },
    })
    const answer = await call('convert_units', { value: 'one', from: 'm', to: 'parsec' })
    expect(answer.isError).toBe(true)
    expect(answer.content[0]?.text).toMatch(/\/value: [\s\S]*\/to: /)
  })

  test('the SDK v1 client lists and calls', async () => {
    const client = new ClientV1({ name: 'test', version: '1' })
    const transport = new TransportV1(URL_OF_DEMO, { fetch: inProcess })
    await client.connect(transport as Parameters<typeof client.connect>[0])
    expect((await client.listTools()).tools).toHaveLength(demoTools.length)
    const answer = await client.callTool({ name: 'hash_text', arguments: { text: 'abc' } })
    expect(answer.structuredContent).toMatchObject({ bytes: 3 })
    await client.close()
  })

  test.each(['legacy', '2026-07-28'] as const)('the SDK v2 client lists and calls, %s', async (era) => {
    const versionNegotiation = era === 'legacy' ? { mode: 'legacy' as const } : { mode: { pin: era } }
    const client = new ClientV2({ name: 'test', version: '1' }, { versionNegotiation })
    await client.connect(new TransportV2(URL_OF_DEMO, { fetch: inProcess }))
    expect((await client.listTools()).tools).toHaveLength(demoTools.length)
    const answer = await client.callTool({ name: 'hash_text', arguments: { text: 'abc' } })
    expect(answer.structuredContent).toMatchObject({ bytes: 3 })
    await client.close()
  })
})
