import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { interposeStdio, type ProxyError } from '../../src/proxy/index.ts'
import { type Line, LineSplitter } from '../../src/proxy/stdio/lines.ts'
import { remainsOf } from '../../src/proxy/stdio/remains.ts'
import { call, INIT, INITIALIZE, LIST, list, result, wire } from './fake.ts'

const encode = (text: string) => new TextEncoder().encode(text)
const show = (line: Line) => (line.kind === 'line' ? new TextDecoder().decode(line.bytes) : line.kind)

function split(maxBytes: number, ...chunks: readonly Uint8Array[]): string[] {
  const splitter = new LineSplitter(maxBytes)
  return [...chunks.flatMap((chunk) => [...splitter.push(chunk)]), ...splitter.end()].map(show)
}

describe('lines', () => {
  it('BC-161: a CR before LF belongs to the line end and not to the size', () => {
    for (const step of [1, 2, 3, 5, 100]) {
      const bytes = encode('12345\r\n123456\n12345\n\n\r\n1\r2\n123456\r\n12')
      const chunks = Array.from({ length: Math.ceil(bytes.length / step) }, (_, at) =>
        bytes.subarray(at * step, (at + 1) * step),
      )
      expect(split(5, ...chunks)).toEqual(['12345', 'too-long', '12345', '1\r2', 'too-long', '12'])
    }
  })

  it('are the same however the bytes are cut, and so are the ends of what is too long', () => {
    const text = fc.stringMatching(/^[a-c\r\n]{0,40}$/)
    fc.assert(
      fc.property(text, fc.array(fc.nat(8), { maxLength: 20 }), (text, cuts) => {
        const bytes = encode(text)
        const chunks: Uint8Array[] = []
        let at = 0
        for (const cut of cuts) {
          chunks.push(bytes.subarray(at, at + cut))
          at += cut
        }
        chunks.push(bytes.subarray(at))
        const expected = text
          .split('\n')
          .map((line, index, all) => (line.endsWith('\r') && index < all.length ? line.slice(0, -1) : line))
          .filter((line) => line !== '')
          .map((line) => (line.length > 6 ? 'too-long' : line))
        expect(split(6, ...chunks)).toEqual(expected)
      }),
      { numRuns: 500 },
    )
    const long = encode(`{"id":1,${'x'.repeat(9000)}"z":2}\r\n`)
    for (const step of [1, 1000, 10_000]) {
      const splitter = new LineSplitter(5000)
      const lines: Line[] = []
      for (let at = 0; at < long.length; at += step) lines.push(...splitter.push(long.subarray(at, at + step)))
      const [line] = lines as [Line & { kind: 'too-long' }]
      expect(new TextDecoder().decode(line.head)).toBe(`{"id":1,${'x'.repeat(4088)}`)
      expect(new TextDecoder().decode(line.tail)).toMatch(/^x{1017}"z":2\}$/)
    }
  })

  it('BC-159: text written one byte at a time, both ways, is not spoiled', async () => {
    const text = '"≥ 漢 😀"'
    const { write, say, until, atServer } = wire({ 'custom/a': () => undefined })
    const ask = `{"jsonrpc":"2.0","id":1,"method":"custom/a","params":{"t":${text}}}`
    for (const byte of encode(`${ask}\r\n`)) await write(Uint8Array.of(byte))
    await until('custom/a', 'atServer')
    expect(atServer).toEqual([ask])
    for (const byte of encode(`${result('1', text)}\r\n`)) await say(Uint8Array.of(byte))
    expect(await until('"id":1')).toBe(result('1', text))
  })

  const odd = [
    '"n":1.0,"big":9007199254740993,"e":1E2,"minus":-0',
    '"twice":{"a":1,"a":2}',
    '"text":"\u2028\u2029\u0085é\\u00e9\\/","half":"\\ud800"',
    '"space" : [ 1 ,\t2 ] ,"empty":{}',
    `"deep":${'['.repeat(500)}${']'.repeat(500)}`,
  ]
  it.each(odd)('pass both ways as they are: %s', async (members) => {
    const lines = [
      `{"jsonrpc":"2.0","method":"custom/notice","params":{${members}}}`,
      `{"params":{${members}},"id":"a\\/b","jsonrpc":"2.0","method":"custom/asks"}`,
      `{"jsonrpc":"2.0","id":7,"result":{${members}}}`,
      `{"error":{"code":-1.0,"message":"","data":{${members}}},"jsonrpc":"2.0","id":"7"}`,
    ]
    const { send, say, until, atServer, atClient } = wire({ 'custom/asks': () => undefined })
    await send(...lines)
    await say(lines.map((line) => `${line}\n`).join(''))
    await until('"error"', 'atServer')
    await until('"error"')
    expect(atServer).toEqual(lines)
    expect(atClient).toEqual(lines)
  })

  it('both directions may be cut at every byte', async () => {
    const ask = encode(`${call(1, 'call_tool', '{"name":"get_user","arguments":{"t":"≥ 😀","n":1.0}}')}\r\n`)
    const answer = encode(`${result('1', '{"content":[],"t":"≥ 😀"}')}\n`)
    for (let at = 1; at < Math.max(ask.length, answer.length); at++) {
      const { write, say, until } = wire({ 'tools/call': () => undefined }, { guard: 'none' })
      await write(ask.subarray(0, at))
      await write(ask.subarray(at))
      expect(await until('get_user', 'atServer')).toBe(call(1, 'get_user', '{"t":"≥ 😀","n":1.0}'))
      await say(answer.subarray(0, at))
      await say(answer.subarray(at))
      expect(await until('"id":1')).toBe(result('1', '{"content":[],"t":"≥ 😀"}'))
    }
  })

  it('the answer to an intercepted request may come in pieces, cut everywhere', async () => {
    const answer = encode(`${result('1', LIST)}\n`)
    for (let at = 1; at < answer.length; at += 7) {
      const { send, say, until } = wire({ 'tools/list': () => undefined })
      await send(list(1))
      await until('tools/list', 'atServer')
      await say(answer.subarray(0, at))
      await say(answer.subarray(at))
      expect(await until('"id":1')).toContain('"x-kept":1.0')
    }
  })
})

describe('what cannot be read', () => {
  const MiB = new Uint8Array(1 << 20).fill(0x61)
  const bound = { maxMessageBytes: 1 << 16 }

  it('a request of 64 MiB is refused with −32600 and its id, and the session goes on', async () => {
    const faults: string[] = []
    const { write, send, until, atServer } = wire({}, { report: (fault) => void faults.push(fault.code) })
    await write('{"method":"tools/call","params":{"name":"x","arguments":{"a":"')
    for (let count = 0; count < 64; count++) await write(MiB)
    await write('"}},"jsonrpc":"2.0","id":41}\n')
    expect(JSON.parse(await until('"id":41')).error.code).toBe(-32600)
    await send(INITIALIZE)
    await until('"id":0')
    expect([faults, atServer]).toEqual([['too-large'], [INITIALIZE]])
  })

  it('an answer of 64 MiB becomes −32603 for whoever waits for it', async () => {
    const { send, say, until } = wire({ 'tools/list': () => undefined, 'custom/a': () => undefined })
    await send(INITIALIZE, list(1), '{"jsonrpc":"2.0","id":"b","method":"custom/a"}')
    await until('custom/a', 'atServer')
    for (const [head, tail] of [
      ['{"result":{"tools":[{"name":"', '"}]},"jsonrpc":"2.0","id":1}\n'],
      ['{"jsonrpc":"2.0","id":"b","result":{"text":"', '"}}\r\n'],
    ] as const) {
      await say(head)
      for (let count = 0; count < 64; count++) await say(MiB)
      await say(tail)
    }
    expect(JSON.parse(await until('"id":1')).error.code).toBe(-32603)
    expect(JSON.parse(await until('"id":"b"')).error.code).toBe(-32603)
  })

  it('the other way round: answers of the client and requests of the server', async () => {
    const { send, say, until, atClient } = wire({}, bound)
    const long = `"${'a'.repeat(1 << 17)}"`
    await say(`{"jsonrpc":"2.0","id":5,"method":"sampling/createMessage","params":{"a":${long}}}\n`)
    expect(JSON.parse(await until('"id":5', 'atServer')).error.code).toBe(-32600)
    await send(`{"jsonrpc":"2.0","id":6,"result":{"a":${long}}}`)
    expect(JSON.parse(await until('"id":6', 'atServer')).error.code).toBe(-32603)
    await say(`{"jsonrpc":"2.0","method":"notifications/message","params":{"a":${long}}}\n`)
    await send(`[${long}]`)
    expect(await until('"id":null')).toContain('-32600')
    expect(atClient.length).toBe(1)
  })

  it('BC-157, BC-158: lines of a server that are no messages are reported and do not pass', async () => {
    const faults: ProxyError[] = []
    const { say, send, until, atClient } = wire({}, { report: (fault) => void faults.push(fault) })
    const noise = [
      'house-tools 1.0.0 ready',
      '2025',
      'null',
      '"Starting"',
      '-',
      '[]',
      '{"level":"info","method":"GET"}',
    ]
    await say(`${noise.join('\n')}\n\n`)
    await say(Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x7d, 0x0a))
    await say(`\u001b[31mred\u202e${'x'.repeat(500)}\n`)
    await send(INITIALIZE)
    await until('"id":0')
    expect(atClient.length).toBe(1)
    expect(faults.map(({ code }) => code)).toEqual(Array.from({ length: 9 }, () => 'malformed'))
    expect(faults.map(({ data }) => data.line).slice(0, 8)).toEqual([...noise, '{"\ufffd"}'])
    expect(faults.at(-1)?.data.line).toBe(`\ufffd[31mred\ufffd${'x'.repeat(191)}…`)
    expect(faults.map(({ message }) => message).join()).not.toContain('house-tools')
  })

  it('BC-157: 1,000 of them in a row end the session with an error, and both sides', async () => {
    let count = 0
    const { say, until, done, atServer } = wire({}, { report: () => void count++ })
    await say(`${'noise\n'.repeat(999)}{"jsonrpc":"2.0","method":"a"}\n${'noise\n'.repeat(999)}`)
    await until('"method":"a"')
    await expect.poll(() => count).toBe(1998)
    await say('one more\n')
    await expect(done).rejects.toMatchObject({ name: 'ProxyError', code: 'malformed' })
    expect(atServer).toEqual([])
  })

  it('an answer that cannot be read is an error where its id can be told', async () => {
    const { say, send, until } = wire({ 'tools/list': () => undefined })
    await send(list(1))
    await until('tools/list', 'atServer')
    await say(`{"jsonrpc":"2.0","id":1,"result":${LIST},"result":{}}\n`)
    expect(JSON.parse(await until('"id":1')).error.code).toBe(-32603)
  })

  it('bytes of the client that are no UTF-8 are refused; text that is no message is the server’s to judge', async () => {
    const { write, until, atServer } = wire()
    await write(Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x7d, 0x0a))
    expect(await until('"id":null')).toContain('-32700')
    await write('what?\n')
    expect(await until('what', 'atServer')).toBe('what?')
    expect(atServer.length).toBe(1)
  })

  it.each([
    ['{"jsonrpc":"2.0","id":1,"method":"a","params":{"x":"', 'zz"}}', 'request', '1'],
    ['{"method":"a","params":{"x":"', 'zz"},"jsonrpc":"2.0","id":"a\\"b"}', 'request', '"a\\"b"'],
    ['{"result":{"x":"', 'zz","id":7}}', 'response', undefined],
    ['{"result":{"x":"', 'zz,\\"id\\":7}"}', 'response', undefined],
    ['{"error":{"x":"', 'zz"}, "id" : -7 } ', 'response', '-7'],
    ['["', '"]', 'unknown', undefined],
    ['{"params":{"x":"', 'zz"},"id":3}', 'unknown', '3'],
  ] as const)('of %s … %s it is told what can be', (head, tail, kind, id) => {
    expect(remainsOf(encode(head), encode(tail))).toMatchObject({ kind, id })
  })

  it('a log that has an id and an error answers nobody', async () => {
    const { say, send, until, atClient } = wire({ 'tools/list': (id) => result(id, LIST), ping: () => undefined })
    await send(INITIALIZE, '{"jsonrpc":"2.0","id":7,"method":"ping"}')
    await until('"ping"', 'atServer')
    await say('{"level":"error","id":7,"error":"disk full"}\n{"id":7,"error":{"code":1},"x":}\n')
    await send(list(8))
    await until('"id":8')
    expect(atClient.filter((line) => line.includes('"id":7'))).toEqual([])
  })

  it.each([
    ['no revision', '"latest"'],
    ['no header', '"2025-11-25\\u0000"'],
    ['no Latin letters', '"日本"'],
    ['half a character', '"\\ud800"'],
    ['a number', '5'],
  ])('a server whose revision is %s is served all the same', async (_name, version) => {
    const { send, until } = wire({ initialize: INIT.replace('"2025-11-25"', version) })
    await send(INITIALIZE)
    await until('"id":0')
    await send(call(1, 'search_tools', '{"query":"user"}'))
    expect(await until('"id":1')).toContain('schema-navigation')
  })

  it('how whoever hears of faults takes it ends nothing', async () => {
    const report = () => {
      throw new Error('no')
    }
    const { say, send, until } = wire({}, { report })
    await say('noise\n')
    await send(INITIALIZE)
    expect(await until('"id":0')).toContain('serverInfo')
  })

  it.each<[string, object]>([
    ['maxMessageBytes', { maxMessageBytes: 0 }],
    ['report', { report: 5 }],
    ['signal', { signal: {} }],
    ['upstream', { upstream: 'https://x.example' }],
    ['publicUrl', { publicUrl: 'https://x.example' }],
    ['forwardHeaders', { forwardHeaders: [] }],
    ['pin', { pin: 'x' }],
    ['guard', { guard: 'arguments' }],
  ])('the setting %s is checked before a stream is locked', async (setting, settings) => {
    const streams = () => new TransformStream<Uint8Array, Uint8Array>()
    const [client, server] = [streams(), streams()]
    const failed = { code: 'settings', data: { setting: setting === 'guard' ? 'validator' : setting } }
    await expect(interposeStdio(client, server, settings as never)).rejects.toMatchObject(failed)
    expect([client, server].flatMap(({ readable, writable }) => [readable.locked, writable.locked])).toEqual(
      Array(4).fill(false),
    )
  })

  it('more than 1,024 requests at once are refused', async () => {
    const { send, until, atClient } = wire({ 'tools/list': () => undefined })
    await send(...Array.from({ length: 1025 }, (_, id) => call(id, 'search_tools', '{"query":"a"}')))
    expect(await until('"id":1024')).toContain('-32603')
    expect(atClient.length).toBe(1)
  })
})
