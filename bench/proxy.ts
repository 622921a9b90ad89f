/**
 * What a call costs through the proxy: beside a five-line pass-through Worker and direct, each in bare workerd.
 * @module
 */

import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { Miniflare } from 'miniflare'
import { median, ms, percentile, printTable, ratio } from './measure.ts'

const CALLS = 1500
const WARM_UP = 300
const compatibilityDate = '2026-07-01'

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

export async function benchProxy(): Promise<void> {
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
    const worker = new Miniflare({
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
    })
    servers.push({ name, url: new URL('/mcp', await worker.ready), body: sent, stop: () => worker.dispose() })
  }
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const times: Record<string, number[]> = Object.fromEntries(servers.map(({ name }) => [name, []]))
  for (let call = 0; call < CALLS + WARM_UP; call++) {
    for (const { name, url, body: sent } of servers) {
      const start = performance.now()
      const response = await fetch(url, { method: 'POST', body: sent, headers })
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
