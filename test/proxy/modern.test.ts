import { describe, expect, it } from 'vitest'
import { createDisclosureProxy, type ProxySettings } from '../../src/proxy/index.ts'
import { decodeHeaderValue, encodeHeaderValue } from '../../src/proxy/mirrors.ts'
import { mirroredParams, paramHeaders } from '../../src/proxy/param-headers.ts'
import { type Answers, fakeUpstream, json, post, type Recorded, rpcResult, sse } from './fake-upstream.ts'

const VERSION = '2026-07-28'
const ENVELOPE =
  '"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"x":1.0}'
const TOOL = '{"name":"get_user","inputSchema":{"type":"object","properties":{"id":{"type":"integer"}}}}'
const LIST = `{"resultType":"complete","tools":[${TOOL}],"ttlMs":500,"cacheScope":"public"}`

type Options = { readonly headers?: Record<string, string>; readonly meta?: string; readonly id?: string }

/** A modern request whose headers say what its body says. */
function modern(method: string, params = '', { headers = {}, meta = ENVELOPE, id = '7' }: Options = {}): Request {
  const name = /^"(?:name|uri)":"([^"]*)"/.exec(params)?.[1]
  const body = `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":{${params}${params && ','}"_meta":{${meta}}}}`
  return post(body, {
    'mcp-protocol-version': VERSION,
    'mcp-method': method,
    ...(name !== undefined && { 'mcp-name': encodeHeaderValue(name) }),
    ...headers,
  })
}
const call = (name: string, args: string, more: Options = {}, rest = '') =>
  modern('tools/call', `"name":"${name}","arguments":${args}${rest}`, more)

async function through(answers: Answers, request: Request, settings: Omit<ProxySettings, 'upstream'> = {}) {
  const upstream = fakeUpstream(answers)
  const response = await createDisclosureProxy({ upstream: upstream.fetch, ...settings }).fetch(request)
  const text = await response.text()
  return { response, text, message: text.startsWith('{') ? JSON.parse(text) : undefined, upstream }
}
const read = (uri: string, more: Options = {}) => modern('resources/read', `"uri":"${uri}"`, more)
const manifestOf = async (answers: Answers) => {
  const { message } = await through(answers, call('search_tools', '{"query":"user"}'))
  return message.result.structuredContent.result[0].manifest
}

describe('rows 4 and 5: server/discover', () => {
  const discovered =
    '{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":1.0}'
  it('REQ-P-02: gains resources, the extension and instructions, and nothing else changes', async () => {
    const { text } = await through({ 'server/discover': discovered }, modern('server/discover'), { instructions: 'M' })
    const added = '"tools":{},"resources":{},"extensions":{"dev.mcp-schema-disclosure/v1":{}}}'
    expect(text).toBe(rpcResult('7', `${discovered.replace('"tools":{}}', added).slice(0, -1)},"instructions":"M"}`))
  })
  it('a server of the other era says so in its own words', async () => {
    const refusal = '{"jsonrpc":"2.0","id":7,"error":{"code":-32000,"message":"Bad Request: no session"}}'
    const { response, text } = await through(
      { 'server/discover': () => json(refusal, { status: 400 }) },
      modern('server/discover'),
    )
    expect([response.status, text]).toEqual([400, refusal])
  })
})

describe('REQ-P-06: headers that do not say what the body says', () => {
  const uri = `openapi-schema://v1/get_user/${'a'.repeat(64)}/manifest`
  const requests: readonly (readonly [string, (more: Options) => Request])[] = [
    ['search_tools', (more) => call('search_tools', '{"query":"x"}', more)],
    ['call_tool', (more) => call('call_tool', '{"name":"get_user"}', more)],
    ['a read of ours', (more) => read(uri, more)],
  ]
  const wrong: readonly (readonly [string, Record<string, string>])[] = [
    ['another revision', { 'mcp-protocol-version': '2026-08-01' }],
    ['a revision of the other era', { 'mcp-protocol-version': '2025-11-25' }],
    ['another method', { 'mcp-method': 'tools/list' }],
    ['the method in another case', { 'mcp-method': 'Tools/Call' }],
    ['another name', { 'mcp-name': 'get_user' }],
    ['base64 that is cut', { 'mcp-name': '=?base64?Y2F?=' }],
    ['no method', { 'mcp-method': '' }],
    ['no name', { 'mcp-name': '' }],
  ]
  it.each(requests.flatMap(([of, request]) => wrong.map(([what, headers]) => [of, what, request, headers] as const)))(
    '%s with %s: 400, -32020, its own id, and nothing goes upstream',
    async (_of, _what, request, headers) => {
      const { response, message, upstream } = await through({ '*': LIST }, request({ headers, id: '"a"' }))
      expect(response.status).toBe(400)
      expect(message).toMatchObject({ id: 'a', error: { code: -32020 } })
      expect(upstream.log).toEqual([])
    },
  )
  it('what passes as it is, is judged upstream', async () => {
    const { upstream } = await through({ '*': '{}' }, modern('prompts/list', '', { headers: { 'mcp-method': 'x' } }))
    expect(upstream.log.length).toBe(1)
  })
})

describe('values of mirrored headers', () => {
  it.each(['  call_tool ', '=?base64?Y2FsbF90b29s?='])('REQ-P-07: %j names the tool', async (value) => {
    const { message } = await through(
      { 'tools/list': LIST, 'tools/call': '{"resultType":"complete","content":[]}' },
      call('call_tool', '{"name":"get_user"}', { headers: { 'mcp-name': value } }),
    )
    expect(message.result.content).toEqual([])
  })
  it.each(['a', 'naïve tool', '=?base64?YQ==?=', ' a', 'a\tb', 'a\n', '', '😀', 'a b'])(
    'REQ-P-08: %j comes back from its header',
    (text) => {
      const value = encodeHeaderValue(text)
      expect(new Headers({ x: value }).get('x')).toBe(value)
      expect(decodeHeaderValue(value)).toBe(text)
      expect(value === text).toBe(/^[a-z](?:[\t ][a-z])?$/.test(text))
    },
  )
  it.each(['=?base64?YQ?=', '=?base64?YR==?=', '=?base64?/w==?=', '=?base64?Y Q==?=', '=?base64?*?='])(
    'REQ-P-07: %s is no value',
    (value) => {
      expect(decodeHeaderValue(value)).toBe(undefined)
    },
  )
})

describe('rows 9 to 12: calls', () => {
  const schema = (properties: string) =>
    `{"tools":[{"name":"naïve tool","inputSchema":{"type":"object","properties":${properties}}}],"ttlMs":0,"cacheScope":"private"}`
  const PROPERTIES =
    '{"region":{"type":"string","x-mcp-header":"Region"},"in":{"type":"object","properties":{"n":{"type":"integer","x-mcp-header":"N"},"b":{"type":"boolean","x-mcp-header":"B"}}},"none":{"type":"string","x-mcp-header":"None"},"gone":{"type":"string","x-mcp-header":"Gone"}}'
  const args = '{"region":"Zürich","in":{"n":42,"b":true},"none":null}'
  const params = ({ headers }: Recorded) =>
    Object.fromEntries([...headers].filter(([name]) => /^mcp-(?:param-|name$|method$)/.test(name)))
  const asked = (guard: 'catalog' | 'none') => ({
    request: call('call_tool', `{"name":"naïve tool","arguments":${args}}`, {
      headers: { 'mcp-param-region': 'eu', 'mcp-param-x': '1' },
    }),
    settings: { guard },
  })
  const mirrored = {
    'mcp-method': 'tools/call',
    'mcp-name': '=?base64?bmHDr3ZlIHRvb2w=?=',
    'mcp-param-region': '=?base64?WsO8cmljaA==?=',
    'mcp-param-n': '42',
    'mcp-param-b': 'true',
  }
  const refused = (id: string) =>
    json(`{"jsonrpc":"2.0","id":${id},"error":{"code":-32020,"message":"headers"}}`, { status: 400 })

  it('REQ-P-08, REQ-P-09: the real name and its own arguments are mirrored, and nothing the client mirrored', async () => {
    const { request, settings } = asked('catalog')
    const { upstream } = await through({ 'tools/list': schema(PROPERTIES), 'tools/call': '{}' }, request, settings)
    expect(upstream.log.map(({ rpc }) => rpc)).toEqual(['tools/list', 'tools/call'])
    expect(params(upstream.log[1] as Recorded)).toEqual(mirrored)
    expect(JSON.parse(upstream.log[1]?.body as string).params.name).toBe('naïve tool')
  })

  it('REQ-P-10: a cold call is sent, refused, listed for and sent once more', async () => {
    const { request, settings } = asked('none')
    let calls = 0
    const { upstream, message } = await through(
      { 'tools/list': schema(PROPERTIES), 'tools/call': (id) => (calls++ === 0 ? refused(id) : '{"content":[]}') },
      request,
      settings,
    )
    expect(upstream.log.map(({ rpc }) => rpc)).toEqual(['tools/call', 'tools/list', 'tools/call'])
    expect(params(upstream.log[0] as Recorded)).toEqual({
      'mcp-method': 'tools/call',
      'mcp-name': mirrored['mcp-name'],
    })
    expect(params(upstream.log[2] as Recorded)).toEqual(mirrored)
    expect(message).toEqual({ jsonrpc: '2.0', id: 7, result: { content: [] } })
  })

  it.each(['catalog', 'none'] as const)('REQ-P-10: a second refusal is relayed, guard %s', async (guard) => {
    const { request, settings } = asked(guard)
    const { response, message, upstream } = await through(
      { 'tools/list': schema(PROPERTIES), 'tools/call': refused },
      request,
      settings,
    )
    expect(response.status).toBe(400)
    expect(message).toMatchObject({ id: 7, error: { code: -32020 } })
    expect(upstream.count('tools/call')).toBe(guard === 'none' ? 2 : 1)
    expect(upstream.count('tools/list')).toBe(1)
  })

  it.each([
    ['another error', '{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"no"}}'],
    ['no JSON', '<html>'],
    ['a long page', 'x'.repeat(100_000)],
    ['nothing', ''],
  ])('a refusal that is no mismatch passes: %s', async (_name, body) => {
    const { request, settings } = asked('none')
    const { response, text, upstream } = await through(
      { 'tools/call': () => json(body, { status: 400 }) },
      request,
      settings,
    )
    expect([response.status, text]).toEqual([400, body])
    expect(upstream.log.length).toBe(1)
  })

  it('REQ-P-10: nothing is mirrored in the legacy era', async () => {
    const request = post(
      `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"call_tool","arguments":{"name":"naïve tool","arguments":${args}}}}`,
    )
    const { upstream } = await through({ 'tools/list': schema(PROPERTIES), 'tools/call': '{}' }, request)
    expect(params(upstream.log[1] as Recorded)).toEqual({})
  })

  it('REQ-P-12, REQ-P-13: a retry with input is rewritten by the same bytes', async () => {
    const rest = ',"inputResponses":{"a":{"action":"accept","content":{"n":1.0}}},"requestState":"opaque=="'
    const given = '{"big":12345678901234567890,"f":1.0}'
    const answers: Answers = {
      'tools/list': schema('{}'),
      'tools/call': '{"resultType":"input_required","inputRequests":{}}',
    }
    const first = await through(answers, call('call_tool', `{"name":"naïve tool","arguments":${given}}`))
    const again = await through(
      answers,
      call('call_tool', `{"name":"naïve tool","arguments":${given}}`, { id: '8' }, rest),
    )
    expect(first.message.result.resultType).toBe('input_required')
    const [one, two] = [first, again].map(({ upstream }) => upstream.log[1]?.body as string)
    expect(two).toBe(one?.replace('"id":7', '"id":8').replace(`${given}`, () => `${given}${rest}`))
  })

  it('arguments that name one thing twice have no one value to mirror', async () => {
    const { response, message, upstream } = await through(
      { 'tools/list': schema(PROPERTIES) },
      call('call_tool', '{"name":"naïve tool","arguments":{"region":"a","region":"b"}}'),
    )
    expect([response.status, message.error.code]).toEqual([400, -32600])
    expect(upstream.count('tools/call')).toBe(0)
  })
})

describe('x-mcp-header', () => {
  const tool = (schema: unknown) => ({
    name: 't',
    json: new TextEncoder().encode(JSON.stringify({ inputSchema: schema })),
  })
  const on = (schema: unknown) => ({ type: 'object', properties: { a: schema } })
  const ok = { type: 'string', 'x-mcp-header': 'A' }
  it.each([
    ['on a string', on(ok), [['a']]],
    ['inside', on(on(ok)), [['a', 'a']]],
    ['on the root', { ...ok }, undefined],
    ['on a number', on({ ...ok, type: 'number' }), undefined],
    ['on two types', on({ ...ok, type: ['string', 'null'] }), undefined],
    ['no token', on({ ...ok, 'x-mcp-header': 'a b' }), undefined],
    ['empty', on({ ...ok, 'x-mcp-header': '' }), undefined],
    ['no string', on({ ...ok, 'x-mcp-header': 1 }), undefined],
    ['twice in another case', { properties: { a: ok, b: { ...ok, 'x-mcp-header': 'a' } } }, undefined],
    ['in items', on({ items: ok }), undefined],
    ['in a choice', on({ anyOf: [ok] }), undefined],
    ['in $defs', { $defs: { a: ok } }, undefined],
    ['as the name of a property', on({ properties: { 'x-mcp-header': { type: 'object' } } }), []],
    ['in an example', on({ examples: [ok], default: ok }), []],
    ['under a name like any other', { properties: JSON.parse(`{"__proto__":${JSON.stringify(ok)}}`) }, [['__proto__']]],
    ['no schema at all', 5, []],
  ])('REQ-P-11: %s', (_name, schema, paths) => {
    expect(mirroredParams(tool(schema))?.map(({ path }) => path)).toEqual(paths)
  })

  it('the keyword may be spelled with escapes', () => {
    const json = '{"inputSchema":{"properties":{"a":{"type":"string","x\\u002dmcp-header":"A"}}}}'
    expect(mirroredParams({ name: 't', json: new TextEncoder().encode(json) })?.length).toBe(1)
  })

  it.each([
    ['"x"', 'x'],
    ['""', '=?base64??='],
    ['true', 'true'],
    ['-5', '-5'],
    ['1.0', '1'],
    ['1.5', '1.5'],
    ['9007199254740993', undefined],
    ['1e400', undefined],
    ['null', undefined],
    ['{}', undefined],
  ])('REQ-P-09: %s is mirrored as %j', (value, header) => {
    const mirrored = paramHeaders([{ header: 'mcp-param-a', path: ['a'] }], new TextEncoder().encode(`{"a":${value}}`))
    expect(mirrored).toEqual(header === undefined ? [] : [['mcp-param-a', header]])
  })

  const listing = `{"tools":[${TOOL},{"name":"bad_user","inputSchema":${JSON.stringify(on({ anyOf: [ok] }))}}],"ttlMs":0,"cacheScope":"private"}`
  const names = (answer: { result: { structuredContent: { result: { name: string }[] } } }) =>
    answer.result.structuredContent.result.map(({ name }) => name)
  it('REQ-P-11: a tool with a wrong one is in no modern search, pin or call, and in legacy ones', async () => {
    const answers: Answers = { 'tools/list': listing, 'tools/call': '{"content":[]}' }
    expect(names((await through(answers, call('search_tools', '{"query":"user"}'))).message)).toEqual(['get_user'])
    const pinned = (await through(answers, modern('tools/list'), { pin: ['*'] })).message.result.tools
    expect(pinned.map(({ name }: { name: string }) => name)).toEqual([
      'get_user',
      'search_tools',
      'read_schema',
      'call_tool',
    ])
    const called = await through(answers, call('call_tool', '{"name":"bad_user"}'))
    expect(called.message.result).toMatchObject({ isError: true, resultType: 'complete' })
    const legacy = post(
      '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"search_tools","arguments":{"query":"user"}}}',
    )
    expect(names((await through(answers, legacy)).message).sort()).toEqual(['bad_user', 'get_user'])
  })
})

describe('the listing inside a modern request', () => {
  it('REQ-P-16: says what its request says of the client, and nothing about progress or logs', async () => {
    const meta = `"progressToken":5,${ENVELOPE},"io.modelcontextprotocol/logLevel":"debug","io.modelcontextprotocol/clientInfo":{"name":"c","v":1.0},"traceparent":"t","x/y":1`
    const { upstream } = await through({ 'tools/list': LIST }, call('search_tools', '{"query":"user"}', { meta }))
    const [{ body, headers }] = upstream.log as [Recorded]
    expect(body.slice(body.indexOf('"params"'))).toBe(
      `"params":{"_meta":{${ENVELOPE},"io.modelcontextprotocol/clientInfo":{"name":"c","v":1.0},"traceparent":"t"}}}`,
    )
    expect([headers.get('mcp-method'), headers.get('mcp-name'), headers.get('mcp-protocol-version')]).toEqual([
      'tools/list',
      null,
      VERSION,
    ])
  })

  it('REQ-P-19: takes every cursor as it is, the empty one too', async () => {
    const pages = ['{"tools":[],"nextCursor":"a"}', '{"tools":[],"nextCursor":""}', LIST]
    const { upstream, message } = await through(
      { 'tools/list': () => pages.shift() as string },
      call('search_tools', '{"query":"user"}'),
    )
    expect(upstream.log.map(({ body }) => JSON.parse(body).params.cursor)).toEqual([undefined, 'a', ''])
    expect(message.result.structuredContent.result.length).toBe(1)
  })

  it('mints and echoes no session', async () => {
    const answer = (id: string) => json(rpcResult(id, LIST), { headers: { 'mcp-session-id': 'S' } })
    const { response } = await through({ 'tools/list': answer }, call('search_tools', '{"query":"user"}'))
    expect(response.headers.get('mcp-session-id')).toBe(null)
  })
})

describe('what is answered here', () => {
  it('REQ-P-20: a short list holds for as long as each of its pages does', async () => {
    const pages: Answers = {
      'tools/list': (_id, { body }) =>
        body.includes('cursor')
          ? LIST.replace('500', '20').replace('public', 'private')
          : LIST.replace('{', '{"nextCursor":"n",'),
    }
    const all = (await through(pages, modern('tools/list'), { pin: ['*'] })).message.result
    expect([all.ttlMs, all.cacheScope, all.resultType, all.nextCursor]).toEqual([20, 'private', 'complete', undefined])
    const short = (await through(pages, modern('tools/list'))).message.result
    expect([short.ttlMs, short.cacheScope]).toEqual([500, 'public'])
    const [search] = short.tools
    expect([search.title, search.execution, short.tools[2].execution]).toEqual(['Search tools', undefined, undefined])
  })

  it.each(['-1', '"5"', 'null', '1e999'])('REQ-P-20: a page that says %s is not kept', async (ttl) => {
    const page = LIST.replace('500', ttl)
    const manifest = await manifestOf({ 'tools/list': page })
    const { message } = await through({ 'tools/list': page }, read(manifest.manifest_uri))
    expect(message.result.ttlMs).toBe(0)
  })

  it('REQ-P-20, REQ-P-21: reads, templates and searches are complete, and say how long they hold and whose they are', async () => {
    const info = '"_meta":{"x":1,"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1.0"}}'
    const answers: Answers = { 'tools/list': LIST.replace('{', `{${info},`) }
    const { manifest_uri: uri } = await manifestOf(answers)
    const { text } = await through(answers, read(uri))
    expect(text).toContain('"result":{"resultType":"complete","contents":[')
    expect(text).toContain(`"ttlMs":500,"cacheScope":"public",${info.replace('"x":1,', '')}}}`)
    const search = (await through(answers, call('search_tools', '{"query":"user"}'))).message.result
    expect([search.resultType, search.ttlMs, search._meta]).toEqual([
      'complete',
      undefined,
      JSON.parse(`{${info.replace('"x":1,', '')}}`)._meta,
    ])
    const templates = (await through({}, modern('resources/templates/list'))).message.result
    expect(templates).toMatchObject({ resultType: 'complete', ttlMs: 0, cacheScope: 'private' })
    expect(templates.resourceTemplates.length).toBe(2)
  })

  it('REQ-P-24: a server without resources has an empty list of them, with status 200', async () => {
    const none = (id: string) =>
      json(`{"jsonrpc":"2.0","id":${id},"error":{"code":-32601,"message":"Method not found"}}`, { status: 404 })
    const { response, message } = await through({ 'resources/list': none }, modern('resources/list'))
    expect(response.status).toBe(200)
    expect(message.result).toEqual({ resultType: 'complete', resources: [], ttlMs: 0, cacheScope: 'private' })
    const foreign = await through({ 'resources/read': none }, read('file:///a'))
    expect([foreign.response.status, foreign.message.error.code]).toEqual([200, -32602])
  })

  it('REQ-P-23: hidden and unknown are refused alike, with the code of the era', async () => {
    const uris = ['a', 'get_user'].map((name) => `openapi-schema://v1/${name}/${'a'.repeat(64)}/manifest`)
    const refusals = await Promise.all(uris.map((uri) => through({ 'tools/list': LIST }, read(uri))))
    expect(refusals.map(({ response }) => response.status)).toEqual([200, 200])
    expect(refusals.map(({ text }, index) => text.replace(uris[index] as string, ''))).toEqual([
      '{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"Resource not found","data":{"uri":""}}}',
      '{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"Resource not found","data":{"uri":""}}}',
    ])
  })

  it('REQ-P-21, REQ-P-28: errors of the meta-tools are complete results too', async () => {
    for (const request of [
      call('search_tools', '{}'),
      call('call_tool', '{}'),
      call('call_tool', '{"name":1}'),
      call('call_tool', '"x"'),
    ]) {
      const { response, message, upstream } = await through({ 'tools/list': LIST }, request)
      expect([response.status, message.result.isError, message.result.resultType]).toEqual([200, true, 'complete'])
      expect(upstream.count('tools/call')).toBe(0)
    }
  })

  it.each(['manifest', '{index}'])('REQ-P-25: no values are offered for our template of a %s', async (end) => {
    const templates = (await through({}, modern('resources/templates/list'))).message.result.resourceTemplates
    const { uriTemplate } = templates.find((one: { uriTemplate: string }) => one.uriTemplate.endsWith(end))
    const params = (uri: string) =>
      `"ref":{"type":"ref/resource","uri":"${uri}"},"argument":{"name":"alias","value":"g"}`
    const { message, upstream } = await through({}, modern('completion/complete', params(uriTemplate)))
    expect(message.result).toEqual({
      resultType: 'complete',
      completion: { values: [], total: 0, hasMore: false },
    })
    expect(upstream.log).toEqual([])
    const legacy = post(`{"jsonrpc":"2.0","id":7,"method":"completion/complete","params":{${params(uriTemplate)}}}`)
    expect((await through({}, legacy)).message.result).toEqual({ completion: { values: [], total: 0, hasMore: false } })
    const foreign = await through({ '*': '{}' }, modern('completion/complete', params('file:///{a}')))
    expect(foreign.upstream.log.length).toBe(1)
  })

  it.each(['resources/subscribe', 'initialize', 'prompts/get'])(
    '%s of the modern era is the upstream’s',
    async (method) => {
      const uri = `openapi-schema://v1/get_user/${'a'.repeat(64)}/manifest`
      const { upstream } = await through({ '*': '{}' }, modern(method, `"uri":"${uri}"`))
      expect(upstream.log.map(({ rpc }) => rpc)).toEqual([method])
    },
  )

  it.each(['"2026-13"', '5', 'null', '""'])('a claim of %s is the upstream’s to refuse', async (version) => {
    const meta = `"io.modelcontextprotocol/protocolVersion":${version}`
    const { upstream } = await through({ '*': '{}' }, call('search_tools', '{"query":"x"}', { meta }))
    expect(upstream.log.map(({ rpc }) => rpc)).toEqual(['tools/call'])
  })
})

it('REQ-P-38: a subscription passes event by event, with its id', async () => {
  const events = [
    'data: {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"7"}}}\n\n',
    ': keepalive\n\n',
    'data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n',
  ]
  const { text } = await through({ 'subscriptions/listen': () => sse(events) }, modern('subscriptions/listen'))
  expect(text).toBe(events.join(''))
})

it.each(['search', 'call', 'listen'])('REQ-P-37: a client that leaves during a %s is heard upstream', async (kind) => {
  const seen: string[] = []
  let begun = (): void => undefined
  const started = new Promise<void>((resolve) => {
    begun = resolve
  })
  const upstream = async (request: Request) => {
    await request.text()
    request.signal.addEventListener('abort', () => seen.push('aborted'))
    begun()
    return new Response(new ReadableStream({ cancel: () => void seen.push('cancelled') }), {
      headers: { 'content-type': 'text/event-stream' },
    })
  }
  const controller = new AbortController()
  const request = {
    search: call('search_tools', '{"query":"x"}'),
    call: call('call_tool', '{"name":"a"}'),
    listen: modern('subscriptions/listen'),
  }[kind] as Request
  const answer = createDisclosureProxy({ upstream, guard: 'none' }).fetch(
    new Request(request, { signal: controller.signal }),
  )
  await started
  if (kind === 'search') void answer.catch(() => undefined)
  else {
    const reader = ((await answer).body as ReadableStream).getReader()
    void reader.read().catch(() => undefined)
    await reader.cancel()
  }
  controller.abort()
  await expect.poll(() => seen.length, { timeout: 1000 }).toBeGreaterThan(0)
})
