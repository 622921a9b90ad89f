import { describe, expect, it } from 'vitest'
import { createDisclosureProxy, type ProxySettings } from '../../src/proxy/index.ts'
import { type Answers, fakeUpstream, json, LIST, post, rpcResult, sse } from './fake-upstream.ts'

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
const SEARCH =
  '{"jsonrpc":"2.0","id":"two","method":"tools/call","params":{"name":"search_tools","arguments":{"query":"user"}}}'
const CALL =
  '{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/call","params":{"name":"call_tool","arguments":{"name":"get_user","arguments":{"id":1.0}}}}'
const NOTE = '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1.0}}'
const ROOTS = '{"jsonrpc":"2.0","id":"s1","result":{"roots":[]}}'
const MODERN =
  '{"jsonrpc":"2.0","id":5,"method":"ping","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}'
const LISTING = '{"jsonrpc":"2.0","id":3,"method":"tools/list"}'
const INITIALIZE = '{"jsonrpc":"2.0","id":4,"method":"initialize","params":{}}'
const answers: Answers = { ping: '{}', 'tools/list': LIST, 'tools/call': '{"content":[],"n":1.0}', '*': '{}' }

const batch = (...elements: readonly string[]): string => `[${elements.join(' , ')}]`

async function through(
  body: string,
  more: { answers?: Answers; settings?: Omit<ProxySettings, 'upstream'>; headers?: Record<string, string> } = {},
) {
  const upstream = fakeUpstream(more.answers ?? answers)
  const proxy = createDisclosureProxy({ upstream: upstream.fetch, ...more.settings })
  const response = await proxy.fetch(post(body, more.headers))
  const text = await response.text()
  const events = text.split('\n\n').flatMap((event) => (event.startsWith('data: ') ? [event.slice(6)] : []))
  return { response, text, events, upstream }
}
const idsIn = (events: readonly string[]) => events.map((event) => /"id":("[^"]*"|\d+|null)/.exec(event)?.[1]).sort()

describe('row 26: batches', () => {
  it('REQ-P-40: each request gets its answer under its own id, in one stream', async () => {
    const { response, events, upstream } = await through(batch(PING, SEARCH, CALL))
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
    expect(idsIn(events)).toEqual(['"two"', '1', '9007199254740993'])
    expect(events).toContain(rpcResult('1', '{}'))
    expect(events).toContain(rpcResult('9007199254740993', '{"content":[],"n":1.0}'))
    expect(events.find((event) => event.includes('"two"'))).toContain('schema-navigation')
    expect(upstream.log.map(({ body }) => body)).toContain(`[${PING}]`)
    expect(upstream.log.find(({ rpc }) => rpc === 'tools/call')?.body).toContain(
      '"name":"get_user","arguments":{"id":1.0}',
    )
  })

  it('a list in a batch is the short list', async () => {
    const { events } = await through(batch(LISTING, PING))
    const { tools } = JSON.parse(events.find((event) => event.includes('"id":3')) as string).result
    expect(tools.map(({ name }: { name: string }) => name)).toEqual(['search_tools', 'read_schema', 'call_tool'])
  })

  it.each([
    ['of plain methods', batch(PING, NOTE, PING.replace('1', '2'))],
    ['of plain calls', batch(CALL.replace('"call_tool"', '"get_user"'), PING)],
    [
      'with a read of somebody else',
      batch('{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"x:y"}}'),
    ],
    ['with a session that begins in it', batch(INITIALIZE, SEARCH)],
    ['with an element of the modern era', batch(MODERN, SEARCH)],
    ['that is empty', '[]'],
    ['that is cut short', `[${SEARCH}`],
    ['of values', batch('1', '"x"', 'null')],
  ])('REQ-P-40: one %s goes on byte for byte, and so does its answer', async (_name, body) => {
    const answer = '[{"jsonrpc":"2.0","id":1,"result":{"n":1.0}}]'
    const all: Answers = Object.fromEntries(
      ['ping', 'POST', 'tools/call', 'resources/read', 'initialize', 'notifications/progress', 'tools/list'].map(
        (method) => [method, () => json(answer, { status: 203 })],
      ),
    )
    const { response, text, upstream } = await through(body, { answers: all })
    expect(upstream.log.map((recorded) => recorded.body)).toEqual([body])
    expect([response.status, text]).toEqual([203, answer])
  })

  it.each([
    ['a method', batch(PING, `{"method":"ping","method":"tools/list","id":1}`)],
    ['the name of a call', batch(PING, CALL.replace('"name":"call_tool"', '"name":"a","name":"call_tool"'))],
  ])('REQ-P-40: %s that stands twice is refused, and nothing is sent', async (_name, body) => {
    const { response, text, upstream } = await through(body)
    expect([response.status, JSON.parse(text).error.code, upstream.log.length]).toEqual([400, -32600, 0])
  })

  it('a name that stands twice in arguments is the error of that call alone', async () => {
    const twice = CALL.replace('"name":"get_user"', '"name":"a","name":"get_user"')
    const { events } = await through(batch(PING, twice))
    expect(events.map((event) => JSON.parse(event).error?.code)).toEqual(expect.arrayContaining([undefined, -32600]))
  })

  it.each([
    ['a revision without batches', { 'mcp-protocol-version': '2025-06-18' }, batch(PING, SEARCH)],
    ['more than 64 elements', {}, batch(SEARCH, ...Array.from({ length: 64 }, () => PING))],
    ['more than 64 elements, ours or not', {}, batch(...Array.from({ length: 65 }, () => PING))],
  ])('refuses %s', async (_name, headers, body) => {
    const { response, text, upstream } = await through(body, { headers })
    expect([response.status, JSON.parse(text).error.code, upstream.log.length]).toEqual([400, -32600, 0])
  })

  it('says so to a client that takes no stream', async () => {
    const { response, upstream } = await through(batch(PING, SEARCH), { headers: { accept: 'application/json' } })
    expect([response.status, upstream.log.length]).toEqual([406, 0])
  })

  it('notifications and answers of the client go on as one batch and want no answer', async () => {
    const none: Answers = { ...answers, 'notifications/progress': () => new Response(null, { status: 202 }) }
    const { events, upstream } = await through(batch(NOTE, SEARCH, ROOTS), { answers: none })
    expect(idsIn(events)).toEqual(['"two"'])
    expect(upstream.log.map(({ body }) => body)).toContain(`[${NOTE},${ROOTS}]`)
  })

  it('REQ-P-33: what the upstream refuses as a whole is the answer to all of it', async () => {
    const refusing: Answers = {
      ...answers,
      'tools/list': () =>
        json('{"error":"invalid_token"}', { status: 401, headers: { 'www-authenticate': 'Bearer x' } }),
    }
    const { response, text } = await through(batch(PING, SEARCH), { answers: refusing })
    expect([response.status, response.headers.get('www-authenticate'), text]).toEqual([
      401,
      'Bearer x',
      '{"error":"invalid_token"}',
    ])
  })

  it('an error of one element is its answer', async () => {
    const { events } = await through(batch(PING, SEARCH), {
      answers: { ...answers, 'tools/list': () => json('nonsense') },
    })
    expect(idsIn(events)).toEqual(['"two"', '1'])
    expect(JSON.parse(events.find((event) => event.includes('"two"')) as string).error.code).toBe(-32603)
  })

  it('streams of the upstream go on event by event, without ids, and every request is answered', async () => {
    const progress = `data: ${NOTE}\n\n`
    const cut: Answers = {
      ...answers,
      ping: (id) => sse(['id: 1\n', progress, `id: 2\ndata: ${rpcResult(id, '{}')}\n\n`]),
    }
    const { text, events } = await through(batch(PING, PING.replace('1', '7'), SEARCH), { answers: cut })
    expect(text).not.toContain('id: ')
    expect(text).toContain(progress)
    expect(idsIn(events.filter((event) => !event.includes('progress')))).toEqual(['"two"', '1', '7'])
    expect(JSON.parse(events.find((event) => event.includes('"id":7')) as string).error.code).toBe(-32603)
  })

  it('REQ-P-37: a client that leaves ends what still streams', async () => {
    let isCancelled = false
    const endless = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode(`data: ${NOTE}\n\n`)),
      cancel() {
        isCancelled = true
      },
    })
    const upstream = fakeUpstream({
      ...answers,
      ping: () => new Response(endless, { headers: { 'content-type': 'text/event-stream' } }),
    })
    const response = await createDisclosureProxy({ upstream: upstream.fetch }).fetch(post(batch(PING, SEARCH)))
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    expect((await reader.read()).done).toBe(false)
    await reader.cancel()
    await expect.poll(() => isCancelled).toBe(true)
  })

  it('that are huge cost next to nothing', async () => {
    const begun = performance.now()
    const { response } = await through(`[${'{"":0,"":0},'.repeat(300_000)}0]`)
    expect(response.status).toBe(400)
    expect(performance.now() - begun).toBeLessThan(500)
  })

  it('REQ-P-32: what one part asks the client goes on while another has not begun to answer', async () => {
    let finish = (): void => {}
    const upstream = fakeUpstream({
      ...answers,
      ping: (id) =>
        sse([`data: {"jsonrpc":"2.0","id":"s1","method":"roots/list"}\n\n`, `data: ${rpcResult(id, '{}')}\n\n`]),
      'tools/list': ((id: string) =>
        new Promise<Response>((resolve) => {
          finish = () => resolve(json(rpcResult(id, LIST)))
        })) as never,
    })
    const response = await createDisclosureProxy({ upstream: upstream.fetch }).fetch(post(batch(SEARCH, PING)))
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    const decoder = new TextDecoder()
    let text = decoder.decode((await reader.read()).value)
    expect(text).toContain('roots/list')
    finish()
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      text += decoder.decode(value)
    }
    expect(text).toContain('schema-navigation')
  })

  it('a refusal that comes once a part streams is the answer of its own part', async () => {
    let refuse = (): void => {}
    const upstream = fakeUpstream({
      ...answers,
      ping: (id) => sse([`data: ${rpcResult(id, '{}')}\n\n`]),
      'tools/list': (() =>
        new Promise<Response>((resolve) => {
          refuse = () => resolve(new Response('no', { status: 401 }))
        })) as never,
    })
    const response = await createDisclosureProxy({ upstream: upstream.fetch }).fetch(post(batch(SEARCH, PING)))
    refuse()
    const text = await response.text()
    expect(text).toContain(rpcResult('1', '{}'))
    expect(text).toContain('"id":"two","error":{"code":-32603,"message":"Upstream refused with 401"}')
  })

  it('two parts that are refused are one refusal, and its body that of the first', async () => {
    const refuse = () => new Response('no', { status: 401, headers: { 'www-authenticate': 'Bearer x' } })
    const { response, text } = await through(batch(SEARCH, PING), { answers: { 'tools/list': refuse, ping: refuse } })
    expect([response.status, response.headers.get('www-authenticate'), text]).toEqual([401, 'Bearer x', 'no'])
  })

  it('a part whose answer breaks off fails alone', async () => {
    const broken = () =>
      new Response(
        new ReadableStream({
          start: (controller) => controller.enqueue(new TextEncoder().encode('{"jsonrpc"')),
          pull: (controller) => controller.error(new Error('reset')),
        }),
        { headers: { 'content-type': 'application/json' } },
      )
    const { events } = await through(batch(SEARCH, PING, PING.replace('1', '3')), {
      answers: { ...answers, ping: broken },
    })
    expect(idsIn(events)).toEqual(['"two"', '1', '3'])
    expect(events.find((event) => event.includes('"two"'))).toContain('schema-navigation')
  })

  it('at most four of its parts list at once', async () => {
    let open = 0
    let most = 0
    const upstream = fakeUpstream({
      'tools/list': (async (id: string) => {
        most = Math.max(most, ++open)
        await new Promise((resolve) => setTimeout(resolve, 2))
        open--
        return json(rpcResult(id, LIST))
      }) as never,
    })
    const searches = Array.from({ length: 20 }, (_, n) => SEARCH.replace('"two"', `${n}`))
    const response = await createDisclosureProxy({ upstream: upstream.fetch }).fetch(post(batch(...searches)))
    expect((await response.text()).match(/schema-navigation/g)?.length).toBeGreaterThanOrEqual(20)
    expect(most).toBe(4)
  })

  it.each([304, 204, 500])('%i in place of an answer is an error of its own part', async (status) => {
    const { response, events } = await through(batch(PING, SEARCH), {
      answers: { ...answers, ping: () => new Response(null, { status }) },
    })
    expect(response.status).toBe(200)
    expect(events.find((event) => event.includes('"id":1'))).toContain('-32603')
    expect(events.find((event) => event.includes('"two"'))).toContain('schema-navigation')
  })

  it('the session that the upstream names is that of the answer', async () => {
    const named = (id: string) => json(rpcResult(id, '{}'), { headers: { 'mcp-session-id': 'S' } })
    const { response } = await through(batch(PING, SEARCH), { answers: { ...answers, ping: named } })
    expect(response.headers.get('mcp-session-id')).toBe('S')
  })

  it('what streams beside a refusal of the caller is ended', async () => {
    const ended: string[] = []
    const endless = () => new ReadableStream({ cancel: () => void ended.push('cancelled') })
    const refused: Answers = {
      ping: () => new Response(endless(), { headers: { 'content-type': 'application/json' } }),
      'tools/list': () => new Response('no', { status: 401 }),
    }
    const { response } = await through(batch(PING, SEARCH), { answers: refused })
    expect(response.status).toBe(401)
    await expect.poll(() => ended).toEqual(['cancelled'])
  })
})
