/**
 * What a call costs through the proxy: beside a five-line pass-through Worker and direct, each in bare workerd.
 * @module
 */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createDisclosureProxy } from '../src/proxy/index.ts'
import { median, medians, ms, percentile, printTable, ratio } from './measure.ts'
import { type Front, passThrough, proxyScript, startFront, UPSTREAM } from './workerd.ts'

const CALLS = 1500
const WARM_UP = 300
const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

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
    'pass-through': { script: passThrough('http://upstream/mcp'), body: body('tool_3', '{"a":1}') },
    'guard none': {
      script: await proxyScript('http://upstream/mcp', 'none'),
      body: body('call_tool', '{"name":"tool_3","arguments":{"a":1}}'),
    },
    'guard catalog': {
      script: await proxyScript('http://upstream/mcp', 'catalog'),
      body: body('call_tool', '{"name":"tool_3","arguments":{"a":1}}'),
    },
  }
  const servers: (Front & { readonly name: string; readonly body: string })[] = []
  for (const [name, { script, body }] of Object.entries(scripts)) {
    servers.push({ ...(await startFront(script)), name, body })
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
  await benchThroughput(servers)
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

const IN_FLIGHT = 16
const ROUNDS = 9
const CALLS_PER_ROUND = 400

/** Calls a second with 16 of them in flight. */
async function benchThroughput(
  servers: readonly (Front & { readonly name: string; readonly body: string })[],
): Promise<void> {
  const rates: Record<string, number[]> = Object.fromEntries(servers.map(({ name }) => [name, []]))
  for (let round = 0; round < ROUNDS; round++) {
    for (const { name, url, body: sent } of servers) {
      let left = CALLS_PER_ROUND
      const start = performance.now()
      await Promise.all(
        Array.from({ length: IN_FLIGHT }, async () => {
          while (left-- > 0) await (await fetch(url, { method: 'POST', body: sent, headers: HEADERS })).text()
        }),
      )
      rates[name]?.push(CALLS_PER_ROUND / ((performance.now() - start) / 1000))
    }
  }
  const base = median(rates['pass-through'] as number[])
  printTable(`Calls a second, ${IN_FLIGHT} in flight, in bare workerd`, [
    ['', 'median', 'ratio'],
    ...servers.map(({ name }) => {
      const rate = median(rates[name] as number[])
      return [name, rate.toFixed(0), ratio(rate / base)]
    }),
  ])
}
