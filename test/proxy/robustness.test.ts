/**
 * Upstreams that are broken, slow or spell things their own way, and callers that must be kept apart.
 * @module
 */

import { describe, expect, it } from 'vitest'
import { createDisclosureProxy, type ProxySettings } from '../../src/proxy/index.ts'

const URL_ = 'https://front.example/mcp'
const JSON_TYPE = { 'content-type': 'application/json' }
const SSE_TYPE = { 'content-type': 'text/event-stream' }
const TOOL = '{"name":"a","description":"alpha","inputSchema":{"type":"object"}}'
const REPEATED = '{"name":"b","name":"b","inputSchema":{"type":"object"}}'
const LIST = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
const DIGEST = '0'.repeat(64)

const post = (body: string, headers: Record<string, string> = {}) =>
  new Request(URL_, { method: 'POST', body, headers: { ...JSON_TYPE, ...headers } })
const call = (name: string, args: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${args}}}`
const read = (uri: string) => `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"${uri}"}}`

type Answer = (request: Request, context: unknown) => Promise<Response> | Response
const proxyOf = (upstream: Answer, settings: Partial<ProxySettings<unknown>> = {}) =>
  createDisclosureProxy<unknown>({ ...settings, upstream })
/** Every request is answered with this result, under its own id. */
const answering =
  (result: string | ((context: unknown) => string)): Answer =>
  async (request, context) => {
    const id = /"id":("[^"]*"|[^,}]+)/.exec(await request.text())?.[1]
    const text = typeof result === 'string' ? result : result(context)
    return new Response(`{"jsonrpc":"2.0","id":${id},"result":${text}}`, { headers: JSON_TYPE })
  }
const ask = async (upstream: Answer, body: string, settings?: Partial<ProxySettings<unknown>>) => {
  const response = await proxyOf(upstream, settings).fetch(post(body), undefined)
  return { status: response.status, text: await response.text() }
}
const stalling = (status = 200) =>
  new Response(new ReadableStream({ start: (to) => to.enqueue(new TextEncoder().encode('{"jsonrpc"')) }), {
    status,
    headers: JSON_TYPE,
  })

describe('one broken tool spoils nothing', () => {
  it('in tools/list', async () => {
    const { status, text } = await ask(answering(`{"tools":[${TOOL},${REPEATED}]}`), LIST)
    expect(status).toBe(200)
    expect(JSON.parse(text).result.tools.map(({ name }: { name: string }) => name)).toEqual([
      'search_tools',
      'read_schema',
      'call_tool',
    ])
  })

  it('REQ-P-30: on a resumed GET the raw list does not leak', async () => {
    const event = `data: {"jsonrpc":"2.0","id":1,"result":{"tools":[${TOOL},${REPEATED}]}}\n\n`
    const response = await proxyOf(() => new Response(event, { headers: SSE_TYPE })).fetch(new Request(URL_), undefined)
    expect(await response.text()).not.toContain('alpha')
  })

  it.each([
    ['a repeated name in the schema', '{"name":"a","inputSchema":{"type":"object","type":"object"}}'],
    ['a false own manifest', '{"name":"a","inputSchema":{"type":"object"},"_meta":{"openapi_schema":{"version":1}}}'],
  ])('a digest cannot be compared with %s: a tool error, and no call', async (_, tool) => {
    const bodies: string[] = []
    const upstream: Answer = async (request, context) => {
      bodies.push(await request.clone().text())
      return answering(`{"tools":[${tool}]}`)(request, context)
    }
    const { status, text } = await ask(upstream, call('call_tool', `{"name":"a","schema_sha256":"${DIGEST}"}`))
    expect([status, JSON.parse(text).result.isError]).toEqual([200, true])
    expect(bodies.some((body) => body.includes('tools/call'))).toBe(false)
  })
})

it('REQ-P-02: capabilities that are no object where one belongs stay as they are', async () => {
  const result = '{"protocolVersion":"2025-06-18","capabilities":{"tools":{},"extensions":[]},"serverInfo":{}}'
  const { status, text } = await ask(answering(result), '{"jsonrpc":"2.0","id":1,"method":"initialize"}')
  expect([status, JSON.parse(text).result.capabilities]).toEqual([200, { tools: {}, extensions: [], resources: {} }])
})

it('row 30: a broken answer is the upstream’s fault, not the caller’s', async () => {
  const { status, text } = await ask(answering('{"tools":[],"tools":[]}'), LIST)
  expect([status, JSON.parse(text).error.code, JSON.parse(text).id]).toEqual([502, -32603, 1])
})

describe('row 30: every wait is bounded', () => {
  const never: Answer = () => new Promise(() => {})
  it.each([
    ['a function that ignores its signal', never, LIST, 504],
    ['a body that does not end', () => stalling(), LIST, 504],
    ['a foreign resource that does not end', () => stalling(), read('file:///x'), 504],
  ] as const)('%s', async (_, upstream, body, status) => {
    expect((await ask(upstream, body, { timeoutMs: 40 })).status).toBe(status)
  })

  it('a refusal of the listing that does not end', async () => {
    const settings = { limits: { timeoutMs: 40 } }
    const { text } = await ask(() => stalling(401), call('search_tools', '{"query":"a"}'), settings)
    expect(JSON.parse(text).result.isError).toBe(true)
  })
})

describe('REQ-P-14: the id is the caller’s text, however the upstream spells it', () => {
  it.each([
    ['9007199254740993', '9007199254740992'],
    ['7', '7.0'],
    ['"7"', '"\\u0037"'],
  ])('%s', async (asked, answered) => {
    const message = `{"jsonrpc":"2.0","id":${answered},"x":1.0,"result":{"tools":[]}}`
    const body = LIST.replace('"id":1', `"id":${asked}`)
    const json = await ask(() => new Response(message, { headers: JSON_TYPE }), body)
    const stream = await ask(() => new Response(`data: ${message}\n\n`, { headers: SSE_TYPE }), body)
    // Unknown members of the response stay too.
    expect(json.text.startsWith(`{"jsonrpc":"2.0","id":${asked},"x":1.0,"result":{`)).toBe(true)
    expect(stream.text).toBe(`data: ${json.text}\n\n`)
  })

  it.each(['"1"', '2', 'null'])('another id (%s) is no answer', async (id) => {
    const upstream = () => new Response(`{"jsonrpc":"2.0","id":${id},"result":{"tools":[]}}`, { headers: JSON_TYPE })
    expect((await ask(upstream, LIST)).status).toBe(502)
  })
})

describe('row 17: a foreign resource passes as it is', () => {
  it('with the event ids of its stream', async () => {
    const events = 'id: e1\nretry: 5\ndata: {"jsonrpc":"2.0","id":1,"result":{"contents":[]}}\n\n'
    expect((await ask(() => new Response(events, { headers: SSE_TYPE }), read('file:///x'))).text).toBe(events)
  })

  it('however long, and as it arrives', async () => {
    const long = `{"contents":[{"uri":"file:///x","text":"${'x'.repeat(300_000)}"}]}`
    const { status, text } = await ask(answering(long), read('file:///x'), { limits: { maxTotalBytes: 1000 } })
    expect([status, text]).toEqual([200, `{"jsonrpc":"2.0","id":1,"result":${long}}`])
  })
})

it('row 23: what only has a member of that name is no tool list', async () => {
  const event = 'data: {"jsonrpc":"2.0","id":1,"result":{"tools":{"hammer":1}}}\n\n'
  const response = await proxyOf(() => new Response(event, { headers: SSE_TYPE })).fetch(new Request(URL_), undefined)
  expect(await response.text()).toBe(event)
})

it('§6: headers that mirror the caller’s body are on no other body', async () => {
  const seen: (string | null)[][] = []
  const upstream: Answer = (request, context) => {
    seen.push(['mcp-method', 'mcp-name', 'mcp-param-x'].map((name) => request.headers.get(name)))
    return answering(`{"tools":[${TOOL}]}`)(request, context)
  }
  const mirrors = { 'mcp-method': 'tools/call', 'mcp-name': 'call_tool', 'mcp-param-x': '1' }
  await (await proxyOf(upstream).fetch(post(call('call_tool', '{"name":"a"}'), mirrors), undefined)).text()
  expect(seen).toEqual([
    [null, null, null],
    ['tools/call', null, null],
  ])
})

it('REQ-P-22, REQ-P-33: callers that only the context tells apart share no read window', async () => {
  const proxy = proxyOf(
    answering((who) => `{"tools":[${who === 'alice' ? TOOL : ''}]}`),
    { readWindowMs: 10_000 },
  )
  const found = await (await proxy.fetch(post(call('search_tools', '{"query":"alpha"}')), 'alice')).json()
  const uri = found.result.structuredContent.result[0].manifest.manifest_uri
  expect((await (await proxy.fetch(post(read(uri)), 'alice')).json()).result).toBeDefined()
  expect((await (await proxy.fetch(post(read(uri)), 'bob')).json()).error.code).toBe(-32002)
})
