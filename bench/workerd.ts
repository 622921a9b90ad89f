/**
 * Workers in bare workerd, as benches need them: the front under test, and an upstream of its own.
 * @module
 */

import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'

const compatibilityDate = '2026-07-01'

/** Answers any call at once; lists twenty small tools. */
export const UPSTREAM = `
const tools = Array.from({ length: 20 }, (_, i) => ({ name: 'tool_' + i, description: 'Tool number ' + i, inputSchema: { type: 'object', properties: { a: { type: 'integer' } } } }))
export default { async fetch(request) {
  const { id, method } = await request.json()
  return Response.json({ jsonrpc: '2.0', id, result: method === 'tools/list' ? { tools } : { content: [{ type: 'text', text: 'ok' }] } })
} }`

/** What every front is measured against. */
export const passThrough = (upstream: string): string => `
export default { fetch(request) {
  const headers = new Headers(request.headers)
  return fetch('${upstream}', { method: request.method, headers, body: request.body })
} }`

/** The proxy alone, as one script. */
export async function proxyScript(upstream: string, guard: 'catalog' | 'none'): Promise<string> {
  const result = await build({
    stdin: {
      contents: `import { createDisclosureProxy } from '../src/proxy/index.ts'
        const proxy = createDisclosureProxy({ upstream: '${upstream}', guard: '${guard}' })
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

export interface Front {
  readonly url: URL
  /** Process of its workerd, where that can be told. */
  readonly pid: number | undefined
  stop(): Promise<void>
}

/** @param isAlone the front reaches the network of this machine; without it, `UPSTREAM` answers all it asks */
export async function startFront(script: string, isAlone = false): Promise<Front> {
  const before = new Set(workerds())
  const front = {
    name: 'front',
    compatibilityDate,
    modules: [{ type: 'ESModule' as const, path: 'front.js', contents: script }],
  }
  const upstream = {
    name: 'upstream',
    compatibilityDate,
    modules: [{ type: 'ESModule' as const, path: 'upstream.js', contents: UPSTREAM }],
  }
  const workers = isAlone ? [front] : [{ ...front, outboundService: 'upstream' }, upstream]
  const worker = new Miniflare(convertV4MiniflareOptions({ cf: false, workers }))
  const url = new URL('/mcp', await worker.ready)
  return { url, pid: workerds().find((pid) => !before.has(pid)), stop: () => worker.dispose() }
}

/** Processes named workerd that this one started, on Linux. */
function workerds(): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => {
        const status = statusOf(pid)
        return status.includes('Name:\tworkerd') && status.includes(`PPid:\t${process.pid}\n`)
      })
  } catch {
    return []
  }
}

function statusOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8')
  } catch {
    return ''
  }
}

/** Resident memory of a process in MiB; undefined where that cannot be told. */
export function residentMiB(pid: number | undefined): number | undefined {
  const kib = /VmRSS:\s*(\d+) kB/.exec(pid === undefined ? '' : statusOf(pid))?.[1]
  return kib === undefined ? undefined : Number(kib) / 1024
}
