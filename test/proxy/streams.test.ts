import { describe, expect, it } from 'vitest'
import { EventSplitter } from '../../src/proxy/event-splitter.ts'
import { createDisclosureProxy, type ProxySettings } from '../../src/proxy/index.ts'
import { messageData, withData, withoutIds } from '../../src/proxy/sse.ts'
import { type Answers, fakeUpstream, json, LIST, post, rpcResult, sse } from './fake-upstream.ts'

const utf8 = (text: string) => new TextEncoder().encode(text)
const list = '{"jsonrpc":"2.0","id":7,"method":"tools/list"}'
const resume = () => new Request('http://127.0.0.1/mcp', { headers: { 'last-event-id': '3' } })

const ask = async (answers: Answers, request: Request, settings: Omit<ProxySettings, 'upstream'> = {}) => {
  const upstream = fakeUpstream(answers)
  const response = await createDisclosureProxy({ upstream: upstream.fetch, ...settings }).fetch(request)
  return { response, body: await response.text(), upstream }
}
const messages = (body: string) =>
  body
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => JSON.parse(line.slice(6)))

describe('one event of many lines', () => {
  it.each(['x\n', 'data\n', 'data:x\r\n', 'id: 1\n', ':\r'])('of %j costs time in proportion to its bytes', (line) => {
    const event = utf8(`${line.repeat(8_000_000 / line.length)}data: 1\n\n`)
    const start = performance.now()
    messageData(event)
    withoutIds(event)
    expect(withData(event, utf8('{}')).length).toBeLessThanOrEqual(event.length + 20)
    expect(performance.now() - start).toBeLessThan(2000)
  })

  it('is refused beyond the bound, in one chunk or in many', () => {
    const event = utf8(`${'x\n'.repeat(600)}\n`)
    expect(() => [...new EventSplitter(1000).push(event)]).toThrow('longer than 1000 bytes')
    const splitter = new EventSplitter(1000)
    expect(() => {
      for (const byte of event) [...splitter.push(Uint8Array.of(byte))]
    }).toThrow('longer than 1000 bytes')
  })
})

it('what grew for one long event is given back', () => {
  const splitter = new EventSplitter(2 ** 25)
  const memory = () => splitter.size
  const long = new TextEncoder().encode(`data: ${'x'.repeat(2 ** 22)}\n\ndata: short`)
  expect([...splitter.push(long)].length).toBe(1)
  expect(memory()).toBeLessThanOrEqual(65_536)
  expect(new TextDecoder().decode(splitter.rest())).toBe('data: short')
  expect(
    [...splitter.push(new TextEncoder().encode(' and more\n\n'))].map((event) => new TextDecoder().decode(event)),
  ).toEqual(['data: short and more\n\n'])
})

it('a type that is named twice is the type', async () => {
  const list = rpcResult('7', LIST)
  const proxy = createDisclosureProxy({
    upstream: async () =>
      new Response(`data: ${list}\n\n`, { headers: { 'content-type': 'text/event-stream, text/event-stream' } }),
  })
  expect(await (await proxy.fetch(new Request('http://127.0.0.1/mcp'))).text()).not.toContain('get_user')
})

it('blank lines by the million cost what their bytes cost', async () => {
  const start = performance.now()
  const chunks = Array(64).fill('\n'.repeat(65_536))
  for (const [answers, request] of [
    [{ GET: () => sse(chunks) }, resume()],
    [{ 'tools/list': () => sse(chunks) }, post(list)],
  ] as const) {
    const { body } = await ask(answers, request)
    expect(body.length).toBeGreaterThanOrEqual(64 * 65_536)
  }
  expect(performance.now() - start).toBeLessThan(3000)
})

it('blank lines are not held back', () => {
  const splitter = new EventSplitter(1000)
  expect([...splitter.push(utf8('\n\n'))].length).toBe(1)
  expect([...splitter.push(utf8('\n\ndata: 1\n\n\n'))].length).toBe(2)
})

describe('a byte order mark', () => {
  const mark = '\ufeff'
  it('at the start of a stream is no part of its first line, wherever it is cut', () => {
    for (const cut of [0, 1, 2, 3, 4]) {
      const splitter = new EventSplitter(1000)
      const bytes = utf8(`${mark}data: 1\n\n`)
      const events = [...splitter.push(bytes.subarray(0, cut)), ...splitter.push(bytes.subarray(cut))]
      expect(events.map(messageData)).toEqual([utf8('1')])
    }
  })

  it('before a later line hides no answer', async () => {
    const text = `id: 1\n${mark}data: ${rpcResult('7', LIST)}\n\n`
    for (const whole of [mark + text, text, mark + mark + text.slice(6), text.trimEnd()]) {
      const { body } = await ask({ 'tools/list': () => sse([whole]) }, post(list))
      // A client takes a mark off at the very start only.
      expect(body.startsWith(mark)).toBe(false)
      expect(messages(body)).toMatchObject([{ id: 7, error: { code: -32603 } }])
    }
  })
})

it('an event stream without a body is an answer without one', async () => {
  const empty = () => new Response(null, { status: 204, headers: { 'content-type': 'text/event-stream' } })
  expect((await ask({ GET: empty }, resume())).response.status).toBe(204)
})

it('lines that end with CR alone hold no event back', () => {
  const splitter = new EventSplitter(1000)
  expect([...splitter.push(utf8('data: 1\r\r'))].length).toBe(1)
  expect([...splitter.push(utf8('data: 2\r\n\r'))].length).toBe(1)
  // The other half of the line end before, not a blank line.
  expect([...splitter.push(utf8('\ndata: 3\r\n\r\n'))].map(messageData)).toEqual([utf8('3')])
})

describe('REQ-P-30: what a reader here cannot read is no way for the list', () => {
  const hidden = '"tools":[{"name":"get_user","inputSchema":{}}]'
  const deep = `${'['.repeat(1000)}${']'.repeat(1000)}`
  const rows = [
    ['a name twice', `{"jsonrpc":"2.0","id":7,"id":7,"result":{${hidden}}}`],
    ['too deep', `{"jsonrpc":"2.0","id":7,"result":{${hidden},"x":${deep}}}`],
    ['no JSON', `{"jsonrpc":"2.0","id":7,"result":{${hidden}}`],
    ['more behind it', `{"jsonrpc":"2.0","id":7,"result":{${hidden}}} {}`],
    ['in a batch', `[{"jsonrpc":"2.0","id":7,"id":7,"result":{${hidden}}}]`],
    ['a member twice in the result', `{"jsonrpc":"2.0","id":7,"result":{"tools":[],${hidden}}}`],
  ] as const
  it.each(rows)('%s, on the stream of the request', async (_name, data) => {
    const { body } = await ask({ 'tools/list': () => sse([`data: ${data}\n\n`]) }, post(list))
    expect(body).not.toContain('get_user')
    expect(messages(body).flat()).toMatchObject([{ id: 7, error: { code: -32603 } }])
  })
  it.each(rows)('%s, on a resumed stream', async (_name, data) => {
    const { body } = await ask({ GET: () => sse([`id: 4\ndata: ${data}\n\n`]) }, resume())
    expect(body).not.toContain('get_user')
    expect(body).toContain('id: 4\n')
  })
})

describe('a stream whose answer is changed', () => {
  it('ends with an error where the answer never came: without event ids nobody can resume it', async () => {
    for (const chunks of [[], ['id: 1\nretry: 10\ndata:\n\n'], ['data: {"jsonrpc"']]) {
      const { body } = await ask({ 'tools/list': () => sse(chunks) }, post(list))
      expect(body.endsWith('\n\n')).toBe(true)
      expect(messages(body.slice(body.lastIndexOf('data: ')))).toMatchObject([{ id: 7, error: { code: -32603 } }])
    }
  })

  it('that never answers ends in time', async () => {
    const silent = () =>
      new Response(new ReadableStream({ start: (controller) => controller.enqueue(utf8(': here\n\ndata: {"js')) }), {
        headers: { 'content-type': 'text/event-stream' },
      })
    const { body } = await ask({ 'tools/list': silent }, post(list), { timeoutMs: 50 })
    expect(body.startsWith(': here\n\n')).toBe(true)
    expect(messages(body)).toMatchObject([{ id: 7, error: { code: -32603 } }])
  })

  it('once answered, may go on for longer', async () => {
    const slow = (id: string) =>
      new Response(
        new ReadableStream({
          async start(controller) {
            controller.enqueue(utf8(`data: ${rpcResult(id, LIST)}\n\n`))
            await new Promise((resolve) => setTimeout(resolve, 120))
            controller.enqueue(utf8(': still here\n\n'))
            controller.close()
          },
        }),
        { headers: { 'content-type': 'text/event-stream' } },
      )
    const { body } = await ask({ 'tools/list': slow }, post(list), { timeoutMs: 30 })
    expect(body).toContain(': still here')
    expect(messages(body)).toMatchObject([{ id: 7, result: {} }])
  })

  it('that sends too large an event says so, behind what came before it', async () => {
    const chunk = `: first\n\ndata: ${'x'.repeat(2000)}\n\n`
    const { body } = await ask({ 'tools/list': () => sse([chunk]) }, post(list), { limits: { maxTotalBytes: 1000 } })
    expect(body.startsWith(': first\n\n')).toBe(true)
    expect(messages(body)).toMatchObject([{ id: 7, error: { code: -32603 } }])
  })

  it('a call that pauses keeps its ids, and nothing is added', async () => {
    const call = '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"a"}}'
    const { body } = await ask({ 'tools/call': () => sse(['id: 1\nretry: 10\ndata:\n\n']) }, post(call))
    expect(body).toBe('id: 1\nretry: 10\ndata:\n\n')
  })

  const firstPage = (id: string) => sse([`data: ${rpcResult(id, LIST.replace('{', '{"nextCursor":"2",'))}\n\n`])
  const paged = (later: (id: string) => Response): Answers => ({
    'tools/list': (id, { body }) => (body.includes('cursor') ? later(id) : firstPage(id)),
  })
  it.each([
    ['its JSON-RPC error', (id: string) => `{"jsonrpc":"2.0","id":${id},"error":{"code":-5,"message":"expired"}}`, -5],
    ['no JSON', () => '<html>secret</html>', -32603],
  ] as const)('says that a further page was refused: %s', async (_name, refusal, code) => {
    const { body } = await ask(
      paged((id) => json(refusal(id), { status: 403 })),
      post(list),
      { pin: ['*'] },
    )
    expect(messages(body)).toMatchObject([{ id: 7, error: { code } }])
    expect(body).not.toContain('secret')
  })

  it('shows no text of errors nobody foresaw', async () => {
    const later = () => {
      const response = json('{}')
      Object.defineProperty(response, 'status', {
        get() {
          throw new Error('secret')
        },
      })
      return response
    }
    const { body } = await ask(paged(later), post(list), { pin: ['*'] })
    expect(messages(body)).toMatchObject([{ id: 7, error: { code: -32603 } }])
    expect(body).not.toContain('secret')
  })
})

describe('BC-207: what nobody reads is not fetched', () => {
  const call = '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"a"}}'
  it.each([
    ['a stream of the server', () => new Request('http://127.0.0.1/mcp')],
    ['a call', () => post(call)],
    ['a list', () => post(list)],
  ])('%s', async (_name, request) => {
    let pulled = 0
    let cancelled = 0
    const endless = () =>
      new Response(
        new ReadableStream(
          {
            pull(controller) {
              const event = utf8(`data: "${'x'.repeat(1000)}"\n\n`)
              pulled += event.length
              controller.enqueue(event)
            },
            cancel() {
              cancelled++
            },
          },
          { highWaterMark: 0 },
        ),
        { headers: { 'content-type': 'text/event-stream' } },
      )
    const response = await createDisclosureProxy({ upstream: async () => endless() }).fetch(request())
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    const first = await reader.read()
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(pulled - (first.value?.length ?? 0)).toBeLessThanOrEqual(65_536)
    await reader.cancel()
    await expect.poll(() => cancelled, { timeout: 1000 }).toBe(1)
  })
})

describe('a line that goes', () => {
  it.each([
    ['between CR and LF', 'data: a\rid: 1\n\ndata: b\n\n', withoutIds, ['a', 'b']],
    ['between CR and a blank CR LF', 'data: a\rretry: 1\r\n\r\ndata: b\n\n', withoutIds, ['a', 'b']],
    [
      'as data that is replaced',
      'data: a\nevent: message\rdata: b\n\ndata: c\n\n',
      (event: Uint8Array) => withData(event, utf8('x')),
      ['x', 'x'],
    ],
  ] as const)('%s takes no other line end with it', (_name, text, change, expected) => {
    const events = (bytes: Uint8Array) => [...new EventSplitter(1000).push(bytes)]
    const changed = events(utf8(text)).map((event) => change(event))
    const joined = new Uint8Array(changed.flatMap((event) => [...event]))
    expect(
      events(joined).flatMap((event) => {
        const data = messageData(event)
        return data === undefined ? [] : [new TextDecoder().decode(data)]
      }),
    ).toEqual(expected)
  })
})

it('an answer to another id is no answer: the stream says so at its end', async () => {
  const { body } = await ask({ 'tools/list': () => sse([`data: ${rpcResult('8', LIST)}\n\n`]) }, post(list))
  expect(body).not.toContain('get_user')
  expect(messages(body).at(-1)).toMatchObject({ id: 7, error: { code: -32603 } })
})
