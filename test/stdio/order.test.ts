import { describe, expect, it, vi } from 'vitest'
import { interposeStdio } from '../../src/proxy/index.ts'
import { call, INITIALIZE, LIST, list, result, wire } from './fake.ts'

const encode = (text: string) => new TextEncoder().encode(text)
const note = (n: number) => `{"jsonrpc":"2.0","method":"notifications/message","params":{"n":${n}}}`
const NEED = '{"query":"fetch user"}'

describe('the order of lines', () => {
  it('to the server: what is looked at does not fall behind what passes', async () => {
    const { send, until, atServer } = wire(
      { 'tools/list': () => undefined, 'tools/call': () => undefined },
      { guard: 'none' },
    )
    const target = '{"name":"get_user","arguments":{}}'
    const lines = Array.from({ length: 40 }, (_, index) => index + 1).flatMap((n) => [
      list(n * 10),
      note(n),
      call(n * 10 + 1, 'get_user', '{}'),
      `{"jsonrpc":"2.0","id":${n * 10 + 2},"method":"resources/list"}`,
      call(n * 10 + 3, 'call_tool', target),
    ])
    await send(INITIALIZE)
    await until('"id":0')
    await send(...lines, note(100))
    await until('"n":100', 'atServer')
    expect(atServer.slice(1, -1)).toEqual(
      lines.map((line) =>
        line.replace(
          '"name":"call_tool","arguments":{"name":"get_user","arguments":{}}',
          '"name":"get_user","arguments":{}',
        ),
      ),
    )
  })

  it('to the client: an answer that is changed comes before what the server says behind it', async () => {
    const { send, say, until, atClient } = wire(
      { 'tools/list': () => undefined, 'tools/call': () => undefined },
      { guard: 'none' },
    )
    const ids = Array.from({ length: 40 }, (_, id) => id)
    await send(...ids.map((id) => (id % 2 === 0 ? list(id) : call(id, 'call_tool', '{"name":"get_user"}'))))
    await until('"id":39', 'atServer')
    await say(ids.map((id) => `${result(String(id), LIST)}\n${note(id)}\n`).join(''))
    await until('"n":39')
    const seen = atClient
      .map((line) => JSON.parse(line))
      .map(({ id, params }) => (id === undefined ? `n${params.n}` : id))
    expect(seen).toEqual(ids.flatMap((id) => [id, `n${id}`]))
  })

  it('a search that waits is overtaken, by a cancellation too', async () => {
    const { send, until, atServer, atClient } = wire({ 'tools/list': () => undefined, 'custom/raw': '{}' })
    await send(INITIALIZE)
    await until('"id":0')
    await send(
      call(1, 'search_tools', NEED),
      '{"jsonrpc":"2.0","id":2,"method":"custom/raw"}',
      '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}',
    )
    await until('"id":2')
    await until('"requestId":1', 'atServer')
    await until('"requestId":"~sd:', 'atServer')
    expect(atServer.length).toBe(5)
    expect(atClient.length).toBe(2)
  })

  it('an answer that is not in time is cancelled at the server, but never initialize', async () => {
    const { send, until, atServer } = wire(
      { 'tools/list': () => undefined, initialize: () => undefined },
      { timeoutMs: 50 },
    )
    await send(INITIALIZE)
    expect(await until('"id":0')).toContain('no answer within 50 ms')
    await send(list(1))
    expect(await until('"id":1')).toContain('-32603')
    await until('"requestId":1', 'atServer')
    expect(atServer.filter((line) => line.includes('cancelled')).length).toBe(1)
  })
})

describe('a side that does not read', () => {
  it('a server: no more is taken from the client than a few lines and what is read ahead, whether they pass or are looked at', async () => {
    for (const line of [note(1), list(1)]) {
      const up = new TransformStream<Uint8Array, Uint8Array>()
      const stop = new AbortController()
      const done = interposeStdio(
        { readable: up.readable, writable: new WritableStream() },
        { readable: new ReadableStream(), writable: new WritableStream({ write: () => new Promise(() => {}) }) },
        { signal: stop.signal },
      )
      const writer = up.writable.getWriter()
      writer.closed.catch(() => {})
      let taken = 0
      for (let n = 0; n < 20; n++) {
        writer.write(encode(`${line.replace('"id":1', `"id":${n}`)}${' '.repeat(400_000)}\n`)).then(
          () => taken++,
          () => {},
        )
      }
      await new Promise((resolve) => setTimeout(resolve, 50))
      expect(taken).toBeLessThan(8)
      stop.abort(new Error('enough'))
      await expect(done).rejects.toThrow('enough')
    }
  })

  it('a server that takes nothing of a client that has left is left, too', async () => {
    vi.useFakeTimers()
    try {
      let endServer = (): void => {}
      const server = {
        readable: new ReadableStream<Uint8Array>({
          start: (controller) => {
            endServer = () => controller.close()
          },
        }),
        writable: new WritableStream<Uint8Array>({ write: () => new Promise(() => {}) }),
      }
      const lines = `${note(1)}\n${note(2)}\n${note(3)}\n`
      let ended: string | undefined
      const client = { readable: new Blob([lines]).stream(), writable: new WritableStream() }
      void interposeStdio(client, server).then((first) => {
        ended = first
      })
      await vi.advanceTimersByTimeAsync(7_500)
      // Before the server ends, the client's side has.
      endServer()
      await vi.advanceTimersByTimeAsync(100)
      expect(ended).toBe('client')
    } finally {
      vi.useRealTimers()
    }
  })

  it('a client: the server is not read ahead of it', async () => {
    const down = new TransformStream<Uint8Array, Uint8Array>()
    const stop = new AbortController()
    const done = interposeStdio(
      { readable: new ReadableStream(), writable: new WritableStream({ write: () => new Promise(() => {}) }) },
      { readable: down.readable, writable: new WritableStream() },
      { signal: stop.signal },
    )
    const writer = down.writable.getWriter()
    writer.closed.catch(() => {})
    let taken = 0
    for (let n = 0; n < 20; n++) {
      writer.write(encode(`${note(n)}\n`)).then(
        () => taken++,
        () => {},
      )
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(taken).toBeLessThan(5)
    stop.abort(new Error('enough'))
    await expect(done).rejects.toThrow('enough')
  })

  it('a server that answers before it reads on is not blocked by what waits for it', async () => {
    // It takes one line, and the next one only once its answers were taken.
    const answers = new TransformStream<Uint8Array, Uint8Array>()
    const out = answers.writable.getWriter()
    const asked: string[] = []
    const server = new WritableStream<Uint8Array>({
      async write(chunk) {
        const line = new TextDecoder().decode(chunk)
        const id = /"id":("[^"]*"|\d+)/.exec(line)?.[1]
        asked.push(line)
        if (id !== undefined) await out.write(encode(`${result(id, LIST.replace('}]', '}],"nextCursor":"a"'))}\n`))
      },
      close: () => out.close(),
    })
    const seen: string[] = []
    const lines = [INITIALIZE, list(1), list(2), list(3), note(1)].map((line) => `${line}\n`)
    await interposeStdio(
      {
        readable: new Blob(lines).stream(),
        writable: new WritableStream({ write: (chunk) => void seen.push(new TextDecoder().decode(chunk)) }),
      },
      { readable: answers.readable, writable: server },
      { pin: ['get_*'], limits: { maxPages: 3 } },
    )
    expect(seen.length).toBe(4)
    expect(asked.some((line) => line.includes('"cursor"'))).toBe(true)
  })
})
