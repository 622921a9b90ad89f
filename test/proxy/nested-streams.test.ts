import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createDisclosureProxy, type ProxySettings } from '../../src/proxy/index.ts'
import { Resumption } from '../../src/proxy/resumption.ts'
import { type Answers, type FakeUpstream, fakeUpstream, json, LIST, post, rpcResult, sse } from './fake-upstream.ts'

const utf8 = (text: string) => new TextEncoder().encode(text)
const rpc = (method: string, params: string) => `{"jsonrpc":"2.0","id":7,"method":"${method}","params":${params}}`
const search = rpc('tools/call', '{"name":"search_tools","arguments":{"query":"user"}}')
const call = rpc('tools/call', '{"name":"call_tool","arguments":{"name":"get_user","arguments":{"id":1}}}')
const read = rpc('resources/read', `{"uri":"openapi-schema://v1/get_user/${'0'.repeat(64)}/manifest"}`)
const list = '{"jsonrpc":"2.0","id":7,"method":"tools/list"}'

const PRIMER = 'id: a\nretry: 1\ndata:\n\n'

interface Asked {
  readonly response: Response
  readonly body: string
  readonly upstream: FakeUpstream
}

const ask = async (
  answers: Answers,
  request: string | Request,
  settings: Omit<ProxySettings, 'upstream'> = {},
): Promise<Asked> => {
  const upstream = fakeUpstream(answers)
  const asked = typeof request === 'string' ? post(request) : request
  const response = await createDisclosureProxy({ upstream: upstream.fetch, ...settings }).fetch(asked)
  return { response, body: await response.text(), upstream }
}

/** An upstream that cuts each listing behind `start` and gives one of `rests` to each GET. */
function cut(start: string, ...rests: readonly ((id: string) => Response)[]): Answers {
  let nested = 'null'
  let tries = 0
  return {
    'tools/list': (id) => {
      nested = id
      return sse([start])
    },
    'tools/call': '{"content":[]}',
    GET: () => (rests[Math.min(tries++, rests.length - 1)] as (id: string) => Response)(nested),
  }
}
const rest = (id: string) => sse([`id: b\ndata: ${rpcResult(id, LIST)}\n\n`])
const tries = ({ log }: FakeUpstream) => log.filter(({ method }) => method === 'GET')

describe('REQ-P-31: a nested stream that the upstream cuts is taken up again', () => {
  it.each([
    ['a search', search],
    ['a guarded call', call],
    ['a read', read],
  ])('%s', async (_name, request) => {
    const headers = { 'mcp-session-id': 's', 'mcp-protocol-version': '2025-11-25', authorization: 'Bearer t' }
    const settings = { forwardHeaders: ['authorization'] }
    const { response, body, upstream } = await ask(cut(PRIMER, rest), post(request, headers), settings)
    expect(response.status).toBe(200)
    expect(JSON.parse(body)).toMatchObject(
      request === read ? { id: 7, error: { code: -32002 } } : { id: 7, result: { content: expect.anything() } },
    )
    const [get] = tries(upstream)
    expect(Object.fromEntries(get?.headers ?? [])).toEqual({
      ...headers,
      accept: 'text/event-stream',
      'last-event-id': 'a',
    })
    expect([tries(upstream).length, get?.body]).toEqual([1, ''])
  })

  it('a further page of the pins', async () => {
    let nested = ''
    const pages: Answers = {
      'tools/list': (id, { body }) => {
        nested = id
        return body.includes('cursor') ? sse([PRIMER]) : json(rpcResult(id, LIST.replace('{', '{"nextCursor":"2",')))
      },
      GET: () => rest(nested),
    }
    const { body } = await ask(pages, list, { pin: ['get_user'] })
    const names = JSON.parse(body).result.tools.map(({ name }: { name: string }) => name)
    expect(names.filter((name: string) => name === 'get_user').length).toBe(2)
  })

  const cutAgain = (id: string) => sse([`id: ${id.length}\nretry: 2\n\n`])
  it.each([1, 2, 3, 4])('up to three times: cut %i times', async (times) => {
    const rests = [...Array.from({ length: times - 1 }, () => cutAgain), rest]
    for (const request of [search, read]) {
      const { response, body, upstream } = await ask(cut(PRIMER, ...rests), request)
      const { result } = JSON.parse(body)
      if (times === 4)
        expect([response.status, result?.isError]).toEqual(request === read ? [502, undefined] : [200, true])
      else expect([response.status, result?.isError]).toEqual([200, undefined])
      const ids = tries(upstream).map(({ headers }) => headers.get('last-event-id'))
      // Each from behind the event that came last.
      expect(ids).toEqual(['a', '42', '42'].slice(0, times))
    }
  })

  it('a try that reaches nobody counts', async () => {
    let tried = 0
    const upstream = fakeUpstream(cut(PRIMER, rest))
    const fetch = (request: Request) => {
      if (request.method === 'GET' && tried++ === 0) throw new Error('down')
      return upstream.fetch(request)
    }
    const response = await createDisclosureProxy({ upstream: fetch }).fetch(post(search))
    expect((await response.json()).result.isError).toBeUndefined()
    expect([tried, tries(upstream).length]).toEqual([2, 1])
  })

  it.each([
    ['another answer', 3, () => sse([`data: ${rpcResult('"other"', LIST)}\n\n`])],
    ['no stream', 1, () => json('{}')],
    ['no such method', 1, () => new Response('', { status: 405 })],
    ['refused', 1, () => new Response('', { status: 503 })],
    [
      'a redirect elsewhere',
      1,
      () => new Response(null, { status: 307, headers: { location: 'https://evil.example' } }),
    ],
  ] as const)('%s is the end, after %i', async (_name, count, answer) => {
    const { response, body, upstream } = await ask(cut(PRIMER, answer), read)
    expect([response.status, tries(upstream).length]).toEqual([502, count])
    expect(JSON.parse(body)).toMatchObject({ id: 7, error: { code: -32603 } })
    expect(body).not.toContain('evil')
  })

  it('not without an event id, nor in the modern era', async () => {
    for (const start of [
      'retry: 1\ndata:\n\n',
      'id: a\n\nid:\ndata:\n\n',
      'id: a\0\n\n',
      `id: ${'x'.repeat(2000)}\n\n`,
    ]) {
      const { response, upstream } = await ask(cut(start, rest), search)
      expect([response.status, tries(upstream).length]).toEqual([502, 0])
    }
    const version = 'io.modelcontextprotocol/protocolVersion'
    const modern = search.replace('"arguments"', `"_meta":{"${version}":"2026-07-28"},"arguments"`)
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'search_tools' }
    const { response, upstream } = await ask(cut(PRIMER, rest), post(modern, headers))
    expect([response.status, upstream.count('tools/list'), tries(upstream).length]).toEqual([502, 1, 0])
  })

  it('a stream that breaks is one that is cut', async () => {
    const broken = (start: string) =>
      new Response(
        new ReadableStream({
          pull(controller) {
            if (start === '') controller.error(new Error('reset'))
            else controller.enqueue(utf8(start))
            start = ''
          },
        }),
        { headers: { 'content-type': 'text/event-stream' } },
      )
    let nested = ''
    const answers = (start: string): Answers => ({
      'tools/list': (id) => {
        nested = id
        return broken(start)
      },
      GET: () => rest(nested),
    })
    expect((await ask(answers(PRIMER), search)).response.status).toBe(200)
    expect((await ask(answers(': hello\n\n'), search)).response.status).toBe(502)
  })

  it.each([401, 403, 404])('a refusal of the upstream is passed on: %i', async (status) => {
    const headers = { 'www-authenticate': 'Bearer error="x"' }
    const { response, upstream } = await ask(
      cut(PRIMER, () => new Response('no', { status, headers })),
      search,
    )
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([status, 'Bearer error="x"'])
    expect(tries(upstream).length).toBe(1)
  })

  it('all parts together stay within the bound', async () => {
    const filler = `id: b\nretry: 1\ndata: "${'x'.repeat(40_000)}"\n\n`
    const { response, body } = await ask(
      cut(filler, () => sse([filler])),
      search,
      { limits: { maxTotalBytes: 1000 } },
    )
    expect([response.status, JSON.parse(body).error.message]).toEqual([502, expect.stringContaining('longer than')])
  })

  it('a client that leaves ends the wait', async () => {
    const stop = new AbortController()
    const upstream = fakeUpstream(cut('id: a\nretry: 5000\n\n', rest))
    const request = new Request(post(search), { signal: stop.signal })
    const answer = createDisclosureProxy({ upstream: upstream.fetch }).fetch(request)
    await expect.poll(() => upstream.log.length).toBe(1)
    stop.abort(new Error('left'))
    await answer.catch(() => undefined)
    expect(tries(upstream).length).toBe(0)
  })

  it('so does the time a listing may take', async () => {
    const { response, upstream } = await ask(cut('id: a\nretry: 5000\n\n', rest), read, { limits: { timeoutMs: 50 } })
    expect([response.status, tries(upstream).length]).toEqual([504, 0])
  })

  describe('when, by the clock', () => {
    beforeEach(() => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    })
    afterEach(() => {
      vi.useRealTimers()
    })

    /** How long it waits each time; the code of what ends it. */
    async function waitsOf(events: readonly string[]): Promise<unknown[]> {
      const resumption = new Resumption(new AbortController().signal)
      for (const event of events) resumption.note(utf8(event))
      const waits: unknown[] = []
      for (let ended = false; !ended; ) {
        const since = Date.now()
        const next = resumption.next().then(
          () => Date.now() - since,
          ({ code }) => {
            ended = true
            return code
          },
        )
        await vi.advanceTimersToNextTimerAsync()
        waits.push(await next)
      }
      resumption.end()
      expect(vi.getTimerCount()).toBe(0)
      return waits
    }

    it.each([
      ['after a second where nothing is said', ['id: 1\n\n'], [1000, 1000, 1000]],
      ['as the upstream says', ['id: 1\nretry: 100\n\n'], [100, 100, 100]],
      ['the last word counts', ['id: 1\nretry: 100\nretry: 5\n\n', 'retry: 1.5\n\n', 'retry:\n\n'], [5, 5, 5]],
      ['ten seconds in all', ['id: 1\nretry: 4000\n\n'], [4000, 4000]],
      ['not where one pause is longer', ['id: 1\nretry: 10001\n\n'], []],
      ['nor where it is longer than any number', [`id: 1\nretry: ${'9'.repeat(2000)}\n\n`], []],
    ] as const)('%s', async (_name, events, waits) => {
      expect(await waitsOf(events)).toEqual([...waits, 'interrupted'])
    })

    it('at most ten seconds in all, also on a stream that stays open', async () => {
      let cancelled = 0
      const silent = () =>
        new Response(
          new ReadableStream({
            cancel: () => {
              cancelled++
            },
          }),
          { headers: { 'content-type': 'text/event-stream' } },
        )
      const asked = ask(cut('id: a\nretry: 6000\n\n', silent), search)
      for (let second = 0; second < 9; second++) await vi.advanceTimersByTimeAsync(1000)
      expect(cancelled).toBe(0)
      for (let second = 0; second < 3; second++) await vi.advanceTimersByTimeAsync(1000)
      expect(cancelled).toBe(1)
      expect(JSON.parse((await asked).body)).toMatchObject({ id: 7, result: { isError: true } })
      expect(vi.getTimerCount()).toBe(0)
    })
  })

  it.each([
    ['é/1', ''],
    ['a b/1', 'a b/1'],
    ['x'.repeat(1024), 'x'.repeat(1024)],
    ['x'.repeat(1025), ''],
    ['a\x01b', ''],
    ['a\0', ''],
    [' a', ''],
    ['a ', ''],
    ['', ''],
  ])('an id goes back as it came, or not at all: %j', (id, sent) => {
    const resumption = new Resumption(new AbortController().signal)
    resumption.note(utf8(`id: before\nid: ${id}\n\n`))
    expect(resumption.lastEventId).toBe(sent)
  })
})

const told = '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1.0}}'
const progress = (token: string) =>
  `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${token},"progress":1}}`
const cancelled = (id: string) => `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id}}}`
const roots = '{"jsonrpc":"2.0","id":1,"method":"roots/list"}'
const rootsAnswer = '{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}'
const event = (data: string, before = '') => `${before}data: ${data}\n\n`

/** An upstream that lists only after its client has said what its roots are. */
function asking(
  answers: Answers = {},
  before: (id: string) => string = () => event(roots, 'id: a\nretry: 5\nevent: message\n'),
): Answers {
  let answer = (): void => {}
  const listing = (id: string) =>
    new Response(
      new ReadableStream({
        start(controller) {
          controller.enqueue(utf8(before(id)))
          answer = () => {
            controller.enqueue(utf8(event(rpcResult(id, LIST), 'id: b\n')))
            controller.close()
          }
        },
      }),
      { headers: { 'content-type': 'text/event-stream', 'mcp-session-id': 's' } },
    )
  return {
    'tools/list': listing,
    'tools/call': '{"content":[]}',
    POST: () => {
      answer()
      return new Response(null, { status: 202 })
    },
    ...answers,
  }
}

interface Conversation {
  readonly response: Response
  readonly body: string
  /** What the client got, message by message. */
  readonly messages: { id?: unknown; method?: string; [name: string]: unknown }[]
  readonly upstream: FakeUpstream
}

/** A client that answers what it is asked. */
async function talk(
  answers: Answers,
  request: string | Request,
  settings: Omit<ProxySettings, 'upstream'> = {},
): Promise<Conversation> {
  const upstream = fakeUpstream(answers)
  const proxy = createDisclosureProxy({ upstream: upstream.fetch, ...settings })
  const response = await proxy.fetch(typeof request === 'string' ? post(request) : request)
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const decoder = new TextDecoder()
  let body = ''
  let isAsked = false
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    body += decoder.decode(value, { stream: true })
    if (isAsked || !body.includes('roots/list')) continue
    isAsked = true
    expect((await proxy.fetch(post(rootsAnswer))).status).toBe(202)
  }
  const messages = body.startsWith('{')
    ? [JSON.parse(body)]
    : body.split('\n\n').flatMap((part) => {
        const data = part.split('\n').filter((line) => line.startsWith('data: '))
        return data.length === 0 ? [] : [JSON.parse(data.map((line) => line.slice(6)).join('\n'))]
      })
  return { response, body, messages, upstream }
}

const paged = (later: Answers, type: 'json' | 'sse'): Answers => ({
  ...later,
  'tools/list': (id, recorded) => {
    if (recorded.body.includes('cursor')) return (later['tools/list'] as (id: string) => Response)(id)
    const page = rpcResult(id, LIST.replace('{', '{"nextCursor":"2",'))
    const headers = { 'mcp-session-id': 's' }
    return type === 'json' ? json(page, { headers }) : sse([event(page)], headers)
  },
})

describe('REQ-P-32: what the upstream asks while its tools are listed, the client is asked', () => {
  const ok = { id: 7, result: expect.anything() }
  it.each([
    ['a search', search, asking(), ok],
    ['a guarded call', call, asking(), ok],
    ['a read', read, asking(), { id: 7, error: { code: -32002 } }],
    [
      'a reading tool',
      rpc('tools/call', '{"name":"read_schema","arguments":{"name":"x","schema_sha256":"0"}}').replace(
        '"0"',
        `"${'0'.repeat(64)}"`,
      ),
      asking(),
      { id: 7, result: { isError: true } },
    ],
    ['pins of a JSON answer', list, paged(asking(), 'json'), ok],
    ['pins of a stream', list, paged(asking(), 'sse'), ok],
  ] as const)('%s', async (_name, request, answers, last) => {
    const { response, body, messages, upstream } = await talk(answers, request, { pin: ['get_user'] })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
    expect(response.headers.get('mcp-session-id')).toBe('s')
    expect(messages).toMatchObject([JSON.parse(roots), last])
    expect(body).not.toMatch(/^(?:id|retry):/m)
    expect(body).not.toContain('~sd:')
    expect(upstream.log.find(({ rpc }) => rpc === undefined)?.body).toBe(rootsAnswer)
  })

  it('a part of a batch', async () => {
    const ping = '{"jsonrpc":"2.0","id":8,"method":"ping"}'
    const { response, body, messages } = await talk(asking({ ping: '{}' }), `[${search},${ping}]`)
    expect(response.headers.get('mcp-session-id')).toBe('s')
    expect(messages.length).toBe(3)
    const all = [JSON.parse(roots), { id: 7, result: expect.anything() }, { id: 8, result: {} }]
    for (const message of all) expect(messages).toContainEqual(expect.objectContaining(message))
    expect(body).not.toMatch(/^(?:id|retry):/m)
  })

  it('parts of a batch, each on a stream of its own', async () => {
    // Each listing tells something and ends while the others go on.
    const listing = (id: string) => sse([event(told), event(rpcResult(id, LIST))])
    const parts = Array.from({ length: 5 }, (_, index) => search.replace('"id":7', `"id":${index}`))
    const { messages } = await talk({ 'tools/list': listing }, `[${parts.join()}]`)
    expect(messages.filter(({ method }) => method !== undefined).length).toBe(5)
    expect(messages.flatMap(({ id }) => id ?? []).sort()).toEqual([0, 1, 2, 3, 4])
  })

  it('an answer is a stream only where something goes on', async () => {
    const dropped = (id: string) => event(progress('7')) + event(cancelled(id)) + event(rpcResult('99', LIST))
    const listing = (id: string) => sse([dropped(id), event(rpcResult(id, LIST))])
    const { response, messages } = await talk({ 'tools/list': listing }, search)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(messages).toMatchObject([ok])
  })

  const mark = '\ufeff'
  const pretty = '{\r\n  "jsonrpc": "2.0",\n  "id": 7,\r  "result": {"x": 1.0}\n}'
  const refused = { id: 7, error: { code: -32603, message: 'Upstream refused with 401' } }
  it.each([
    ['JSON', () => json(pretty), { id: 7, result: { x: 1 } }],
    ['a stream', () => sse([mark, event(rpcResult('7', '{"x":1}'), 'id: c\n')]), { id: 7, result: { x: 1 } }],
    ['a refusal', () => new Response('no', { status: 401 }), refused],
    [
      'an error with a status',
      () => json('{"id":null,"error":{"code":-5,"message":"x"}}', { status: 404 }),
      { id: 7, error: { code: -5, message: 'x' } },
    ],
    ['no answer', () => new Response(null, { status: 202 }), { id: 7, error: { code: -32603 } }],
  ] as const)("the call's own answer goes on behind it: %s", async (_name, answer, last) => {
    const { body, messages } = await talk(asking({ 'tools/call': answer }), call)
    expect(messages).toMatchObject([JSON.parse(roots), last])
    expect(body).not.toContain(mark)
    // A call can be taken up again where the upstream says so.
    expect(body.includes('id: c\n')).toBe(_name === 'a stream')
  })

  it("an upstream's refusal of a further page keeps its words", async () => {
    const error = '"error":{"code":-5,"message":"expired"}'
    const first = asking()
    const answers: Answers = {
      ...first,
      'tools/list': (id, { body }) => {
        if (body.includes('cursor')) return json(`{"jsonrpc":"2.0","id":${id},${error}}`, { status: 403 })
        return sse([event(roots), event(rpcResult(id, LIST.replace('{', '{"nextCursor":"2",')))])
      },
    }
    const { messages } = await talk(answers, search)
    expect(messages).toMatchObject([JSON.parse(roots), { id: 7, error: { code: -5, message: 'expired' } }])
  })

  it('an answer that never comes is an error behind what was asked', async () => {
    const { messages } = await talk({ ...asking(), 'tools/list': () => sse([event(roots)]) }, read)
    expect(messages).toMatchObject([JSON.parse(roots), { id: 7, error: { code: -32603 } }])
  })

  it('the time a listing may take goes on', async () => {
    const { messages } = await talk({ ...asking(), POST: () => new Response(null, { status: 202 }) }, search, {
      limits: { timeoutMs: 50 },
    })
    expect(messages).toMatchObject([JSON.parse(roots), { id: 7, result: { isError: true } }])
  })

  it('a stream that is cut after it asked is taken up again', async () => {
    let nested = ''
    const answers: Answers = {
      'tools/list': (id) => {
        nested = id
        return sse([event(roots, 'id: a\nretry: 1\n')])
      },
      POST: () => new Response(null, { status: 202 }),
      GET: () => rest(nested),
    }
    expect((await talk(answers, search)).messages).toMatchObject([JSON.parse(roots), ok])
  })

  it('what the upstream tells goes on too; progress of others and the end of the listing do not', async () => {
    const said = (id: string) =>
      [told, progress('"other"'), roots, cancelled('1'), progress('7'), cancelled(id), told, rpcResult('99', LIST)]
        .map((data) => event(data, 'id: x\n'))
        .join('')
    const own = search.replace('"arguments"', '"_meta":{"progressToken":7},"arguments"')
    const { messages } = await talk(asking({}, said), own)
    const passed = [told, roots, cancelled('1'), told].map((text) => JSON.parse(text))
    expect(messages).toMatchObject([...passed, ok])
    const batch = () => event(`[${told},${roots},${told}]`)
    const inBatch = [told, roots, told].map((text) => JSON.parse(text))
    expect((await talk(asking({}, batch), search)).messages).toMatchObject([...inBatch, ok])
  })

  it('bytes go on as they came, line by line', async () => {
    const pretty =
      '{\n  "jsonrpc": "2.0",\n  "method": "notifications/message",\n  "params": {"x": 1.0, "y": "\\u00e9é"}\n}'
    const said = event(pretty.replaceAll('\n', '\ndata: '), 'id: x\nretry: 5\n')
    const { body } = await talk({ 'tools/list': (id) => sse([said, event(rpcResult(id, LIST))]) }, search)
    expect(body.startsWith(`${event(pretty.replaceAll('\n', '\ndata: '))}data: `)).toBe(true)
  })

  it('a client that takes no stream, or is of the modern era, is asked nothing', async () => {
    const version = 'io.modelcontextprotocol/protocolVersion'
    const modern = search.replace('"arguments"', `"_meta":{"${version}":"2026-07-28"},"arguments"`)
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'search_tools' }
    for (const request of [() => post(search, { accept: 'application/json' }), () => post(modern, headers)]) {
      const { response, messages } = await talk({ 'tools/list': () => sse([event(roots)]) }, request())
      expect(response.status).toBe(502)
      expect(messages).toMatchObject([
        { id: 7, error: { code: -32603, message: expect.stringContaining('asks the client') } },
      ])
      const telling = (id: string) => sse([event(told), event(rpcResult(id, LIST))])
      const answered = await talk({ 'tools/list': telling }, request())
      expect(answered.response.headers.get('content-type')).toBe('application/json')
      expect(answered.messages).toMatchObject([ok])
    }
  })

  it.each(['a search', 'pins of a stream'])('a client that leaves ends everything: %s', async (name) => {
    let cancelled = 0
    const silent = () =>
      new Response(
        new ReadableStream({
          start: (controller) => controller.enqueue(utf8(event(roots))),
          cancel: () => {
            cancelled++
          },
        }),
        { headers: { 'content-type': 'text/event-stream' } },
      )
    const answers = name === 'a search' ? { 'tools/list': silent } : paged({ 'tools/list': silent }, 'sse')
    const upstream = fakeUpstream(answers)
    const proxy = createDisclosureProxy({ upstream: upstream.fetch, pin: ['*'] })
    const response = await proxy.fetch(post(name === 'a search' ? search : list))
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    expect(new TextDecoder().decode((await reader.read()).value)).toBe(event(roots))
    const asked = upstream.log.length
    await reader.cancel()
    await expect.poll(() => cancelled, { timeout: 1000 }).toBe(1)
    expect(upstream.log.length).toBe(asked)
  })

  it("a client that leaves before the call's answer gets none, and the upstream is told", async () => {
    let cancelled = 0
    let answerLate = (): void => {}
    const late = new Promise<void>((resolve) => {
      answerLate = resolve
    })
    const body = () =>
      new ReadableStream({
        cancel: () => {
          cancelled++
        },
      })
    const upstream = fakeUpstream(asking())
    const proxy = createDisclosureProxy({
      upstream: async (request) => {
        const answer = await upstream.fetch(request)
        if (upstream.log.at(-1)?.rpc !== 'tools/call') return answer
        await late
        return new Response(body(), { headers: { 'content-type': 'text/event-stream' } })
      },
    })
    const response = await proxy.fetch(post(call))
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    await reader.read()
    await proxy.fetch(post(rootsAnswer))
    await expect.poll(() => upstream.count('tools/call'), { timeout: 1000 }).toBe(1)
    await reader.cancel()
    answerLate()
    await expect.poll(() => cancelled, { timeout: 1000 }).toBe(1)
  })

  it('what is passed on counts like everything else', async () => {
    const flood =
      event(roots) + event(`{"jsonrpc":"2.0","method":"notifications/message","params":"${'x'.repeat(80_000)}"}`)
    const { messages } = await talk(
      asking({}, () => flood),
      read,
      { limits: { maxTotalBytes: 1000 } },
    )
    expect(messages.at(-1)).toMatchObject({ id: 7, error: { message: expect.stringContaining('longer than') } })
  })

  it.each([1024, 1025])('so many messages go on and no more: %i', async (count) => {
    const listing = (id: string) => sse([event(told).repeat(count), event(rpcResult(id, LIST))])
    const { messages } = await talk({ 'tools/list': listing }, search)
    expect(messages.length).toBe(1025)
    const tooMuch = { id: 7, error: { code: -32603, message: 'Cannot list tools: upstream says too much meanwhile' } }
    expect(messages.at(-1)).toMatchObject(count === 1024 ? ok : tooMuch)
  })

  it('a call is passed on as it streams', async () => {
    let finish = (): void => {}
    const answer = () =>
      new Response(
        new ReadableStream({
          start(controller) {
            controller.enqueue(utf8(event(told)))
            finish = () => {
              controller.enqueue(utf8(event(rpcResult('7', '{}'))))
              controller.close()
            }
          },
        }),
        { headers: { 'content-type': 'text/event-stream' } },
      )
    const proxy = createDisclosureProxy({ upstream: fakeUpstream(asking({ 'tools/call': answer })).fetch })
    const reader = ((await proxy.fetch(post(call))).body as ReadableStream<Uint8Array>).getReader()
    const next = async () => new TextDecoder().decode((await reader.read()).value)
    expect(await next()).toBe(event(roots))
    await proxy.fetch(post(rootsAnswer))
    expect(await next()).toBe(event(told))
    finish()
    expect(await next()).toBe(event(rpcResult('7', '{}')))
    expect((await reader.read()).done).toBe(true)
  })
})
