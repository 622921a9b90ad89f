/**
 * What a call costs through the proxy: beside a five-line pass-through Worker and direct, each in bare workerd.
 * @module
 */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { createDisclosureProxy } from '../src/proxy/index.ts'
import { median, medians, ms, percentile, printTable, ratio } from './measure.ts'

const CALLS = 1500
const WARM_UP = 300
const compatibilityDate = '2026-07-01'
const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

/** Answers any call at once; lists twenty small tools. */
const UPSTREAM = `
const tools = Array.from({ length: 20 }, (_, i) => ({ name: 'tool_' + i, description: 'Tool number ' + i, inputSchema: { type: 'object', properties: { a: { type: 'integer' } } } }))
export default { async fetch(request) {
  const { id, method } = await request.json()
  return Response.json({ jsonrpc: '2.0', id, result: method === 'tools/list' ? { tools } : { content: [{ type: 'text', text: 'ok' }] } })
} }`

const PASS_THROUGH = `
export default { fetch(request) {
  const headers = new Headers(request.headers)
  return fetch('http://upstream/mcp', { method: request.method, headers, body: request.body })
} }`

async function proxyScript(guard: string): Promise<string> {
  const result = await build({
    stdin: {
      contents: `import { createDisclosureProxy } from '../src/proxy/index.ts'
        const proxy = createDisclosureProxy({ upstream: 'http://upstream/mcp', guard: '${guard}' })
        export default { fetch: (request) => proxy.fetch(request) }`,
      resolveDir: fileURLToPath(new URL('.', import.meta.url)),
    },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    conditions: ['workerd', 'worker', 'browser'],
  })
  return (result.outputFiles[0] as { text: string }).text
}

const body = (name: string, args: string) =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: JSON.parse(args) as object },
  })

/** The same in one Node process, without sockets: what the proxy itself adds to a call. */
async function benchInProcess(): Promise<void> {
  const tools = Array.from({ length: 20 }, (_, index) => ({ name: `tool_${index}`, inputSchema: { type: 'object' } }))
  const upstream = async (request: Request): Promise<Response> => {
    const { id, method } = (await request.json()) as { id: unknown; method: string }
    return Response.json({ jsonrpc: '2.0', id, result: method === 'tools/list' ? { tools } : { content: [] } })
  }
  const through = (guard: 'none' | 'catalog') => {
    const proxy = createDisclosureProxy({ upstream, guard })
    return (request: Request) => proxy.fetch(request)
  }
  const send = (handler: (request: Request) => Promise<Response>, sent: string) => async () =>
    (await handler(new Request('http://127.0.0.1/mcp', { method: 'POST', body: sent, headers: HEADERS }))).text()
  const wrapped = body('call_tool', '{"name":"tool_3","arguments":{"a":1}}')
  const plain = body('tool_3', '{"a":1}')
  const t = await medians({
    direct: send(upstream, plain),
    'pass-through': send(
      async (request) =>
        upstream(new Request(request.url, { method: 'POST', headers: request.headers, body: await request.text() })),
      plain,
    ),
    'guard none': send(through('none'), wrapped),
    'guard catalog': send(through('catalog'), wrapped),
  })
  printTable('One call in one Node process, no sockets', [
    ['', 'p50', 'ratio'],
    ...Object.entries(t).map(([name, time]) => [name, ms(time), ratio(time / (t['pass-through'] as number))]),
  ])
}

/** What `tools/list` costs in bytes, without the proxy and with it, for real catalogs where they are at hand. */
async function benchListBytes(): Promise<void> {
  const folder = process.env.CORPORA_DIR
  if (folder === undefined) return console.log('\nBytes of tools/list: set CORPORA_DIR to a folder of real catalogs')
  const rows = [['', 'tools', 'without', 'with', 'times less']]
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.json'))) {
    const { result } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as { result: { tools: unknown[] } }
    const proxy = createDisclosureProxy({ upstream: async () => Response.json({ jsonrpc: '2.0', id: 1, result }) })
    const headers = { ...HEADERS, 'mcp-protocol-version': '2025-11-25' }
    const list = new Request('http://127.0.0.1/mcp', {
      method: 'POST',
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
      headers,
    })
    const answer = (await (await proxy.fetch(list)).json()) as { result: { tools: unknown[] } }
    const [before, after] = [result.tools, answer.result.tools].map((tools) =>
      Buffer.byteLength(JSON.stringify(tools)),
    ) as [number, number]
    rows.push([
      name.replace('.json', ''),
      String(result.tools.length),
      String(before),
      String(after),
      (before / after).toFixed(1),
    ])
  }
  printTable('Bytes of tools/list (result.tools)', rows)
}

export async function benchProxy(): Promise<void> {
  await benchWorkerd()
  await benchInProcess()
  await benchListBytes()
}

async function benchWorkerd(): Promise<void> {
  const scripts: Record<string, { script: string; body: string }> = {
    direct: { script: UPSTREAM, body: body('tool_3', '{"a":1}') },
    'pass-through': { script: PASS_THROUGH, body: body('tool_3', '{"a":1}') },
    'guard none': {
      script: await proxyScript('none'),
      body: body('call_tool', '{"name":"tool_3","arguments":{"a":1}}'),
    },
    'guard catalog': {
      script: await proxyScript('catalog'),
      body: body('call_tool', '{"name":"tool_3","arguments":{"a":1}}'),
    },
  }
  const servers: { name: string; url: URL; body: string; stop: () => Promise<void> }[] = []
  for (const [name, { script, body: sent }] of Object.entries(scripts)) {
    const worker = new Miniflare(
      convertV4MiniflareOptions({
        cf: false,
        workers: [
          {
            name: 'front',
            compatibilityDate,
            modules: [{ type: 'ESModule', path: 'front.js', contents: script }],
            outboundService: 'upstream',
          },
          {
            name: 'upstream',
            compatibilityDate,
            modules: [{ type: 'ESModule', path: 'upstream.js', contents: UPSTREAM }],
          },
        ],
      }),
    )
    servers.push({ name, url: new URL('/mcp', await worker.ready), body: sent, stop: () => worker.dispose() })
  }
  const times: Record<string, number[]> = Object.fromEntries(servers.map(({ name }) => [name, []]))
  for (let call = 0; call < CALLS + WARM_UP; call++) {
    for (const { name, url, body: sent } of servers) {
      const start = performance.now()
      const response = await fetch(url, { method: 'POST', body: sent, headers: HEADERS })
      const text = await response.text()
      if (!text.includes('"ok"')) throw new Error(`${name} answered ${response.status} ${text.slice(0, 200)}`)
      if (call >= WARM_UP) times[name]?.push(performance.now() - start)
    }
  }
  await Promise.all(servers.map(({ stop }) => stop()))
  const base = median(times['pass-through'] as number[])
  printTable('One call in bare workerd; ratio to a five-line pass-through Worker', [
    ['', 'p50', 'p95', 'p50 ratio'],
    ...servers.map(({ name }) => {
      const samples = times[name] as number[]
      return [name, ms(median(samples)), ms(percentile(samples, 0.95)), ratio(median(samples) / base)]
    }),
  ])
}
