/**
 * A subscription that says nothing for half a minute is alive at its end, through the library in Node and the built Worker.
 */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createDisclosureProxy } from '../../src/proxy/index.ts'

const IDLE_MS = 30_000
const META =
  '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}'
const ACKNOWLEDGED =
  'data: {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"7"}}}\n\n'
const KEPT_ALIVE = ': still here\n\n'
const CHANGED = 'data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n'

const upstream = createServer((request, response) => {
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(ACKNOWLEDGED)
    setTimeout(() => response.write(KEPT_ALIVE), IDLE_MS / 2)
    setTimeout(() => response.end(CHANGED), IDLE_MS)
  })
})
let workers: Miniflare
let url: string
let worker: URL

beforeAll(async () => {
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/mcp`
  const contents = readFileSync(fileURLToPath(new URL('../../dist/worker/index.js', import.meta.url)), 'utf8')
  workers = new Miniflare(
    convertV4MiniflareOptions({
      cf: false,
      compatibilityDate: '2026-07-01',
      modules: [{ type: 'ESModule', path: 'index.js', contents }],
      bindings: { UPSTREAM_URL: url, READ_WINDOW_MS: '1000' },
    }),
  )
  worker = new URL('/mcp', await workers.ready)
}, 60_000)

afterAll(async () => {
  await workers?.dispose()
  upstream.closeAllConnections()
  upstream.close()
})

it.concurrent.each([
  ['the library', (request: Request) => createDisclosureProxy({ upstream: url }).fetch(request)],
  ['the Worker', (request: Request) => fetch(request)],
] as const)(
  'REQ-P-38: %s',
  async (_name, send) => {
    const request = new Request(worker, {
      method: 'POST',
      body: `{"jsonrpc":"2.0","id":7,"method":"subscriptions/listen","params":{${META}}}`,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'subscriptions/listen',
      },
    })
    const begun = performance.now()
    const reader = ((await send(request)).body as ReadableStream<Uint8Array>).getReader()
    const texts: string[] = []
    const times: number[] = []
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      texts.push(new TextDecoder().decode(value))
      times.push(performance.now() - begun)
    }
    expect(texts.join('')).toBe(ACKNOWLEDGED + KEPT_ALIVE + CHANGED)
    expect(times[0]).toBeLessThan(IDLE_MS / 2)
    expect(times.at(-1)).toBeGreaterThan(IDLE_MS - 1000)
  },
  IDLE_MS + 20_000,
)
