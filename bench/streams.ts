/**
 * What a stream costs through the proxy in bare workerd: how late its first event comes, and what a long one holds in memory.
 * @module
 */

import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { median, ms, percentile, printTable } from './measure.ts'
import { type Front, passThrough, proxyScript, residentMiB, startFront } from './workerd.ts'

const STREAMS = 200
const PAUSE_MS = 10
const EVENT_BYTES = 64 * 1024
const SIZES = [1, 50, 50] as const
const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

const call = (name: string, args: object) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } })

const event = (text: string): string =>
  `data: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"${text}"}}\n\n`
const RESULT = 'data: {"jsonrpc":"2.0","id":1,"result":{"content":[]}}\n\n'

/** An upstream in this process, so that one clock tells when an event was written and when it was read. */
async function startUpstream() {
  let writtenAt = 0
  const answer = (args: { mebibytes?: number }, response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.flushHeaders()
    if (args.mebibytes !== undefined) return pour(response, (args.mebibytes * 1024 * 1024) / EVENT_BYTES)
    setTimeout(() => {
      writtenAt = performance.now()
      response.write(event('first'))
    }, PAUSE_MS)
    setTimeout(() => response.end(RESULT), 3 * PAUSE_MS)
  }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { params } = JSON.parse(Buffer.concat(chunks).toString()) as { params: { arguments: { mebibytes?: number } } }
    answer(params.arguments, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    lateness: () => performance.now() - writtenAt,
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

function pour(response: ServerResponse, left: number): void {
  const text = event('x'.repeat(EVENT_BYTES))
  const more = (): void => {
    while (left-- > 0) if (!response.write(text)) return void response.once('drain', more)
    response.end(RESULT)
  }
  more()
}

export async function benchStreams(): Promise<void> {
  const upstream = await startUpstream()
  const target = { name: 'tool_3' }
  const fronts: (Front & { readonly name: string; readonly body: (args: object) => string })[] = [
    {
      name: 'direct',
      url: new URL(upstream.url),
      pid: undefined,
      stop: async () => {},
      body: (args) => call('tool_3', args),
    },
    {
      ...(await startFront(passThrough(upstream.url), true)),
      name: 'pass-through',
      body: (args) => call('tool_3', args),
    },
    {
      ...(await startFront(await proxyScript(upstream.url, 'none'), true)),
      name: 'guard none',
      body: (args) => call('call_tool', { ...target, arguments: args }),
    },
  ]
  const late: Record<string, number[]> = Object.fromEntries(fronts.map(({ name }) => [name, []]))
  for (let round = 0; round < STREAMS; round++) {
    for (const { name, url, body } of fronts) {
      const response = await fetch(url, { method: 'POST', headers: HEADERS, body: body({}) })
      const reader = (response.body as ReadableStream<Uint8Array>).getReader()
      await reader.read()
      late[name]?.push(upstream.lateness())
      while (!(await reader.read()).done);
    }
  }
  printTable('The first event of a stream, from written to read, in bare workerd', [
    ['', 'p50', 'p99', 'most'],
    ...fronts.map(({ name }) => {
      const samples = late[name] as number[]
      return [name, ms(median(samples)), ms(percentile(samples, 0.99)), ms(Math.max(...samples))]
    }),
  ])
  const rows = [['', ...SIZES.map((size) => `${size} MB`)]]
  for (const front of fronts.slice(1)) rows.push([front.name, ...(await memoryOf(front))])
  printTable('Resident memory of workerd after streams of so many MB, the most seen meanwhile', rows)
  for (const { stop } of fronts) await stop()
  upstream.stop()
}

async function memoryOf({ url, pid, body }: Front & { readonly body: (args: object) => string }): Promise<string[]> {
  const cells: string[] = []
  for (const mebibytes of SIZES) {
    let most = 0
    const look = setInterval(() => {
      most = Math.max(most, residentMiB(pid) ?? 0)
    }, 2)
    const response = await fetch(url, { method: 'POST', headers: HEADERS, body: body({ mebibytes }) })
    let bytes = 0
    for await (const chunk of response.body as ReadableStream<Uint8Array>) bytes += chunk.length
    clearInterval(look)
    if (bytes < mebibytes * 1024 * 1024) throw new Error(`the stream ended after ${bytes} bytes`)
    cells.push(most === 0 ? 'not known here' : `${most.toFixed(0)} MiB`)
  }
  return cells
}
