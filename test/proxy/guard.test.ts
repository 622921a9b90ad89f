import { afterEach, describe, expect, it, vi } from 'vitest'
import type { SchemaValidator } from '../../src/core/index.ts'
import { ArgumentGuard } from '../../src/proxy/argument-guard.ts'
import { createDisclosureProxy, ProxyError, type ProxySettings } from '../../src/proxy/index.ts'
import { jsonSchemaValidator } from '../../src/validation/index.ts'
import { type Answers, fakeUpstream, json, post } from './fake-upstream.ts'

const entry = (schema: object) => JSON.stringify({ name: 'pay', inputSchema: schema })
const listOf = (...entries: readonly string[]) => `{"tools":[${entries.join()}]}`
const SCHEMA = {
  type: 'object',
  properties: { amount: { type: 'integer', maximum: 10 } },
  required: ['amount'],
  additionalProperties: false,
}
const MODERN_META =
  '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}'

function client(tools: () => string, settings: Omit<ProxySettings, 'upstream'> = {}, more: Answers = {}) {
  const upstream = fakeUpstream({ 'tools/list': tools, 'tools/call': '{"content":[]}', ...more })
  const proxy = createDisclosureProxy({ upstream: upstream.fetch, ...settings })
  const call = async (args: string, headers: Record<string, string> = {}, name = 'pay') => {
    const body = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"call_tool","arguments":{"name":"${name}","arguments":${args}}}}`
    const { result } = (await (await proxy.fetch(post(body, headers))).json()) as {
      result: { isError?: true; content: readonly { text: string }[] }
    }
    return result.isError === true ? result.content[0]?.text : 'sent'
  }
  return {
    upstream,
    proxy,
    call,
    listings: () => upstream.count('tools/list'),
    calls: () => upstream.count('tools/call'),
  }
}

afterEach(() => {
  vi.useRealTimers()
})

describe('guard "catalog"', () => {
  it('does not list again for a target that was listed within ten seconds, and does after', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const { call, listings } = client(() => listOf(entry(SCHEMA)))
    for (const [wait, expected] of [
      [0, 1],
      [9_999, 1],
      [1, 2],
      [5_000, 2],
    ] as const) {
      vi.setSystemTime(Date.now() + wait)
      expect(await call('{}')).toBe('sent')
      expect(listings()).toBe(expected)
    }
  })

  it('never refuses by what it remembers', async () => {
    let tools = listOf()
    const { call, listings } = client(() => tools)
    expect(await call('{}')).toBe('Unknown tool: "pay"')
    tools = listOf(entry(SCHEMA))
    expect(await call('{}')).toBe('sent')
    expect(listings()).toBe(2)
  })

  it.each<[string, Record<string, string>, Record<string, string>]>([
    ['credential', { authorization: 'Bearer a' }, { authorization: 'Bearer b' }],
    ['session', { 'mcp-session-id': 'a' }, { 'mcp-session-id': 'b' }],
    ['revision', { 'mcp-protocol-version': '2025-03-26' }, { 'mcp-protocol-version': '2025-06-18' }],
  ])('REQ-P-22: what one %s saw is nothing to another', async (_name, first, second) => {
    const { call, listings } = client(() => listOf(entry(SCHEMA)), { forwardHeaders: ['authorization'] })
    await call('{}', first)
    await call('{}', first)
    expect(listings()).toBe(1)
    await call('{}', second)
    expect(listings()).toBe(2)
  })

  it('REQ-P-22: what a client of other capabilities, or another client, saw is nothing to it', async () => {
    const { proxy, listings } = client(() => listOf(entry(SCHEMA)))
    for (const [capabilities, expected] of [
      ['{}', 1],
      ['{}', 1],
      ['{"elicitation":{}}', 2],
      ['{"elicitation":{}},"io.modelcontextprotocol/clientInfo":{"name":"b"}', 3],
    ] as const) {
      const meta = MODERN_META.replace('{}', capabilities)
      const body = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"call_tool","arguments":{"name":"pay"},${meta}}}`
      const mirrors = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'call_tool' }
      await (await proxy.fetch(post(body, mirrors))).text()
      expect(listings()).toBe(expected)
    }
  })

  it('lists for each call where callers are known by what comes beside the request', async () => {
    const upstream = fakeUpstream({ 'tools/list': listOf(entry(SCHEMA)), 'tools/call': '{"content":[]}' })
    const proxy = createDisclosureProxy<{ user: string }>({ upstream: (request) => upstream.fetch(request) })
    const body =
      '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"call_tool","arguments":{"name":"pay"}}}'
    for (const user of ['a', 'a']) await (await proxy.fetch(post(body), { user })).text()
    expect(upstream.count('tools/list')).toBe(2)
  })

  it('REQ-P-22: lists again once the session has ended, or its list has changed', async () => {
    const changed = 'data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n'
    const { call, listings, proxy } = client(
      () => listOf(entry(SCHEMA)),
      {},
      {
        DELETE: () => new Response(null, { status: 200 }),
        GET: () => new Response(changed, { headers: { 'content-type': 'text/event-stream' } }),
      },
    )
    const session = { 'mcp-session-id': 's' }
    for (const [index, method] of ['GET', 'DELETE'].entries()) {
      await call('{}', session)
      await call('{}', session)
      expect(listings()).toBe(index + 1)
      await (await proxy.fetch(new Request('http://127.0.0.1/mcp', { method, headers: session }))).text()
    }
    await call('{}', session)
    expect(listings()).toBe(3)
  })

  it('asks once more where the schema by which headers were made is not the upstream’s any more', async () => {
    const region = { type: 'object', properties: { r: { type: 'string', 'x-mcp-header': 'Region' } } }
    let tools = listOf(entry({ type: 'object' }))
    const wants = (header: string | null) => header ?? 'nothing'
    const { proxy, listings, upstream } = client(
      () => tools,
      {},
      {
        'tools/call': (_id, { headers }) =>
          tools.includes('Region') && wants(headers.get('mcp-param-region')) === 'nothing'
            ? json('{"jsonrpc":"2.0","id":7,"error":{"code":-32020,"message":"m"}}', { status: 400 })
            : '{"resultType":"complete","content":[]}',
      },
    )
    const body = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"call_tool","arguments":{"name":"pay","arguments":{"r":"eu"}},${MODERN_META}}}`
    const mirrors = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'call_tool' }
    const ask = async () => (await proxy.fetch(post(body, mirrors))).status
    expect([await ask(), listings()]).toEqual([200, 1])
    tools = listOf(entry(region))
    expect([await ask(), listings()]).toEqual([200, 2])
    expect(upstream.log.at(-1)?.headers.get('mcp-param-region')).toBe('eu')
  })
})

describe('source digests', () => {
  const source = 'ab'.repeat(32)
  const manifestOf = async (sourceDigests: Record<string, string>, tools = listOf(entry(SCHEMA))) => {
    const { proxy } = client(() => tools, { sourceDigests })
    const body =
      '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"search_tools","arguments":{"query":"pay"}}}'
    const { result } = (await (await proxy.fetch(post(body))).json()) as never
    return (result as { structuredContent: { result: [{ manifest: { source_sha256: string } }] } }).structuredContent
      .result[0].manifest
  }

  it('stand in the manifest of their tool, and of no other', async () => {
    expect((await manifestOf({ pay: source })).source_sha256).toBe(source)
    const own = (await manifestOf({})).source_sha256
    expect((await manifestOf({ other: source })).source_sha256).toBe(own)
  })

  it('stand behind a manifest that the tool carries', async () => {
    const carried = await manifestOf({})
    const tool = JSON.stringify({ name: 'pay', inputSchema: SCHEMA, _meta: { openapi_schema: carried } })
    expect(await manifestOf({ pay: source }, listOf(tool))).toEqual(carried)
  })

  it.each(['', 'x', 'AB'.repeat(32)])('are digests, not %o', (digest) => {
    expect(() => createDisclosureProxy({ upstream: 'https://x.example', sourceDigests: { pay: digest } })).toThrow(
      '"sourceDigests.pay"',
    )
  })
})

describe('guard "arguments"', () => {
  const settings = { guard: 'arguments', validator: jsonSchemaValidator() } as const

  it.each<[string, string, RegExp | 'sent']>([
    ['what satisfies the schema', '{"amount":10}', 'sent'],
    ['a member that is missing', '{}', /^Cannot call "pay": its arguments do not satisfy its input schema\n.*required/],
    ['a member nobody knows', '{"amount":1,"x":1}', /\n\/x: /],
    ['a number that is too large by less than a double can tell', '{"amount":10.0000000000000000001}', /\n\/amount: /],
    ['a wrong type', '{"amount":"secret"}', /\n\/amount: (?!.*secret)/],
  ])('judges %s', async (_name, args, expected) => {
    const { call, calls } = client(() => listOf(entry(SCHEMA)), settings)
    const said = await call(args)
    if (expected === 'sent') expect([said, calls()]).toEqual(['sent', 1])
    else {
      expect(said).toMatch(expected)
      expect(calls()).toBe(0)
    }
  })

  it.each<[string, object, SchemaValidator | undefined]>([
    ['its pattern is not supported', { properties: { amount: { pattern: '^(?:(a+)\\1)+$' } } }, undefined],
    ['its schema is refused', { $ref: 'https://example.com/x' }, undefined],
    ['the validator throws', SCHEMA, { compile: () => ({ validate: () => fail() }) }],
    ['the validator says nothing of use', SCHEMA, { compile: () => ({ validate: () => ({ issues: [] as never }) }) }],
  ])('a call goes on where the validator cannot tell: %s', async (_name, schema, validator) => {
    const { call } = client(() => listOf(entry(schema)), { ...settings, ...(validator && { validator }) })
    expect(await call('{}')).toBe('sent')
  })

  it.each([
    ['a name twice', '{"amount":1,"amount":99}', 'duplicate-name'],
    ['half of a pair', '{"amount":1,"x":"\\ud800"}', 'lone-surrogate'],
  ])('what means one thing here and another upstream is refused: %s', async (_name, args, code) => {
    const { call, calls } = client(() => listOf(entry(SCHEMA)), settings)
    expect(await call(args)).toBe(`Cannot call "pay": its arguments cannot be read: ${code}`)
    expect(calls()).toBe(0)
  })

  it('arguments are refused by a live listing only', async () => {
    let tools = listOf(entry(SCHEMA))
    const { call, listings } = client(() => tools, settings)
    expect(await call('{"amount":1}')).toBe('sent')
    tools = listOf(entry({ ...SCHEMA, properties: { amount: { maximum: 100 } } }))
    expect(await call('{"amount":50}')).toBe('sent')
    expect(listings()).toBe(2)
    expect(await call('{"amount":500}')).toMatch(/Cannot call/)
    expect(listings()).toBe(3)
  })

  it('compiles a schema once', async () => {
    let compiled = 0
    const inner = jsonSchemaValidator()
    const validator: SchemaValidator = {
      compile(schema) {
        compiled++
        return inner.compile(schema)
      },
    }
    const { call } = client(() => listOf(entry(SCHEMA)), { ...settings, validator })
    for (let n = 0; n < 3; n++) await call('{"amount":1}')
    expect(compiled).toBe(1)
  })

  it('tries a schema that cannot be compiled once, and keeps 32', async () => {
    let compiled = 0
    const validator: SchemaValidator = {
      compile() {
        compiled++
        throw new Error('no')
      },
    }
    let schema: object = SCHEMA
    const { call } = client(() => listOf(entry(schema)), { ...settings, validator })
    for (let n = 0; n < 3; n++) await call('{}')
    expect(compiled).toBe(1)
    const guard = new ArgumentGuard(validator)
    for (let n = 0; n < 33; n++) {
      schema = { title: `${n}` }
      await guard.refusal(
        { name: 'pay', json: new TextEncoder().encode(entry(schema)) },
        new TextEncoder().encode('{}'),
      )
    }
    expect(compiled).toBe(34)
    const again = (title: string) =>
      guard.refusal({ name: 'pay', json: new TextEncoder().encode(entry({ title })) }, new TextEncoder().encode('{}'))
    await again('32')
    expect(compiled).toBe(34)
    await again('0')
    expect(compiled).toBe(35)
  })

  it('says as much as a model can use of many reasons, and no more', async () => {
    const issues = Array.from({ length: 100 }, () => ({
      message: 'm'.repeat(999),
      instancePath: `/${'p'.repeat(999)}`,
    }))
    const validator = { compile: () => ({ validate: () => ({ issues }) }) } as never
    const { call } = client(() => listOf(entry(SCHEMA)), { ...settings, validator })
    const said = (await call('{}')) as string
    expect(said.length).toBeLessThan(4_000)
    expect(said).toContain('and 92 more')
  })

  it.each([undefined, {}, 5])('wants a validator, not %o', (validator) => {
    const making = () =>
      createDisclosureProxy({ upstream: 'https://x.example', guard: 'arguments', validator: validator as never })
    expect(making).toThrow(ProxyError)
    expect(making).toThrow('"validator"')
  })
})

function fail(): never {
  throw new Error('no verdict')
}
