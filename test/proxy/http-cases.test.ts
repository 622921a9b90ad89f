/**
 * Bugs other proxies and clients had over HTTP: transport, headers, credentials.
 */
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createGzip } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { EventSplitter } from '../../src/proxy/event-splitter.ts'
import { createDisclosureProxy, ProxyError, type ProxySettings } from '../../src/proxy/index.ts'
import { messageData } from '../../src/proxy/sse.ts'
import { type Answers, fakeUpstream, json, LIST, post, rpcResult, sse } from './fake-upstream.ts'

type Settings = Omit<ProxySettings, 'upstream'>
const rpc = (method: string, params = '{}', id = '7') =>
  `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`
const SEARCH = rpc('tools/call', '{"name":"search_tools","arguments":{"query":"user"}}')
const CALL = rpc('tools/call', '{"name":"call_tool","arguments":{"name":"get_user"}}')

async function through(answers: Answers, request: Request, settings: Settings = {}) {
  const upstream = fakeUpstream(answers)
  const response = await createDisclosureProxy({ upstream: upstream.fetch, ...settings }).fetch(request)
  return { response, text: await response.text(), upstream }
}
const headersOf = (response: Response, ...names: string[]) => names.map((name) => response.headers.get(name))

describe('bodies', () => {
  it('BC-098: an answer to a call keeps every byte', async () => {
    const body =
      '{"jsonrpc":"2.0","id":7,"result":{"content":[],"structuredContent":{"ratio":1.0,"big":18446744073709551615,"tiny":1e-7},"_meta":{"ui":{"uri":"ui://card"}}}}'
    const { text } = await through({ 'tools/list': LIST, 'tools/call': () => json(body) }, post(CALL))
    expect(text).toBe(body)
  })

  it.each<[string, number, string | null, string]>([
    ['BC-124: 202 without a body', 202, null, ''],
    ['BC-125: 200 with no message', 200, 'application/json', '{"jsonrpc":"2.0","id":null}'],
    ['BC-125: 200 with null', 200, 'application/json', 'null'],
    ['BC-125: 200 with nothing', 200, null, ''],
    ['BC-125: 202 with text', 202, 'text/plain', 'Accepted'],
    ['BC-125: 202 with JSON', 202, 'application/json', '{}'],
  ])('what answers a notification passes as it is, %s', async (_name, status, type, body) => {
    const note = '{"jsonrpc":"2.0","method":"notifications/initialized"}'
    const answer = () => new Response(body, { status, headers: type === null ? {} : { 'content-type': type } })
    const { response, text } = await through({ 'notifications/initialized': answer }, post(note))
    expect([response.status, text]).toEqual([status, body])
    if (type !== null) expect(response.headers.get('content-type')).toBe(type)
  })

  // A batch without an element of ours passes as it is: the upstream judges its own revision.
  it('BC-126: a batch of a revision that has none is refused where an element is ours', async () => {
    const version = { 'mcp-protocol-version': '2025-11-25' }
    const { response, text, upstream } = await through({}, post(`[${rpc('ping')},${CALL}]`, version))
    expect([response.status, JSON.parse(text).error.code, upstream.log.length]).toEqual([400, -32600, 0])
  })

  it.each<[string, Response, number]>([
    ['a page of HTML', new Response('<html>Sign in</html>', { headers: { 'content-type': 'text/html' } }), 502],
    ['no type', new Response('{}'), 502],
    ['503 and a page', new Response('<html>Sign in', { status: 503, headers: { 'content-type': 'text/html' } }), 503],
  ])(
    'BC-156: an upstream that answers the listing with %s is said to, in words of ours or its own',
    async (_name, answer, status) => {
      const { response, text } = await through({ 'tools/list': () => answer }, post(SEARCH))
      expect(response.status).toBe(status)
      if (status === 502) expect(text).not.toContain('html')
    },
  )

  it.each(['application/json; charset=utf-8', 'Application/JSON'])('BC-156: the type %s is JSON', async (type) => {
    const answer = (id: string) => new Response(rpcResult(id, LIST), { headers: { 'content-type': type } })
    const { text } = await through({ 'tools/list': answer }, post(SEARCH))
    expect(text).toContain('schema-navigation')
  })

  it('BC-136: a stream whose data is no message, and then ends, fails the request at once', async () => {
    const { response, text } = await through(
      { 'tools/list': () => sse(['event: message\ndata: {"error":"no such session"}\n\n']) },
      post(SEARCH),
    )
    expect([response.status, JSON.parse(text).error.code, JSON.parse(text).id]).toEqual([502, -32603, 7])
  })
})

describe('streams', () => {
  it.each<[string, readonly string[], readonly (string | undefined)[]]>([
    [
      'BC-127: a primer has no data to parse',
      ['id: s1:0\ndata: \n\n', 'id: s1:1\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\n\n'],
      [undefined, '{"jsonrpc":"2.0","id":1,"result":{}}'],
    ],
    [
      'BC-128: CR LF over two chunks is one line end',
      ['data: left\r', '\ndata: right\r\n', '\r', '\n'],
      ['left\nright'],
    ],
    [
      'BC-129: events between CR LF',
      ['event: message\r\ndata: {"a":1}\r\n\r\ndata: {"a":2}\r\n\r\n'],
      ['{"a":1}', '{"a":2}'],
    ],
    ['BC-130: mixed line ends', ['id: 1\r\ndata: x\n\n', 'data: y\r\rdata: z\n\r\n'], ['x', 'y', 'z']],
    [
      'BC-134: one space goes, and an event that is not ended is none',
      ['data:one\n\ndata:  two\n\nid\ndata: three\n\ndata: lost'],
      ['one', ' two', 'three'],
    ],
  ])('%s', (_name, chunks, expected) => {
    for (const parts of [chunks, [...chunks.join('')]]) {
      const splitter = new EventSplitter(1000)
      const events = parts.flatMap((chunk) => [...splitter.push(new TextEncoder().encode(chunk))])
      const data = events
        .filter((event) => event.some((byte) => byte !== 10 && byte !== 13))
        .map((event) => {
          const bytes = messageData(event)
          return bytes === undefined ? undefined : new TextDecoder().decode(bytes)
        })
      expect(data).toEqual(expected)
    }
  })

  it('BC-144: no coding is asked for where a stream may come, and a coded one is decoded as it comes', async () => {
    let sendSecond = (): void => {}
    const asked: (string | undefined)[] = []
    const answer = (response: ServerResponse): void => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' })
      const gzip = createGzip()
      gzip.pipe(response)
      gzip.write('data: {"jsonrpc":"2.0","method":"notifications/message"}\n\n')
      gzip.flush()
      sendSecond = () => gzip.end(`data: ${rpcResult('7', '{"content":[]}')}\n\n`)
    }
    const server = createServer((request, response) => {
      asked.push(request.headers['accept-encoding'])
      request.resume().on('end', () => answer(response))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    try {
      const upstream = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
      const proxy = createDisclosureProxy({ upstream, guard: 'none' })
      const response = await proxy.fetch(post(CALL))
      const reader = (response.body as ReadableStream<Uint8Array>).getReader()
      const first = new TextDecoder().decode((await reader.read()).value)
      expect(first).toContain('notifications/message')
      sendSecond()
      let rest = ''
      for (;;) {
        const { done, value } = await reader.read()
        if (done) break
        rest += new TextDecoder().decode(value)
      }
      expect(rest).toContain('"content":[]')
      expect(asked).toEqual(['identity'])
      expect(response.headers.get('content-encoding')).toBeNull()
    } finally {
      server.closeAllConnections()
      server.close()
    }
  })

  it('BC-148: progress of one call reaches no other, whatever tokens and ids they share', async () => {
    const progress = (text: string) =>
      `data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"message":"${text}"}}\n\n`
    const upstream = fakeUpstream({
      'tools/call': (id, { headers }) =>
        sse([
          ...(headers.get('x-client') === 'c2' ? [progress('of c2')] : []),
          `data: ${rpcResult(id, `{"content":[],"who":"${headers.get('x-client')}"}`)}\n\n`,
        ]),
    })
    const proxy = createDisclosureProxy({ upstream: upstream.fetch, guard: 'none', forwardHeaders: ['x-client'] })
    const call = rpc('tools/call', '{"name":"call_tool","arguments":{"name":"a"},"_meta":{"progressToken":1}}', '1')
    const [first, second] = await Promise.all(
      ['c1', 'c2'].map(async (client) =>
        (await proxy.fetch(post(call, { 'mcp-session-id': 'S', 'x-client': client }))).text(),
      ),
    )
    expect(first).toBe(`data: ${rpcResult('1', '{"content":[],"who":"c1"}')}\n\n`)
    expect(second).toBe(`${progress('of c2')}data: ${rpcResult('1', '{"content":[],"who":"c2"}')}\n\n`)
  })
})

describe('sessions', () => {
  const session = { 'mcp-session-id': 'S1' }

  it.each([
    ['a listing', SEARCH],
    ['a call', CALL],
    ['anything else', rpc('ping')],
  ])('BC-135: 404 for a session that is gone passes, and nothing is asked again: %s', async (_name, body) => {
    const gone = '{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}'
    const { response, text, upstream } = await through({ '*': () => json(gone, { status: 404 }) }, post(body, session))
    expect([response.status, text, upstream.log.length]).toEqual([404, gone, 1])
  })

  it.each([405, 404, 200, 204, 401, 500])('BC-137: %i for the end of a session passes, once', async (status) => {
    const request = new Request('http://127.0.0.1/mcp', { method: 'DELETE', headers: session })
    const { response, upstream } = await through({ DELETE: () => new Response(null, { status }) }, request)
    expect([response.status, upstream.log.length]).toEqual([status, 1])
  })

  it.each([
    ['POST', rpc('ping')],
    ['POST', '{"jsonrpc":"2.0","method":"notifications/initialized"}'],
    ['POST', SEARCH],
    ['GET', undefined],
    ['DELETE', undefined],
  ])('BC-139, REQ-P-05: session and revision go upstream as the client names them: %s %s', async (method, body) => {
    for (const version of ['2025-06-18', '2025-11-25', 'nonsense', undefined]) {
      const headers = { ...session, ...(version !== undefined && { 'mcp-protocol-version': version }) }
      const request =
        body === undefined ? new Request('http://127.0.0.1/mcp', { method, headers }) : post(body, headers)
      const { upstream } = await through(
        { 'tools/list': LIST, '*': () => new Response(null, { status: 202 }) },
        request,
      )
      const [sent] = upstream.log
      expect([sent?.headers.get('mcp-session-id'), sent?.headers.get('mcp-protocol-version')]).toEqual([
        'S1',
        version ?? null,
      ])
    }
  })

  it('REQ-P-05: what the upstream says to a revision it does not know is the answer of the search', async () => {
    const refusal = '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: Unsupported protocol"}}'
    const version = { 'mcp-protocol-version': 'nonsense' }
    const { response, text } = await through(
      { 'tools/list': () => json(refusal, { status: 400 }) },
      post(SEARCH, version),
    )
    expect([response.status, text]).toEqual([400, refusal])
  })

  it('BC-140: a session begins whatever revision a header names', async () => {
    const { upstream } = await through(
      { initialize: '{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{}}' },
      post(rpc('initialize', '{"protocolVersion":"2025-06-18"}'), { 'mcp-protocol-version': '2099-01-01' }),
    )
    expect(upstream.count('initialize')).toBe(1)
  })
})

describe('redirects', () => {
  it.each<[string, string, string, boolean]>([
    ['BC-146: to an inner address', 'https://h.example/mcp', 'http://gateway.internal:8080/mcp/', false],
    ['BC-171: to another host', 'https://h.example/mcp', 'https://other.example/mcp', false],
    ['BC-172: to https', 'http://h.example/mcp', 'https://h.example/mcp', false],
    ['BC-172: to http', 'https://h.example/mcp', 'http://h.example/mcp/', false],
    ['BC-172: to another port', 'https://h.example/mcp', 'https://h.example:8443/mcp', false],
    ['BC-172: within its origin', 'https://h.example/mcp', '//h.example/mcp/', true],
  ])('%s', async (_name, from, location, isFollowed) => {
    const asked: string[] = []
    const proxy = createDisclosureProxy({
      upstream: async ({ url }: Request) => {
        asked.push(url)
        return asked.length === 1
          ? new Response(null, { status: 308, headers: { location } })
          : json(rpcResult('7', '{}'))
      },
    })
    const response = await proxy.fetch(post(rpc('ping'), {}, from))
    const text = await response.text()
    expect(response.status).toBe(isFollowed ? 200 : 502)
    expect(response.headers.get('location')).toBeNull()
    expect(asked).toEqual(isFollowed ? [from, new URL(location, from).href] : [from])
    expect(text).not.toMatch(/internal|other\.example|8443/)
  })

  it('BC-146: by 301 is never followed', async () => {
    const { response, upstream } = await through(
      { '*': () => new Response(null, { status: 301, headers: { location: '/mcp/' } }) },
      post(rpc('ping')),
    )
    expect([response.status, upstream.log.length]).toEqual([502, 1])
  })
})

describe('credentials', () => {
  it.each<[string, ProxySettings, boolean]>([
    [
      'a secret in the clear',
      { upstream: 'http://mcp.example/mcp', upstreamHeaders: { authorization: 'Bearer SAMPLE' } },
      false,
    ],
    [
      'a forwarded credential in the clear',
      { upstream: 'http://mcp.example/mcp', forwardHeaders: ['Authorization'] },
      false,
    ],
    ['forwarded cookies in the clear', { upstream: 'http://127.0.0.1.example/mcp', forwardHeaders: ['cookie'] }, false],
    [
      'in the clear because the operator says so',
      { upstream: 'http://mcp.example/mcp', forwardHeaders: ['authorization'], allowCleartext: true },
      true,
    ],
    ['nothing in the clear', { upstream: 'http://mcp.example/mcp', forwardHeaders: ['x-request-id'] }, true],
    [
      'within this machine',
      { upstream: 'http://127.0.0.1:8000/mcp', upstreamHeaders: { authorization: 'Bearer SAMPLE' } },
      true,
    ],
    ['within this machine, IPv6', { upstream: 'http://[::1]:8000/mcp', forwardHeaders: ['authorization'] }, true],
    ['over TLS', { upstream: 'https://mcp.example/mcp', upstreamHeaders: { authorization: 'Bearer SAMPLE' } }, true],
    ['in the URL', { upstream: 'https://user:SAMPLE@mcp.example/mcp' }, false],
  ])('BC-174: %s', (_name, settings, isAllowed) => {
    const making = () => createDisclosureProxy(settings)
    if (isAllowed) return void making()
    expect(making).toThrow(ProxyError)
    expect(making).not.toThrow('SAMPLE')
  })

  it('BC-174: what stands in the query of the upstream is in no error', async () => {
    const proxy = createDisclosureProxy({ upstream: 'http://127.0.0.1:9/mcp?access_token=SAMPLE' })
    const response = await proxy.fetch(post(rpc('ping')))
    expect([response.status, (await response.text()).includes('SAMPLE')]).toEqual([502, false])
  })

  it.each([
    ['a search', SEARCH],
    ['a call', CALL],
    ['anything else', rpc('ping')],
  ])('BC-177: a challenge passes with its body, unanswered: %s', async (_name, body) => {
    const challenge = 'Bearer realm="x", resource_metadata="https://up.example/.well-known/oauth-protected-resource"'
    const { response, text, upstream } = await through(
      { '*': () => new Response('unauthorized', { status: 401, headers: { 'www-authenticate': challenge } }) },
      post(body, { origin: 'https://app.example' }),
      { allowedOrigins: ['https://app.example'] },
    )
    expect([response.status, text, upstream.log.length]).toEqual([401, 'unauthorized', 1])
    const [sent, exposed] = headersOf(response, 'www-authenticate', 'access-control-expose-headers')
    expect(sent).toBe(challenge)
    expect(exposed?.toLowerCase()).toContain('www-authenticate')
  })
})

describe('headers', () => {
  it.each([200, 404])('BC-168: a page may read the session from the answer itself, also at %i', async (status) => {
    const { response } = await through(
      { initialize: () => json('{}', { status, headers: { 'mcp-session-id': 'S1' } }) },
      post(rpc('ping').replace('ping', 'initialize'), { origin: 'https://app.example' }),
      { allowedOrigins: ['https://app.example'] },
    )
    const [origin, exposed, vary, session] = headersOf(
      response,
      'access-control-allow-origin',
      'access-control-expose-headers',
      'vary',
      'mcp-session-id',
    )
    expect([origin, session ?? 'S1']).toEqual(['https://app.example', 'S1'])
    expect(exposed?.toLowerCase()).toMatch(/mcp-session-id.*www-authenticate|www-authenticate.*mcp-session-id/)
    expect(vary?.toLowerCase()).toContain('origin')
  })

  it.each<[string | null, boolean]>([
    ['https://evil.example', false],
    ['http://localhost.evil.example', false],
    ['null', false],
    ['http://localhost:5174', false],
    ['http://localhost:5173', true],
    [null, true],
  ])('BC-179: from the origin %s nothing is done unless it is allowed', async (origin, isAllowed) => {
    const { response, upstream } = await through({ ping: '{}' }, post(rpc('ping'), origin === null ? {} : { origin }), {
      allowedOrigins: ['http://localhost:5173'],
    })
    expect([response.status, upstream.log.length]).toEqual(isAllowed ? [200, 1] : [403, 0])
  })

  it('BC-181: what is of one connection, or says where a request came from, goes no further', async () => {
    const sent = {
      'x-secret-hop': '1',
      te: 'trailers',
      'proxy-authorization': 'Basic SAMPLE',
      'x-forwarded-for': '1.2.3.4',
      'x-forwarded-host': 'evil',
      forwarded: 'for=1.2.3.4',
    }
    // No `Request` can be made with them; one that comes over a wire has them.
    const ofConnection = {
      connection: 'keep-alive, x-secret-hop',
      'keep-alive': '5',
      'transfer-encoding': 'chunked',
      upgrade: 'h2c',
      host: 'edge.example',
    }
    const { upstream } = await through({ ping: '{}' }, post(rpc('ping'), { ...sent, ...ofConnection }))
    const names = [...(upstream.log[0]?.headers.keys() ?? [])]
    expect(names.filter((name) => name in sent || name in ofConnection)).toEqual([])
  })

  it('BC-182: cookies and the connection of the upstream stay there', async () => {
    const { response } = await through(
      {
        ping: () =>
          json('{}', {
            headers: { 'set-cookie': 'sid=SAMPLE; Path=/', connection: 'close', 'alt-svc': 'h3', server: 'x' },
          }),
      },
      post(rpc('ping')),
    )
    expect(headersOf(response, 'set-cookie', 'connection', 'alt-svc')).toEqual([null, null, null])
  })

  it('BC-185: tools whose header annotations break the rules are no tools, and the others stay', async () => {
    const tool = (name: string, properties: object) => ({ name, inputSchema: { type: 'object', properties } })
    const tools = [
      tool('ok', { r: { type: 'string', 'x-mcp-header': 'Region' } }),
      tool('crlf', { r: { type: 'string', 'x-mcp-header': 'Region\r\nX-Evil: 1' } }),
      tool('nul', { r: { type: 'string', 'x-mcp-header': null } }),
      tool('num', { r: { type: 'number', 'x-mcp-header': 'R' } }),
      tool('dup', { a: { type: 'string', 'x-mcp-header': 'R' }, b: { type: 'string', 'x-mcp-header': 'r' } }),
    ]
    const meta =
      '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}'
    const body = rpc('tools/call', `{"name":"search_tools","arguments":{"pattern":".","limit":20},${meta}}`)
    const { text } = await through(
      { 'tools/list': JSON.stringify({ resultType: 'complete', tools }) },
      post(body, { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'search_tools' }),
    )
    const { result } = JSON.parse(text).result.structuredContent
    expect(result.map(({ name }: { name: string }) => name)).toEqual(['ok'])
  })
})
