import { readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** One event each 20 ms for ever; what is open. */
const open = new Set<ServerResponse>()
const upstream = createServer((request, response) => {
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    open.add(response)
    let sent = 0
    const timer = setInterval(
      () => response.write(`data: {"method":"x","at":${Date.now()},"number":${sent++}}\n\n`),
      20,
    )
    response.on('close', () => {
      clearInterval(timer)
      open.delete(response)
    })
  })
})

/** Judges an answer of a tool by its output schema, in workerd. */
const JUDGE = `
import { jsonSchemaValidator, loadPatternEngine } from '../../src/validation/index.ts'
export default {
  async fetch(request) {
    const { schema, values } = await request.json()
    const compiled = jsonSchemaValidator({ patternEngine: await loadPatternEngine() }).compile(schema)
    return Response.json(values.map((value) => compiled.validate(value).issues === undefined))
  },
}`

let workers: Miniflare
let proxy: URL

beforeAll(async () => {
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
  const { port } = upstream.address() as AddressInfo
  const { outputFiles } = await build({
    stdin: { contents: JUDGE, resolveDir: `${root}test/bundle` },
    bundle: true,
    format: 'esm',
    write: false,
    logLevel: 'error',
  })
  const compatibilityDate = '2026-07-01'
  const index = readFileSync(`${root}dist/worker/index.js`, 'utf8')
  workers = new Miniflare(
    convertV4MiniflareOptions({
      cf: false,
      handleRuntimeStdio: (stdout: { resume(): void }, stderr: { resume(): void }) => {
        stdout.resume()
        stderr.resume()
      },
      workers: [
        {
          name: 'proxy',
          compatibilityDate,
          modules: [{ type: 'ESModule', path: 'index.js', contents: index }],
          bindings: { UPSTREAM_URL: `http://127.0.0.1:${port}/mcp` },
        },
        {
          name: 'judge',
          compatibilityDate,
          modules: [{ type: 'ESModule', path: 'judge.js', contents: outputFiles[0]?.text as string }],
        },
      ],
    }),
  )
  proxy = new URL('/mcp', await workers.ready)
}, 60_000)

afterAll(async () => {
  await workers?.dispose()
  upstream.closeAllConnections()
  upstream.close()
})

const rpc = (method: string, params: object = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
})

/** Every way a stream takes through the proxy: passed on as bytes, by events, and with its answer changed. */
const STREAMS: readonly (readonly [string, RequestInit])[] = [
  ['a stream of the server', { headers: { accept: 'text/event-stream' } }],
  ['a call', rpc('tools/call', { name: 'any' })],
  ['a list', rpc('tools/list')],
  ['what is said before an answer', rpc('tools/call', { name: 'search_tools', arguments: { query: 'x' } })],
]

/** The events of a stream, as they come. */
async function* events(body: ReadableStream<Uint8Array>): AsyncGenerator<{ at: number; number: number }> {
  let text = ''
  for await (const chunk of body.pipeThrough(new TextDecoderStream() as never) as unknown as AsyncIterable<string>) {
    text += chunk
    const parts = text.split('\n\n')
    text = parts.pop() as string
    for (const part of parts) yield JSON.parse(part.replace('data: ', ''))
  }
}

describe('the built Worker in real workerd', () => {
  it.each(STREAMS)(
    'BC-205, BC-206: a client that leaves after the first event ends the upstream’s too: %s',
    async (_name, init) => {
      for (const leave of ['signal', 'cancel'] as const) {
        const controller = new AbortController()
        const { body } = await fetch(proxy, { ...init, signal: controller.signal })
        const reader = (body as ReadableStream<Uint8Array>).getReader()
        await reader.read()
        expect(open.size).toBe(1)
        if (leave === 'signal') controller.abort()
        else await reader.cancel()
        await expect.poll(() => open.size, { timeout: 2000, interval: 20 }).toBe(0)
      }
    },
  )

  it.each(STREAMS)('BC-207: events are passed on at once, in order and whole: %s', async (_name, init) => {
    const controller = new AbortController()
    const { body } = await fetch(proxy, { ...init, signal: controller.signal })
    const delays: number[] = []
    for await (const { at, number } of events(body as ReadableStream<Uint8Array>)) {
      expect(number).toBe(delays.length)
      delays.push(Date.now() - at)
      if (delays.length === 40) break
    }
    // The median: other work on the machine may hold up one event.
    expect(delays.toSorted((left, right) => left - right)[20]).toBeLessThan(100)
    controller.abort()
    await expect.poll(() => open.size, { timeout: 2000, interval: 20 }).toBe(0)
  })

  it('BC-204, R-C-03: answers are judged where code may not be made of strings', async () => {
    const judge = (await workers.getWorker('judge')) as unknown as {
      fetch(url: string, init: RequestInit): Promise<Response>
    }
    const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }
    const body = JSON.stringify({ schema, values: [{ n: 1 }, {}, { n: '1' }] })
    expect(await (await judge.fetch('http://judge/', { method: 'POST', body })).json()).toEqual([true, false, false])
  })
})
