import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createDisclosureProxy, ProxyError, type ProxySettings } from '../../src/proxy/index.ts'
import { type Answers, fakeUpstream, json, LIST, post, rpcResult, sse } from './fake-upstream.ts'

const rpc = (method: string, params = '{}', id = '7') =>
  `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`
const search = rpc('tools/call', '{"name":"search_tools","arguments":{"pattern":"."}}')
const list = rpc('tools/list')

const ask = async (answers: Answers, body: string | Request, settings: Omit<ProxySettings, 'upstream'> = {}) => {
  const upstream = fakeUpstream(answers)
  const response = await createDisclosureProxy({ upstream: upstream.fetch, ...settings }).fetch(
    typeof body === 'string' ? post(body) : body,
  )
  return { response, body: await response.text(), upstream }
}

describe('R-A-66, REQ-P-33, REQ-P-04: what the upstream refuses is relayed with its status and challenge', () => {
  const refusal = (status: number) => (id: string) =>
    json(`{"jsonrpc":"2.0","id":${id},"error":{"code":-32001,"message":"no"}}`, {
      status,
      headers: { 'www-authenticate': 'Bearer error="invalid_token"', 'retry-after': '3' },
    })
  const own = rpc('resources/read', `{"uri":"openapi-schema://v1/a/${'0'.repeat(64)}/manifest"}`)
  const call = rpc('tools/call', '{"name":"call_tool","arguments":{"name":"a"}}')
  it.each([
    ['search', search],
    ['list', list],
    ['own read', own],
    ['malformed own read', rpc('resources/read', '{"uri":"openapi-schema://v1/x"}')],
    ['guarded call', call],
  ])('%s', async (_name, body) => {
    for (const status of [400, 401, 403, 404, 429, 503]) {
      const { response, body: answer } = await ask({ 'tools/list': refusal(status) }, body)
      expect(response.status).toBe(status)
      expect(response.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"')
      expect(response.headers.get('retry-after')).toBe('3')
      expect(JSON.parse(answer)).toMatchObject({ id: 7, error: { code: -32001 } })
    }
  })

  it('a JSON-RPC error of the listing reaches the caller under its own id', async () => {
    const { response, body } = await ask(
      { 'tools/list': (id) => json(`{"jsonrpc":"2.0","id":${id},"error":{"code":-1,"message":"x"}}`) },
      search,
    )
    expect([response.status, JSON.parse(body)]).toEqual([
      200,
      { jsonrpc: '2.0', id: 7, error: { code: -1, message: 'x' } },
    ])
  })

  it('no JSON in the refusal', async () => {
    const { response, body } = await ask({ 'tools/list': () => new Response('<html>', { status: 502 }) }, search)
    expect([response.status, body]).toEqual([502, '<html>'])
  })
})

describe("row 30: faults of the upstream become one answer with the client's id", () => {
  const event = (id: string, result = LIST) => `data: ${rpcResult(id, result)}\n\n`
  it.each([
    ['another id', 502, (_id: string) => json(rpcResult('"other"', LIST))],
    ['no JSON', 502, () => new Response('hello', { headers: { 'content-type': 'application/json' } })],
    ['202', 502, () => new Response(null, { status: 202 })],
    ['a stream that ends', 502, () => sse([': nothing\n\n'])],
    ['a stream with another id', 502, () => sse([event('"other"')])],
    ['bad UTF-8', 502, () => new Response(new Uint8Array([0x22, 0xff, 0x22]))],
    [
      'a redirect elsewhere',
      502,
      () => new Response(null, { status: 307, headers: { location: 'https://evil.example/mcp' } }),
    ],
    ['a redirect by GET', 502, () => new Response(null, { status: 302, headers: { location: '/x' } })],
  ] as const)('%s', async (_name, status, answer) => {
    for (const body of [search, list]) {
      const { response, body: text } = await ask({ 'tools/list': answer as never }, body)
      // On a stream the status line is out before the fault shows: the short list of rows below is what is asked of it.
      if (body === list && response.headers.get('content-type') === 'text/event-stream') {
        expect(text).not.toContain('get_user')
        continue
      }
      expect(response.status).toBe(status)
      expect(response.headers.get('location')).toBe(null)
      expect(JSON.parse(text)).toMatchObject({ id: 7, error: { code: -32603 } })
      expect(text).not.toContain('evil.example')
    }
  })

  it('row 29: a same-origin 307 is followed once', async () => {
    let redirects = 1
    const answers: Answers = {
      'tools/list': (id) =>
        redirects-- > 0
          ? new Response(null, { status: 307, headers: { location: '/other' } })
          : json(rpcResult(id, LIST)),
    }
    expect((await ask(answers, search)).response.status).toBe(200)
    redirects = 2
    expect((await ask(answers, search)).response.status).toBe(502)
  })

  it('an upstream that throws, and one that never answers', async () => {
    const throwing = createDisclosureProxy({ upstream: async () => Promise.reject(new Error('secret')) })
    const response = await throwing.fetch(post(search))
    expect(response.status).toBe(502)
    expect(await response.text()).not.toContain('secret')
    const silent = createDisclosureProxy({
      upstream: (request) =>
        new Promise((_, reject) => request.signal.addEventListener('abort', () => reject(new Error('aborted')))),
      timeoutMs: 30,
    })
    expect((await silent.fetch(post(search))).status).toBe(504)
  })

  it('a listing that stalls ends at its deadline', async () => {
    const stall = () =>
      new Response(new ReadableStream({ pull: () => new Promise(() => undefined) }), {
        headers: { 'content-type': 'application/json' },
      })
    const { response, body } = await ask({ 'tools/list': stall }, search, { limits: { timeoutMs: 40 } })
    expect(response.status).toBe(200)
    expect(JSON.parse(body).result.isError).toBe(true)
  })

  it('pages, tools and bytes are bounded while reading', async () => {
    let page = 0
    const endless: Answers = { 'tools/list': () => `{"tools":[],"nextCursor":"${page++}"}` }
    const { body, upstream } = await ask(endless, search, { limits: { maxPages: 3 } })
    expect(upstream.count('tools/list')).toBe(3)
    expect(JSON.parse(body).result.isError).toBe(true)
    let sent = 0
    const flood = () =>
      new Response(
        new ReadableStream({
          pull(controller) {
            sent += 65_536
            controller.enqueue(new Uint8Array(65_536).fill(0x20))
          },
        }),
        { headers: { 'content-type': 'application/json' } },
      )
    expect((await ask({ 'tools/list': flood }, search, { limits: { maxTotalBytes: 1_000_000 } })).response.status).toBe(
      502,
    )
    expect(sent).toBeLessThan(2_000_000)
    expect((await ask({ 'tools/list': flood }, list, { limits: { maxTotalBytes: 1_000_000 } })).response.status).toBe(
      502,
    )
  })

  it('streams split anywhere, with every kind of line end', async () => {
    for (const end of ['\n', '\r\n', '\r']) {
      const text = `\ufeffid: 1${end}data: ${rpcResult('7', LIST.replace('Fetch a user', 'é😀'))}${end}${end}`
      const bytes = new TextEncoder().encode(text)
      for (const size of [1, 2, 3, 7]) {
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
          bytes.subarray(index * size, (index + 1) * size),
        )
        const stream = new ReadableStream({
          start(controller) {
            for (const chunk of chunks) controller.enqueue(chunk)
            controller.close()
          },
        })
        const { body } = await ask(
          { 'tools/list': () => new Response(stream, { headers: { 'content-type': 'text/event-stream' } }) },
          list,
          { pin: ['get_user'] },
        )
        const data = /data: (\{.*\})/.exec(body)?.[1] as string
        expect(JSON.parse(data).result.tools[0].description).toBe('é😀')
        expect(body).not.toContain('id: 1')
      }
    }
  })

  it('REQ-P-30: a resumed GET never shows an unpinned tool', async () => {
    const upstream = () =>
      sse([
        ': hi\n\n',
        `id: 3\ndata: ${rpcResult('7', LIST)}\n\n`,
        'id: 4\ndata: {"jsonrpc":"2.0","method":"notifications/message"}\n\n',
      ])
    const proxy = createDisclosureProxy({ upstream: async () => upstream() })
    const body = await (
      await proxy.fetch(new Request('http://127.0.0.1/mcp', { headers: { accept: 'text/event-stream' } }))
    ).text()
    expect(body).not.toContain('get_user')
    expect(body).toContain('search_tools')
    expect(body).toContain('id: 3\n')
    expect(body).toContain('id: 4\ndata: {"jsonrpc":"2.0","method":"notifications/message"}\n\n')
  })

  it('a stream that batches its answers, or spells the id otherwise, shows no raw list either', async () => {
    for (const data of [
      `[{"jsonrpc":"2.0","method":"x"}, ${rpcResult('7', LIST)}]`,
      rpcResult('7.0', LIST),
      rpcResult('"7"', LIST),
    ]) {
      const { body } = await ask({ 'tools/list': () => sse([`data: ${data}\n\n`]) }, list)
      expect(body).toContain('search_tools')
      expect(body).not.toContain('get_user')
      const proxy = createDisclosureProxy({ upstream: async () => sse([`data: ${data}\n\n`]) })
      const resumed = await (await proxy.fetch(new Request('http://127.0.0.1/mcp'))).text()
      expect(resumed).toContain('search_tools')
      expect(resumed).not.toContain('get_user')
    }
  })

  it('bytes that are no UTF-8, where nobody has to read them, pass as they are', async () => {
    const bytes = (text: string) => Buffer.from(text.replaceAll('?', '\u00ff'), 'latin1')
    const tool = '{"name":"a","description":"?","inputSchema":{}}'
    for (const type of ['application/json', 'text/event-stream']) {
      const body = rpcResult('7', `{"tools":[${tool}]}`)
      const upstream = async () =>
        new Response(bytes(type === 'application/json' ? body : `?: x\ndata: ${body}\n\n`), {
          headers: { 'content-type': type },
        })
      const response = await createDisclosureProxy({ upstream, pin: ['a'] }).fetch(post(list))
      expect(response.status).toBe(200)
      expect(Buffer.from(await response.arrayBuffer()).includes(bytes(tool))).toBe(true)
    }
  })

  it.each([
    ['an empty event type', `event:\ndata: ${rpcResult('7', LIST)}\n\n`],
    ['two event types, the last one counts', `event: x\nevent: message\ndata: ${rpcResult('7', LIST)}\n\n`],
  ])('%s means a message: the list is short, on POST and GET', async (_name, event) => {
    expect((await ask({ 'tools/list': () => sse([event]) }, list)).body).toContain('search_tools')
    const proxy = createDisclosureProxy({ upstream: async () => sse([event]) })
    const resumed = await (await proxy.fetch(new Request('http://127.0.0.1/mcp'))).text()
    expect(resumed).toContain('search_tools')
    expect(resumed).not.toContain('get_user')
  })

  it.each([
    ['a repeated name', `{"x":1,"x":2,${rpcResult('7', LIST).slice(1)}`],
    ['a name without UTF-8', `{"\\ud800":1,${rpcResult('7', LIST).slice(1)}`],
    ['a batch of 65', `[${Array(64).fill('1').join()},${rpcResult('7', LIST)}]`],
  ])('an answer on a stream that cannot be read does not pass: %s', async (_name, data) => {
    const { body } = await ask({ 'tools/list': () => sse([`data: ${data}\n\n`]) }, list)
    expect(body).not.toContain('get_user')
    expect(body).toContain('"id":7,"error":{"code":-32603')
  })

  it('a batch of a million values costs little', async () => {
    const start = performance.now()
    await ask({ 'tools/list': () => sse([`data: [1${',1'.repeat(1_000_000)}]\n\n`]) }, list)
    expect(performance.now() - start).toBeLessThan(2000)
  })

  it('a body whose cancelling fails troubles nobody', async () => {
    const unhandled: unknown[] = []
    const note = (reason: unknown) => unhandled.push(reason)
    process.on('unhandledRejection', note)
    const stubborn = () =>
      new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(1000)),
        cancel: () => Promise.reject(new Error('no')),
      })
    const redirect = () => new Response(stubborn(), { status: 302, headers: { location: '/x' } })
    await ask({ 'tools/list': redirect }, list)
    await ask({ 'tools/list': () => new Response(stubborn()) }, list, { limits: { maxTotalBytes: 5000 } })
    const body = { method: 'POST', body: stubborn(), duplex: 'half' } as RequestInit
    await createDisclosureProxy({ upstream: async () => new Response(), maxRequestBytes: 100 }).fetch(
      new Request('http://127.0.0.1/mcp', body),
    )
    await new Promise((resolve) => setTimeout(resolve, 20))
    process.off('unhandledRejection', note)
    expect(unhandled).toEqual([])
  })

  it('304 is passed on without a body', async () => {
    for (const body of [list, search]) {
      expect((await ask({ 'tools/list': () => new Response(null, { status: 304 }) }, body)).response.status).toBe(304)
    }
  })

  it.each(['tools/list', 'ping', 'prompts/list', 'tools/call'])('answers %s under its own id', async (method) => {
    const proxy = createDisclosureProxy({ upstream: async () => Promise.reject(new Error('down')) })
    for (const id of ['7', '"x"', '9007199254740993']) {
      const response = await proxy.fetch(post(rpc(method, '{"name":"a"}', id)))
      expect(response.status).toBe(502)
      expect(await response.text()).toContain(`"id":${id},"error":{"code":-32603`)
    }
    const modern = await proxy.fetch(post(rpc('tools/list'), { 'mcp-protocol-version': '2026-07-28' }))
    expect(JSON.parse(await modern.text()).id).toBe(7)
  })

  it('an error whose id the upstream could not tell passes word for word', async () => {
    const error = '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}'
    const { response, body } = await ask({ 'tools/list': () => json(error) }, list)
    expect([response.status, body]).toEqual([200, error])
  })

  it('a listing for a read that is not complete in time is 504', async () => {
    const never = () => new Response(new ReadableStream({ pull: () => new Promise(() => undefined) }))
    const own = rpc('resources/read', `{"uri":"openapi-schema://v1/a/${'0'.repeat(64)}/manifest"}`)
    expect((await ask({ 'tools/list': never }, own, { limits: { timeoutMs: 30 } })).response.status).toBe(504)
  })

  it('what passes as it is may take longer than what is changed', async () => {
    const slow = async () => {
      await new Promise((resolve) => setTimeout(resolve, 120))
      return json(rpcResult('7', '{"content":[]}'))
    }
    const proxy = createDisclosureProxy({ upstream: slow, timeoutMs: 30, guard: 'none' })
    const call = rpc('tools/call', '{"name":"call_tool","arguments":{"name":"a"}}')
    for (const body of [call, rpc('tools/call', '{"name":"a"}'), rpc('ping')]) {
      expect((await proxy.fetch(post(body))).status).toBe(200)
    }
    expect((await proxy.fetch(post(list))).status).toBe(504)
  })

  it('a request that breaks off is a bad request', async () => {
    const body = new ReadableStream({ start: (controller) => controller.error(new Error('secret')) })
    const request = new Request('http://127.0.0.1/mcp', { method: 'POST', body, duplex: 'half' } as RequestInit)
    const { response, body: text } = await ask({}, request)
    expect(response.status).toBe(400)
    expect(text).not.toContain('secret')
  })

  it.each([
    ['a name twice', '{"pattern":"a","pattern":"b"}', 400, -32600],
    ['no Unicode text', '{"pattern":"\\ud800"}', 200, -32602],
  ])('REQ-P-40: arguments with %s', async (_name, args, status, code) => {
    const { response, body, upstream } = await ask({}, rpc('tools/call', `{"name":"search_tools","arguments":${args}}`))
    expect([response.status, JSON.parse(body).error.code, upstream.log.length]).toEqual([status, code, 0])
  })

  it('REQ-P-15: 200 concurrent searches and numeric client ids in one session', async () => {
    const upstream = fakeUpstream({ 'tools/list': LIST })
    const proxy = createDisclosureProxy({ upstream: upstream.fetch })
    const answers = await Promise.all(
      Array.from({ length: 200 }, async (_, id) => {
        const body = rpc('tools/call', '{"name":"search_tools","arguments":{"pattern":"user"}}', String(id))
        return JSON.parse(await (await proxy.fetch(post(body))).text()).id
      }),
    )
    expect(answers).toEqual(Array.from({ length: 200 }, (_, id) => id))
    expect(new Set(upstream.log.map((recorded) => recorded.id)).size).toBe(200)
  })

  it('a request body over the bound is 413, whatever length it names', async () => {
    const proxy = createDisclosureProxy({ upstream: fakeUpstream({}).fetch, maxRequestBytes: 100 })
    for (const length of ['5', '100', '101', 'x']) {
      expect((await proxy.fetch(post('x'.repeat(101), { 'content-length': length }))).status).toBe(413)
    }
  })

  it('a request body over the bound is 413', async () => {
    const { response, upstream } = await ask({}, rpc('ping', `{"x":"${'a'.repeat(2000)}"}`), { maxRequestBytes: 1000 })
    expect(response.status).toBe(413)
    expect(upstream.log.length).toBe(0)
  })
})

describe('headers', () => {
  it("REQ-P-34: only protocol headers and named ones go upstream, with the operator's secrets", async () => {
    const headers = {
      authorization: 'Bearer t',
      cookie: 'c',
      'x-secret': 's',
      'x-tenant': 'n',
      'mcp-session-id': 'S',
      'mcp-protocol-version': '2025-06-18',
      traceparent: '00',
    }
    const settings = { forwardHeaders: ['X-Tenant'], upstreamHeaders: { 'X-Api-Key': 'k' } }
    for (const body of [search, rpc('ping')]) {
      const { upstream } = await ask({ '*': LIST }, post(body, headers), settings)
      const sent = Object.fromEntries((upstream.log[0] as { headers: Headers }).headers)
      expect(sent).toMatchObject({
        'x-tenant': 'n',
        'x-api-key': 'k',
        'mcp-session-id': 'S',
        'mcp-protocol-version': '2025-06-18',
        traceparent: '00',
      })
      for (const name of ['authorization', 'cookie', 'x-secret']) expect(sent).not.toHaveProperty(name)
    }
    // REQ-P-05: an absent version stays absent.
    const { upstream } = await ask({ 'tools/list': LIST }, search)
    expect(upstream.log[0]?.headers.get('mcp-protocol-version')).toBe(null)
  })

  it("answers lose cookies, location and the upstream's CORS", async () => {
    const answer = () =>
      json('{"jsonrpc":"2.0","id":7,"result":{}}', {
        headers: {
          'set-cookie': 'a=b',
          'alt-svc': 'h3',
          'clear-site-data': '"*"',
          'strict-transport-security': 'max-age=1',
          refresh: '1;url=https://evil.example',
          connection: 'close, X-Hop',
          'x-hop': '1',
          'access-control-allow-origin': '*',
          etag: '"1"',
          'x-kept': '1',
        },
      })
    const { response } = await ask({ ping: answer, initialize: answer }, rpc('ping'))
    expect([...response.headers.keys()].sort()).toEqual(['content-type', 'etag', 'x-kept'])
  })

  it('REQ-P-36: origins and hosts', async () => {
    const from = (origin?: string, host?: string, url = 'http://127.0.0.1:8787/mcp') => {
      const request = post(rpc('ping'), origin === undefined ? {} : { origin }, url)
      if (host !== undefined)
        Object.defineProperty(request, 'headers', { value: new Headers([...request.headers, ['host', host]]) })
      return request
    }
    const status = async (request: Request, settings: Omit<ProxySettings, 'upstream'> = {}) =>
      (await ask({ ping: '{}' }, request, settings)).response.status
    expect(await status(from())).toBe(200)
    expect(await status(from('http://127.0.0.1:8787'))).toBe(200)
    expect(await status(from('https://evil.example'))).toBe(403)
    expect(await status(from('null'))).toBe(403)
    expect(await status(from('https://app.example'), { allowedOrigins: ['https://app.example'] })).toBe(200)
    expect(await status(from(undefined, 'evil.example'))).toBe(403)
    expect(await status(from(undefined, 'localhost:8787'))).toBe(200)
    expect(await status(from(undefined, 'evil.example', 'https://proxy.example/mcp'))).toBe(200)
    expect(
      await status(from(undefined, 'evil.example', 'https://proxy.example/mcp'), { allowedHosts: ['proxy.example'] }),
    ).toBe(403)
  })

  it('row 27: one CORS table, on refusals and errors too', async () => {
    const settings = { allowedOrigins: ['https://app.example'], forwardHeaders: ['x-tenant'] }
    const proxy = createDisclosureProxy({ upstream: async () => new Response('', { status: 401 }), ...settings })
    const preflight = await proxy.fetch(
      new Request('http://127.0.0.1/mcp', {
        method: 'OPTIONS',
        headers: { origin: 'https://app.example', 'access-control-request-headers': 'Mcp-Param-Region, x-other' },
      }),
    )
    expect(preflight.status).toBe(204)
    const allowed = preflight.headers.get('access-control-allow-headers') as string
    for (const name of ['mcp-session-id', 'last-event-id', 'x-tenant', 'mcp-param-region'])
      expect(allowed).toContain(name)
    expect(allowed).not.toContain('x-other')
    const refused = await proxy.fetch(post(rpc('ping'), { origin: 'https://app.example' }))
    expect(refused.status).toBe(401)
    expect(refused.headers.get('access-control-allow-origin')).toBe('https://app.example')
    expect(refused.headers.get('access-control-expose-headers')).toContain('Mcp-Session-Id')
  })
})

describe('settings', () => {
  it.each([
    ['upstream', { upstream: 'ftp://x' }],
    ['upstream', { upstream: 'https://user:secret@x.example' }],
    ['upstream', {}],
    ['limits.maxPages', { upstream: 'https://x.example', limits: { maxPages: 0 } }],
    ['guard', { upstream: 'https://x.example', guard: 'all' }],
    ['readWindowMs', { upstream: 'https://x.example', readWindowMs: 10_001 }],
    ['forwardHeaders.0', { upstream: 'https://x.example', forwardHeaders: ['a b'] }],
    ['forwardHeaders.0', { upstream: 'https://x.example', forwardHeaders: ['Content-Length'] }],
    ['forwardHeaders.0', { upstream: 'https://x.example', forwardHeaders: ['proxy-authorization'] }],
    ['forwardHeaders.1', { upstream: 'https://x.example', forwardHeaders: ['x-a', 'host'] }],
    ['callTool', { upstream: 'https://x.example', callTool: 'search_tools' }],
    [
      'upstreamHeaders.Mcp-Session-Id',
      { upstream: 'https://x.example', upstreamHeaders: { 'Mcp-Session-Id': 'secret' } },
    ],
    ['allowedOrigins.0', { upstream: 'https://x.example', allowedOrigins: ['https://a.example/secret'] }],
    ['allowedOrigins.0', { upstream: 'https://x.example', allowedOrigins: ['a.example'] }],
    ['allowedHosts.1', { upstream: 'https://x.example', allowedHosts: ['[::1]:80', 'http://secret'] }],
    ['unknown', { upstream: 'https://x.example', unknown: 1 }],
  ])('a wrong %s is refused by name, its value not shown', (setting, settings) => {
    try {
      createDisclosureProxy(settings as never)
      expect.unreachable()
    } catch (error) {
      expect(ProxyError.is(error) && [error.code, error.data.setting]).toEqual(['settings', setting])
      expect(String(error)).toMatch(/is not valid, expected \S/)
      expect(String(error)).not.toMatch(/secret|ftp|maybe/)
    }
  })
})

describe('over real HTTP', () => {
  let server: Server | undefined
  afterEach(() => new Promise<void>((resolve) => (server === undefined ? resolve() : server.close(() => resolve()))))

  it('row 29: redirects of fetch are not followed to another origin; unreachable is 502', async () => {
    let location = 'http://localhost:1/'
    server = createServer((_request, response) => {
      response.writeHead(307, { location })
      response.end()
    })
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
    const proxy = createDisclosureProxy({ upstream: url })
    expect((await proxy.fetch(post(rpc('ping')))).status).toBe(502)
    location = url
    expect((await proxy.fetch(post(rpc('ping')))).status).toBe(502)
    const nobody = createDisclosureProxy({ upstream: 'http://127.0.0.1:1/mcp' })
    expect((await nobody.fetch(post(rpc('ping')))).status).toBe(502)
  })
})
