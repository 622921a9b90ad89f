import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { interposeStdio, ProxyError } from '../../src/proxy/index.ts'
import { call, INIT, INITIALIZE, LIST, list, result, TOOL, wire } from './fake.ts'

const parse = (line: string) => JSON.parse(line)
const names = (line: string): string[] => parse(line).result.tools.map(({ name }: { name: string }) => name)
const NEED = '{"query":"fetch user"}'
const TARGET = '{"name":"get_user","arguments":{"n":1.0,"big":12345678901234567890}}'
const DONE = '{"content":[{"type":"text","text":"done"}],"n":1.0}'

describe('the table over stdio', () => {
  it('announces, lists short, and passes everything else byte for byte', async () => {
    const raw =
      '{"jsonrpc": "2.0",  "id":"a\\/b", "method":"custom/echo","params":{"n":1.0,"big":12345678901234567890}}'
    const back = '{"id":"a\\/b","result":{"n":1.0,"big":12345678901234567890,"é":"\\u00e9"}  ,"jsonrpc":"2.0"}'
    const initialized = '{"jsonrpc":"2.0","method":"notifications/initialized"}'
    const { send, until, atServer, atClient, leave, done } = wire({ 'custom/echo': () => back })
    await send(INITIALIZE, initialized, list(1), raw)
    const { result: announced } = parse(await until('"id":0'))
    expect(announced.capabilities.resources).toEqual({})
    expect(announced.instructions).toContain('search_tools')
    expect(names(await until('"id":1'))).toContain('search_tools')
    expect(names(await until('"id":1'))).not.toContain('get_user')
    await until('"n":1.0,"big"')
    expect(atClient).toContain(back)
    expect(atServer.slice(0, 2)).toEqual([INITIALIZE, initialized])
    expect(atServer).toContain(raw)
    await leave()
    await done
  })

  it('searches, reads manifest and fragments, and calls; numbers keep their text', async () => {
    const { send, until, atServer } = wire({ 'tools/call': DONE })
    await send(INITIALIZE, call('"s"', 'search_tools', NEED))
    const found = parse(await until('"id":"s"')).result.structuredContent.result[0]
    expect(found.name).toBe('get_user')
    await send(
      `{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"${found.manifest.manifest_uri}"}}`,
      `{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"${found.manifest.fragment_uri_template.replace('{index}', '0')}"}}`,
      '{"jsonrpc":"2.0","id":4,"method":"resources/templates/list"}',
    )
    expect(parse(parse(await until('"id":2')).result.contents[0].text)).toEqual(found.manifest)
    const { text } = parse(parse(await until('"id":3')).result.contents[0].text)
    expect(text).toContain('"default":1.0,"maximum":18446744073709551615')
    expect(createHash('sha256').update(text).digest('hex')).toBe(found.manifest.schema_sha256)
    expect(parse(await until('"id":4')).result.resourceTemplates.length).toBe(2)
    await send(call('12345678901234567890', 'call_tool', TARGET))
    expect(await until('"done"')).toBe(result('12345678901234567890', DONE))
    expect(atServer.at(-1)).toBe(call('12345678901234567890', 'get_user', '{"n":1.0,"big":12345678901234567890}'))
  })

  it('the modern era carries its version in the message; no header is missed', async () => {
    const meta =
      '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}'
    const { send, until, atServer } = wire({
      'tools/list': `{"resultType":"complete",${LIST.slice(1, -1)},"ttlMs":5,"cacheScope":"private"}`,
      'tools/call': `{"resultType":"complete",${DONE.slice(1)}`,
    })
    const modern = (id: number, method: string, members: string) =>
      `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":{${members}${meta}}}`
    await send(
      modern(1, 'tools/list', ''),
      modern(2, 'tools/call', `"name":"search_tools","arguments":${NEED},`),
      modern(3, 'tools/call', `"name":"call_tool","arguments":${TARGET},`),
      modern(4, 'completion/complete', '"ref":{"type":"ref/resource","uri":"x"},"argument":{"name":"a","value":""},'),
    )
    expect(names(await until('"id":1'))).not.toContain('get_user')
    expect(parse(await until('"id":2')).result).toMatchObject({ resultType: 'complete' })
    expect(await until('"id":3')).toContain('"n":1.0')
    expect(await until('"id":4')).toContain('-32601')
    expect(atServer.filter((line) => line.includes('~sd:')).every((line) => line.includes('2026-07-28'))).toBe(true)
  })

  it('lists as the negotiated revision has it', async () => {
    const { send, until } = wire({ initialize: INIT.replace('2025-11-25', '2025-03-26') })
    await send(INITIALIZE, list(1))
    expect(await until('"id":1')).not.toContain('outputSchema')
    const newer = wire()
    await newer.send(INITIALIZE, list(1))
    expect(await newer.until('"id":1')).toContain('outputSchema')
  })

  const MODERN =
    '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}'
  it.each([
    ['legacy', '"x":0'],
    ['modern', MODERN],
  ])('REQ-P-22: a list that has changed closes the read window, %s', async (era, meta) => {
    let tool = TOOL
    const { send, say, until, atServer } = wire(
      { 'tools/list': (id) => result(id, `{"tools":[${tool}]}`) },
      { readWindowMs: 10_000 },
    )
    const ask = (id: number, method: string, members: string) =>
      send(`{"jsonrpc":"2.0","id":${id},"method":"${method}","params":{${members},${meta}}}`)
    if (era === 'legacy') await send(INITIALIZE)
    await ask(1, 'tools/call', `"name":"search_tools","arguments":${NEED}`)
    const uri = parse(await until('"id":1')).result.structuredContent.result[0].manifest.manifest_uri
    const listings = () => atServer.filter((line) => line.includes('tools/list')).length
    await ask(2, 'resources/read', `"uri":"${uri}"`)
    await until('"id":2')
    expect(listings()).toBe(1)
    tool = TOOL.replace('integer', 'string')
    await say('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n')
    await until('list_changed')
    await ask(3, 'resources/read', `"uri":"${uri}"`)
    expect(await until('"id":3')).toContain(era === 'legacy' ? '-32002' : '-32602')
    expect(listings()).toBe(2)
  })

  it('a client of both eras may speak both on one connection', async () => {
    const { send, until } = wire({
      'server/discover': (id) => result(id, '{"capabilities":{"tools":{}},"serverInfo":{}}'),
    })
    await send(`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{${MODERN}}}`)
    expect(await until('"id":1')).toContain('dev.mcp-schema-disclosure/v1')
    await send(INITIALIZE)
    await until('"id":0')
    await send(list(2), `{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{${MODERN}}}`)
    for (const id of [2, 3]) expect(names(await until(`"id":${id}`))).not.toContain('get_user')
  })

  it('a server that agrees on a modern revision in initialize gets no list past', async () => {
    const { send, until } = wire({ initialize: INIT.replace('2025-11-25', '2026-07-28') })
    await send(INITIALIZE)
    await until('"id":0')
    await send(list(1))
    expect(names(await until('"id":1'))).not.toContain('get_user')
  })

  it('a name that occurs twice is refused, and the server never sees it', async () => {
    const { send, until, atServer } = wire()
    await send('{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"tools/call"}')
    expect(await until('-32600')).toContain('"error"')
    expect(atServer).toEqual([])
  })

  it('refuses settings by name', async () => {
    const nothing = () => ({ readable: new Blob([]).stream(), writable: new WritableStream<Uint8Array>() })
    for (const settings of [{ maxMessageBytes: 0 }, { searchTool: 'a b' }]) {
      const error = await interposeStdio(nothing(), nothing(), settings).catch((error) => error)
      expect(ProxyError.is(error) && error.data.setting).toBe(Object.keys(settings)[0])
    }
  })
})

describe('whose answer it is', () => {
  it('REQ-P-14, REQ-P-15: 200 requests at once whose ids look alike, answered in any order', async () => {
    const late = (text: string): Promise<string> =>
      new Promise((resolve) => setTimeout(() => resolve(text), Math.random() * 30))
    const numberIn = (line: string) => /"n":(\d+)/.exec(line)?.[1]
    const { send, say, until, atClient } = wire({
      'tools/list': (id) => late(result(id, LIST)),
      'tools/call': (id, line) => late(result(id, `{"content":[],"for":${numberIn(line)}}`)),
      'custom/raw': (id, line) => late(result(id, `{"for":${numberIn(line)}}`)),
    })
    await send(INITIALIZE)
    const asked = Array.from({ length: 200 }, (_, n) => {
      const ids = [`${n + 1}`, `"${n}"`, `90071992547409${n + 90}`, `"~sd:${n}"`]
      const id = ids[n % 4] as string
      const lines = [
        call(id, 'search_tools', NEED),
        call(id, 'call_tool', `{"name":"get_user","arguments":{"n":${n}}}`),
        `{"jsonrpc":"2.0","id":${id},"method":"custom/raw","params":{"n":${n}}}`,
      ]
      return { id, n, kind: n % 3, line: lines[n % 3] as string }
    })
    await send(...asked.map(({ line }) => line))
    for (const { id } of asked) await say(`{"jsonrpc":"2.0","id":${id},"method":"roots/list"}\n`)
    for (const { id, n, kind } of asked) {
      await until(`"id":${id},"result"`)
      const answers = atClient.filter((line) => line.includes(`"id":${id},`) && !line.includes('"method"'))
      expect(answers.length).toBe(1)
      if (kind === 0) expect(parse(answers[0] as string).result.structuredContent.result[0].name).toBe('get_user')
      else expect(parse(answers[0] as string).result.for).toBe(n)
    }
    expect(atClient.filter((line) => line.includes('roots/list')).length).toBe(200)
    expect(atClient.length).toBe(401)
  })

  it('REQ-P-14: of two ids that one double stands for each gets its own answer, from a server that reads them exactly', async () => {
    const { send, say, until, atClient } = wire({ ping: () => undefined, 'tools/list': () => undefined })
    const [passed, own] = ['9007199254740993', '9007199254740992']
    await send(`{"jsonrpc":"2.0","id":${passed},"method":"ping"}`, list(own))
    await until('tools/list', 'atServer')
    await send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9007199254740994}}`)
    await say(`${result(passed, '{"pong":true}')}\n${result(own, LIST)}\n`)
    expect(await until(`"id":${own}`)).toContain('search_tools')
    expect(atClient.filter((line) => line.includes(`"id":${passed}`))).toEqual([result(passed, '{"pong":true}')])
  })

  it('REQ-P-14: a server that reads numbers as doubles is understood, whether its answer is changed or passes', async () => {
    const lossy = (text: string) => (id: string) => result(String(Number(id)), text)
    const { send, until, atClient } = wire({ 'tools/list': lossy(LIST), 'custom/raw': lossy('{"raw":1}') })
    await send(list('9007199254740993'))
    expect(names(await until('"tools"'))).toContain('search_tools')
    expect(atClient[0]).toContain('"id":9007199254740993')
    await send('{"jsonrpc":"2.0","id":9007199254740995,"method":"custom/raw"}')
    expect(await until('"raw"')).toBe(result('9007199254740996', '{"raw":1}'))
    // It was answered: its id is free, for an intercepted request too.
    await send(list('9007199254740995'))
    expect(await until('"id":9007199254740995')).toContain('search_tools')
  })

  it('a second answer, and one to what the server was never asked, do not reach the client', async () => {
    const { send, say, until, atClient } = wire({
      'tools/list': (id) => (id.startsWith('"~') ? undefined : result(id, LIST)),
    })
    await send(list(1), call(2, 'search_tools', NEED))
    await until('"id":1')
    await until('~sd:', 'atServer')
    await say(`${result('1', LIST)}\n${result('2', LIST)}\n${result('null', '{"last":1}')}\n`)
    await until('"last"')
    expect(atClient.map((line) => parse(line).id)).toEqual([1, null])
  })

  it('an id of a request under way is not taken twice; text, number and the server’s own ids are different ones', async () => {
    const held: string[] = []
    const { send, say, until, atClient } = wire({
      'tools/call': (id) => void held.push(id),
      'custom/raw': (id) => void held.push(id),
    })
    await send(INITIALIZE, call(7, 'call_tool', TARGET))
    await until('"id":0')
    await expect.poll(() => held).toEqual(['7'])
    await send(
      call('"7"', 'call_tool', TARGET),
      call('7.0', 'call_tool', TARGET),
      '{"jsonrpc":"2.0","id":7,"method":"custom/raw"}',
    )
    await expect.poll(() => held).toEqual(['7', '"7"'])
    await expect.poll(() => atClient.filter((line) => line.includes('"id":null')).length).toBe(2)
    await say('{"jsonrpc":"2.0","id":7,"method":"roots/list"}\n')
    await say(`${result('"7"', '{"text":1}')}\n${result('7', '{"number":1}')}\n`)
    expect(await until('"number"')).toBe(result('7', '{"number":1}'))
    expect(await until('"text"')).toBe(result('"7"', '{"text":1}'))
    expect(await until('roots/list')).toContain('"id":7')
    // Once answered the id is free.
    await send(call(7, 'call_tool', TARGET))
    await expect.poll(() => held).toEqual(['7', '"7"', '7'])
  })

  it('an id that looks like the engine’s own stays the client’s, and answers nobody asked for pass', async () => {
    const { send, say, until, atClient } = wire({ 'custom/raw': '{"raw":1}' })
    await send(INITIALIZE, '{"jsonrpc":"2.0","id":"x~sd:1","method":"custom/raw"}')
    expect(await until('"raw"')).toContain('"x~sd:1"')
    await say(`${result('99', '{"stray":1}')}\n${result('"~sd:none"', LIST)}\n${result('100', '{"stray":2}')}\n`)
    await until('"stray":2')
    expect(atClient.some((line) => line.includes('get_user'))).toBe(false)
  })

  it('what the server asks during a call goes to the client, and its answer back', async () => {
    const { send, say, until } = wire({ 'tools/call': () => undefined })
    await send(INITIALIZE, call(5, 'call_tool', TARGET))
    await until('"get_user"', 'atServer')
    const ask = '{"jsonrpc":"2.0","id":5,"method":"elicitation/create","params":{"n":1.0}}'
    const progress = '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":5,"progress":1.0}}'
    await say(`${progress}\n${ask}\n`)
    expect(await until('elicitation')).toBe(ask)
    expect(await until('progressToken')).toBe(progress)
    await send('{"jsonrpc":"2.0","id":5,"result":{"action":"accept"}}')
    await until('"accept"', 'atServer')
    await say(`${result('5', DONE)}\n`)
    expect(await until('"done"')).toBe(result('5', DONE))
  })

  it('REQ-P-40: of a batch what is looked at is answered alone, and the rest goes on together', async () => {
    const { send, until, atServer, atClient } = wire({ initialize: INIT.replace('2025-11-25', '2025-03-26') })
    await send(INITIALIZE)
    await until('"id":0')
    const note = '{"jsonrpc":"2.0","method":"notifications/message","params":{"n":1.0}}'
    const plain = call('"p"', 'get_user', '{"n":1.0}')
    await send(`[${list(1)}, ${note} ,${call(2, 'search_tools', NEED)},${plain}]`)
    expect(names(await until('"id":1'))).not.toContain('get_user')
    expect(await until('"id":2')).toContain('get_user')
    // The server in this test reads a batch as one message, and answers it.
    expect(await until('"id":"p"')).toContain('-32601')
    expect(atServer).toContain(`[${note},${plain}]`)
    await send(`[${list(3)},${list(3)}]`, `[${list(4)},{"jsonrpc":"2.0","id":4,"method":"ping"}]`)
    await expect.poll(() => atClient.filter((line) => line.includes('"id":null')).length).toBe(2)
    // What passes as a whole is not told apart.
    const alone = `[${note} , {"jsonrpc":"2.0","id":5,"method":"custom/raw"}]`
    await send(alone)
    await until('custom/raw', 'atServer')
    expect(atServer.at(-1)).toBe(alone)
  })

  it('a batch in a revision that has none is refused where it would be looked at', async () => {
    const { send, until, atServer } = wire()
    await send(INITIALIZE)
    await until('"id":0')
    await send(`[${list(1)}]`)
    expect(await until('"id":null')).toContain('no batches')
    expect(atServer.length).toBe(1)
  })

  it('answers in a batch find their way too', async () => {
    const { send, say, until, atClient } = wire({ 'tools/list': () => undefined, 'custom/raw': () => undefined })
    await send(
      list(1),
      '[{"jsonrpc":"2.0","id":2,"method":"custom/raw"},{"jsonrpc":"2.0","id":3,"method":"custom/raw"}]',
    )
    await until('custom/raw', 'atServer')
    await say(`[${result('1', LIST)},${result('2', '{"a":1.0}')}]\n[${result('3', '{}')}]\n`)
    expect(names(await until('"id":1'))).not.toContain('get_user')
    expect(await until('"id":2')).toBe(result('2', '{"a":1.0}'))
    expect(await until('"id":3')).toBe(`[${result('3', '{}')}]`)
    expect(atClient.some((line) => line.includes('"get_user"'))).toBe(false)
  })
})

describe('cancelling', () => {
  it('ends what is under way, is passed on, and a late answer goes nowhere', async () => {
    const late: string[] = []
    const { send, say, until, atServer, atClient } = wire({
      'tools/list': (id) => void late.push(id),
      'custom/raw': '{}',
    })
    const cancel = (id: string) =>
      `{"jsonrpc":"2.0","method":"notifications\\/cancelled","params":{"requestId":${id},"reason":"x"}}`
    await send(INITIALIZE, call(1, 'search_tools', NEED), list('"two"'))
    await expect.poll(() => late.length).toBe(2)
    await send(cancel('1'), cancel('"two"'))
    await expect.poll(() => atServer.filter((line) => line.includes('cancelled')).length).toBe(3)
    expect(atServer).toContain(cancel('1'))
    const nested = late.find((id) => id.startsWith('"~sd:'))
    expect(atServer.some((line) => line.includes(`"requestId":${nested}`))).toBe(true)
    for (const id of late) await say(`${result(id, LIST)}\n`)
    await send('{"jsonrpc":"2.0","id":9,"method":"custom/raw"}')
    await until('"id":9')
    expect(atClient.map((line) => parse(line).id)).toEqual([0, 9])
  })
})

describe('ends', () => {
  it('a server that ends: what waits is answered with −32603, and the client’s stream closes', async () => {
    const { send, until, die, done, atClient } = wire({ 'tools/call': () => undefined, 'tools/list': () => undefined })
    await send(INITIALIZE, call(1, 'search_tools', NEED), list(2))
    await until('"id":2', 'atServer')
    await die()
    await done
    for (const id of [1, 2]) expect(parse(await until(`"id":${id}`)).error.code).toBe(-32603)
    expect(atClient.length).toBe(3)
  })

  it('a client that ends its input still gets what it asked for', async () => {
    const { send, leave, done, atClient } = wire({ 'tools/call': DONE })
    await send(INITIALIZE, call(1, 'search_tools', NEED), call(2, 'call_tool', TARGET))
    await leave()
    await done
    expect(atClient.map((line) => parse(line).id).sort()).toEqual([0, 1, 2])
  })

  it('a client that leaves while a call hangs does not keep the server', async () => {
    const { send, until, leave, done } = wire({ 'tools/call': () => undefined })
    await send(INITIALIZE, call(1, 'call_tool', TARGET))
    await until('"get_user"', 'atServer')
    const start = performance.now()
    await leave()
    await done
    expect(performance.now() - start).toBeLessThan(3000)
  })

  it('a client that takes nothing any more ends the server’s input', async () => {
    const input = new TransformStream<Uint8Array, Uint8Array>()
    const output = new TransformStream<Uint8Array, Uint8Array>()
    const fromServer = new TransformStream<Uint8Array, Uint8Array>()
    let isClosed = false
    const writable = new WritableStream<Uint8Array>({
      close: () => {
        isClosed = true
        void fromServer.writable.close()
      },
    })
    const done = interposeStdio(
      { readable: input.readable, writable: output.writable },
      { readable: fromServer.readable, writable },
    )
    await output.readable.cancel()
    await done
    expect(isClosed).toBe(true)
  })

  it('a signal ends both sides', async () => {
    const stop = new AbortController()
    const { send, until, done } = wire({ 'tools/call': () => undefined }, { signal: stop.signal })
    await send(INITIALIZE, call(1, 'call_tool', TARGET))
    await until('"get_user"', 'atServer')
    stop.abort(new Error('enough'))
    await expect(done).rejects.toThrow('enough')
    await expect(wire({}, { signal: stop.signal }).done).rejects.toThrow('enough')
  })
})
