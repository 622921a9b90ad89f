/**
 * The proxy in front of a URL: as a library in this process, and as the built Worker in bare workerd.
 * @module
 */

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare'
import { createDisclosureProxy } from '../../src/proxy/index.ts'
import { type Listening, listen } from '../../test/conformance/fixture/listen.ts'

const WORKER = fileURLToPath(new URL('../../dist/worker/index.js', import.meta.url))

/** Who is on loopback has to name the hosts it answers to. */
const HOSTS = ['127.0.0.1', 'localhost', '[::1]']

export type StartProxy = (upstream: URL, pin: readonly string[]) => Promise<Listening>

const startInNode: StartProxy = (upstream, pin) => {
  const proxy = createDisclosureProxy({ upstream, pin, allowedHosts: HOSTS })
  return listen((request) => proxy.fetch(request))
}

const startInWorkerd: StartProxy = async (upstream, pin) => {
  const worker = new Miniflare(
    convertV4MiniflareOptions({
      host: '127.0.0.1',
      port: 0,
      modules: [{ type: 'ESModule', path: 'index.js', contents: readFileSync(WORKER, 'utf8') }],
      compatibilityDate: '2026-07-01',
      bindings: { UPSTREAM_URL: upstream.href, PIN: pin.join(), ALLOWED_HOSTS: HOSTS.join() },
      cf: false,
      log: new Log(LogLevel.ERROR),
    }),
  )
  return { url: new URL('/mcp', await worker.ready), close: () => worker.dispose() }
}

/** By the name of the runtime. */
export const RUNTIMES: Readonly<Record<string, StartProxy>> = { node: startInNode, workerd: startInWorkerd }
