import { describe, expect, it, vi } from 'vitest'
import { callerOf } from '../../src/proxy/caller.ts'
import { Closings } from '../../src/proxy/closings.ts'
import { Exchange } from '../../src/proxy/exchange.ts'
import { createDisclosureProxy, type ProxySettings } from '../../src/proxy/index.ts'
import { completeSettings } from '../../src/proxy/settings.ts'
import { RecentTargets } from '../../src/proxy/targets.ts'
import { type Answers, fakeUpstream, json, LIST, post, rpcResult, sse } from './fake-upstream.ts'

const tool = (title: string) => `{"tools":[{"name":"get_user","inputSchema":{"title":"${title}"}}]}`
const rpc = (method: string, params: object) => JSON.stringify({ jsonrpc: '2.0', id: 7, method, params })
const search = rpc('tools/call', { name: 'search_tools', arguments: { query: 'user' } })
const read = (uri: string) => rpc('resources/read', { uri })

/** A proxy with a read window of ten seconds, and what is asked of it. */
function windowed(answers: Answers, settings: Omit<ProxySettings, 'upstream'> = {}) {
  const upstream = fakeUpstream(answers)
  const proxy = createDisclosureProxy({ upstream: upstream.fetch, readWindowMs: 10_000, ...settings })
  const ask = async (body: string, headers: Record<string, string> = {}) =>
    JSON.parse(await (await proxy.fetch(post(body, headers))).text())
  const find = async (headers: Record<string, string> = {}) =>
    (await ask(search, headers)).result.structuredContent.result[0].manifest
  return { upstream, proxy, ask, find }
}

describe('a read window', () => {
  it('never makes a right answer wrong: another digest than the window holds is judged live', async () => {
    let version = 1
    const { upstream, ask, find } = windowed({ 'tools/list': () => tool(`v${version}`) })
    const old = await find()
    version = 2
    const call = { name: 'call_tool', arguments: { name: 'get_user', schema_sha256: old.schema_sha256 } }
    const refusal = JSON.stringify(await ask(rpc('tools/call', call)))
    const now = /is ([0-9a-f]{64}) now/.exec(refusal)?.[1]
    const listings = upstream.count('tools/list')
    const answer = await ask(read(`openapi-schema://v1/get_user/${now}/manifest`))
    expect(JSON.parse(answer.result.contents[0].text).schema_sha256).toBe(now)
    expect(upstream.count('tools/list')).toBe(listings + 1)
    // From now on the window is the new one.
    expect((await ask(read(old.manifest_uri))).error.code).toBe(-32002)
  })

  it('stays with the listing that was asked for last, in whatever order they end', async () => {
    const waiting: (() => void)[] = []
    let version = 0
    const { upstream, ask } = windowed({ 'tools/list': LIST })
    const slow = createDisclosureProxy({
      readWindowMs: 10_000,
      upstream: async (request) => {
        const { id } = (await request.json()) as { id: string }
        const title = `v${++version}`
        await new Promise<void>((resolve) => waiting.push(resolve))
        return json(rpcResult(JSON.stringify(id), tool(title)))
      },
    })
    expect([upstream.count('tools/list'), typeof ask]).toEqual([0, 'function'])
    const first = slow.fetch(post(search))
    await expect.poll(() => waiting.length).toBe(1)
    await new Promise((resolve) => setTimeout(resolve, 5))
    const second = slow.fetch(post(search))
    await expect.poll(() => waiting.length).toBe(2)
    waiting[1]?.()
    const found = JSON.parse(await (await second).text()).result.structuredContent.result[0].manifest
    waiting[0]?.()
    await (await first).text()
    const answer = JSON.parse(await (await slow.fetch(post(read(found.manifest_uri)))).text())
    expect(answer.result.contents[0].uri).toBe(found.manifest_uri)
    expect(waiting.length).toBe(2)
  })

  it.each([
    [
      'the list has changed',
      {},
      () => sse(['data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n']),
    ],
    ['the session has ended', { method: 'DELETE' }, () => new Response(null, { status: 204 })],
  ])('REQ-P-22: is closed once %s', async (_name, init, answer) => {
    const { upstream, proxy, ask, find } = windowed({ 'tools/list': LIST, GET: answer, DELETE: answer })
    const headers = { 'mcp-session-id': 'S' }
    const manifest = await find(headers)
    await ask(read(manifest.manifest_uri), headers)
    expect(upstream.count('tools/list')).toBe(1)
    await (await proxy.fetch(new Request('http://127.0.0.1/mcp', { headers, ...init }))).text()
    await ask(read(manifest.manifest_uri), headers)
    expect(upstream.count('tools/list')).toBe(2)
  })

  it.each([401, 403])('REQ-P-33: is closed for whom the upstream refuses a listing with %i', async (status) => {
    let refuses = false
    const { ask, find, proxy } = windowed({
      'tools/list': () => (refuses ? new Response('no', { status }) : LIST),
    })
    const manifest = await find({})
    expect((await ask(read(manifest.manifest_uri))).result.contents.length).toBe(1)
    refuses = true
    expect((await proxy.fetch(post(search))).status).toBe(status)
    expect((await proxy.fetch(post(read(manifest.manifest_uri)))).status).toBe(status)
  })

  it('REQ-P-22: is closed once a listening stream of the modern era says that the list has changed', async () => {
    const changed = 'data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n'
    const stream = [': hello\n\n', 'id: 1\ndata: {"jsonrpc":"2.0","method":"notifications/message"}\n\n', changed]
    const { proxy, upstream } = windowed({
      'tools/list': `{"resultType":"complete",${LIST.slice(1)}`,
      'subscriptions/listen': () => sse(stream),
    })
    const meta =
      '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}'
    const modern = async (method: string, params: string, name: string | undefined) => {
      const body = `{"jsonrpc":"2.0","id":7,"method":"${method}","params":{${params}${meta}}}`
      const mirrors = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...(name && { 'mcp-name': name }) }
      return (await proxy.fetch(post(body, mirrors))).text()
    }
    const found = await modern('tools/call', '"name":"search_tools","arguments":{"pattern":"user"},', 'search_tools')
    const uri = JSON.parse(found).result.structuredContent.result[0].manifest.manifest_uri as string
    for (const listings of [1, 2]) {
      expect(await modern('resources/read', `"uri":"${uri}",`, uri)).toContain('"contents"')
      expect(upstream.count('tools/list')).toBe(listings)
      expect(await modern('subscriptions/listen', '', undefined)).toBe(stream.join(''))
    }
  })

  it('REQ-P-22: closes by the notification however it is spelled', async () => {
    const spelled = 'data: {"jsonrpc":"2.0","method":"notifications\\/tools\\/list_changed"}\n\n'
    const { upstream, proxy, ask, find } = windowed({ 'tools/list': LIST, GET: () => sse([spelled]) })
    const manifest = await find()
    await (await proxy.fetch(new Request('http://127.0.0.1/mcp'))).text()
    await ask(read(manifest.manifest_uri))
    expect(upstream.count('tools/list')).toBe(2)
  })

  it('REQ-P-22: is opened by no listing that was under way when the session ended', async () => {
    let answer = () => {}
    const gate = new Promise<void>((resolve) => {
      answer = resolve
    })
    let listings = 0
    const upstream = async (request: Request) => {
      if (request.method === 'DELETE') return new Response(null, { status: 204 })
      const { id } = (await request.json()) as { id: string }
      listings++
      await gate
      return json(rpcResult(JSON.stringify(id), LIST))
    }
    const proxy = createDisclosureProxy({ upstream, readWindowMs: 10_000 })
    const headers = { 'mcp-session-id': 'S' }
    const searching = proxy.fetch(post(search, headers))
    await expect.poll(() => listings).toBe(1)
    await proxy.fetch(new Request('http://127.0.0.1/mcp', { method: 'DELETE', headers }))
    answer()
    const [found] = JSON.parse(await (await searching).text()).result.structuredContent.result
    await proxy.fetch(post(read(found.manifest.manifest_uri), headers))
    expect(listings).toBe(2)
  })

  it.each(['baggage', 'tracestate', 'mcp-session-id', 'mcp-protocol-version'])(
    'REQ-P-22: is no other caller’s, told apart by %s',
    async (name) => {
      const answers: Answers = {
        'tools/list': (_id, { headers }) => (headers.get(name) === 'a' ? LIST : '{"tools":[]}'),
      }
      const { ask, find } = windowed(answers)
      const manifest = await find({ [name]: 'a' })
      expect((await ask(read(manifest.manifest_uri), { [name]: 'a' })).result.contents.length).toBe(1)
      expect((await ask(read(manifest.manifest_uri), { [name]: 'b' })).error.code).toBe(-32002)
    },
  )
})

describe('bytes of a listing', () => {
  it('are all that is read, also what stands around the result', async () => {
    let pages = 0
    const pad = 'x'.repeat(60_000)
    const upstream = async (request: Request) => {
      const { id } = (await request.json()) as { id: string }
      pages++
      const result = `{"tools":[{"name":"t${pages}","inputSchema":{}}],"nextCursor":"${pages}"}`
      return json(`{"jsonrpc":"2.0","pad":"${pad}","id":${JSON.stringify(id)},"result":${result}}`)
    }
    const proxy = createDisclosureProxy({ upstream, limits: { maxTotalBytes: 100_000 } })
    const answer = await (await proxy.fetch(post(search))).text()
    expect(answer).toContain('"error"')
    expect(pages).toBeLessThan(5)
  })

  it.each([
    ['in a batch', (id: string) => `[${rpcResult('"other"', '{}')},${rpcResult(id, LIST)}]`],
    ['under its id spelled otherwise', (id: string) => rpcResult(id.replace('~', '\\u007e'), LIST)],
  ])('may come %s', async (_name, answer) => {
    const { ask } = windowed({ 'tools/list': (id) => sse([`data: ${answer(id)}\n\n`]) })
    expect((await ask(search)).result.structuredContent.result.length).toBe(1)
  })

  it('that break off are the upstream’s fault', async () => {
    const broken = () =>
      new Response(
        new ReadableStream({
          start(controller) {
            controller.enqueue(new TextEncoder().encode('{"json'))
            controller.error(new Error('secret'))
          },
        }),
        { headers: { 'content-type': 'application/json' } },
      )
    const upstream = fakeUpstream({ 'tools/list': broken })
    const response = await createDisclosureProxy({ upstream: upstream.fetch }).fetch(post(search))
    expect(response.status).toBe(502)
    expect(await response.text()).not.toContain('secret')
  })
})

describe('closed memories', () => {
  it('are remembered of each caller, of each session, and of all where there are too many', () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1000 })
    try {
      const closings = new Closings()
      const caller = (key: string, session?: string) => ({ key, session })
      closings.note(caller('first', 's'))
      const isClosed = (key: string, session: string | undefined, time: number) =>
        closings.isClosedSince(caller(key, session), time)
      expect([isClosed('first', 's', 1000), isClosed('first', 's', 1001)]).toEqual([true, false])
      expect([isClosed('other', 's', 1000), isClosed('other', 't', 1000)]).toEqual([true, false])
      vi.setSystemTime(2000)
      for (let n = 0; n < 2048; n++) closings.note(caller(`${n}`))
      expect([isClosed('first', 's', 1000), isClosed('other', 't', 1000)]).toEqual([true, true])
      expect(isClosed('other', 't', 1500)).toBe(false)
    } finally {
      vi.useRealTimers()
    }
  })

  it('REQ-P-22: are those of the whole session, whatever else its requests say', async () => {
    const changed = 'data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n'
    const { upstream, proxy, ask, find } = windowed({ 'tools/list': LIST, GET: () => sse([changed]) })
    const session = { 'mcp-session-id': 'S' }
    const traced = { ...session, baggage: 'a=b', tracestate: 'x=y' }
    const manifest = await find(traced)
    await ask(read(manifest.manifest_uri), traced)
    expect(upstream.count('tools/list')).toBe(1)
    await (await proxy.fetch(new Request('http://127.0.0.1/mcp', { headers: session }))).text()
    await ask(read(manifest.manifest_uri), traced)
    expect(upstream.count('tools/list')).toBe(2)
  })

  it('hold no target that was looked up before', async () => {
    let answer = (): void => {}
    let calls = 0
    const upstream = async (request: Request) => {
      if (request.method === 'DELETE') return new Response(null, { status: 204 })
      const { id, method } = (await request.json()) as { id: unknown; method: string }
      if (method !== 'tools/list') return json(rpcResult(JSON.stringify(id), '{"content":[]}'))
      if (++calls === 1) {
        await new Promise<void>((resolve) => {
          answer = resolve
        })
      }
      return json(rpcResult(JSON.stringify(id), LIST))
    }
    const proxy = createDisclosureProxy({ upstream })
    const call = rpc('tools/call', { name: 'call_tool', arguments: { name: 'get_user' } })
    const first = proxy.fetch(post(call))
    await expect.poll(() => calls).toBe(1)
    await proxy.fetch(new Request('http://127.0.0.1/mcp', { method: 'DELETE' }))
    answer()
    await (await first).text()
    await (await proxy.fetch(post(call))).text()
    expect(calls).toBe(2)
  })
})

describe('bounds of memory', () => {
  const named = (name: string, size = 10) => ({ name, json: new TextEncoder().encode('x'.repeat(size)) })
  const exchangeOf = (headers: Record<string, string> = {}, url = 'http://127.0.0.1/mcp') =>
    new Exchange<unknown>(
      post('{}', headers, url),
      undefined,
      completeSettings<unknown>({ upstream: async () => new Response() }),
    )
  const listing = { clientClaims: undefined } as never

  it('of targets: 1,024 of them, 8 MiB, ten seconds from when they were asked for', async () => {
    const targets = new RecentTargets(new Closings())
    const exchange = exchangeOf()
    const now = Date.now()
    for (let n = 0; n < 1025; n++) await targets.keep(exchange, listing, named(`${n}`), now)
    expect(await targets.find(exchange, listing, '0')).toBeUndefined()
    expect((await targets.find(exchange, listing, '1'))?.name).toBe('1')
    for (const name of ['a', 'b', 'c']) await targets.keep(exchange, listing, named(name, 3 * 1024 * 1024), now)
    expect(await targets.find(exchange, listing, 'a')).toBeUndefined()
    expect((await targets.find(exchange, listing, 'b'))?.name).toBe('b')
    await targets.keep(exchange, listing, named('huge', 9 * 1024 * 1024), now)
    expect(await targets.find(exchange, listing, 'huge')).toBeUndefined()
    await targets.keep(exchange, listing, named('old'), now - 9_990)
    await expect.poll(() => targets.find(exchange, listing, 'old')).toBeUndefined()
  })

  it('callers are told apart by the address they dialled, and not by what mirrors arguments', async () => {
    const keys = await Promise.all(
      [
        exchangeOf(),
        exchangeOf({ 'mcp-param-region': 'eu', 'mcp-name': 'x' }),
        exchangeOf({}, 'http://127.0.0.1/other'),
      ].map(async (exchange) => (await callerOf(exchange))?.key),
    )
    expect(keys[0]).toBe(keys[1])
    expect(keys[0]).not.toBe(keys[2])
  })

  it('of windows: 64 callers', async () => {
    const { upstream, ask, find } = windowed({ 'tools/list': LIST })
    const first = await find({ 'mcp-session-id': '0' })
    for (let n = 1; n <= 64; n++) await find({ 'mcp-session-id': `${n}` })
    const before = upstream.count('tools/list')
    await ask(read(first.manifest_uri), { 'mcp-session-id': '64' })
    expect(upstream.count('tools/list')).toBe(before)
    await ask(read(first.manifest_uri), { 'mcp-session-id': '0' })
    expect(upstream.count('tools/list')).toBe(before + 1)
  })
})

it('§6: a listing inside a request resumes no stream of the client', async () => {
  const { upstream, ask } = windowed({ 'tools/list': LIST })
  await ask(search, { 'last-event-id': '3' })
  expect(upstream.log.map(({ headers }) => headers.get('last-event-id'))).toEqual([null])
})
