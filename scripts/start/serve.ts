/**
 * Runs a bundled Worker in workerd on this machine.
 * @module
 */
import { createServer } from 'node:net'
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare'

/** Loopback only: the demo asks for no credentials. */
const HOST = '127.0.0.1'

/** Against DNS rebinding: a page of another name that resolves to this machine is not answered. */
const LOOPBACK_HOSTS = '127.0.0.1,localhost,[::1]'

/** How many ports after the wanted one are tried. */
const PORTS_TRIED = 20

/** A running Worker. */
export interface RunningDemo {
  readonly url: URL
  /** Ends workerd. */
  stop(): Promise<void>
}

/** Starts the Worker on the wanted port, or on the next free one; port 0 takes any. */
export const serveDemo = async (
  script: string,
  options: { readonly port: number; readonly workerVars: Readonly<Record<string, string>> },
): Promise<RunningDemo> => {
  const worker = new Miniflare(
    convertV4MiniflareOptions({
      host: HOST,
      port: await freePort(options.port),
      modules: [{ type: 'ESModule', path: 'demo.js', contents: script }],
      compatibilityDate: '2026-07-01',
      bindings: { ALLOWED_HOSTS: LOOPBACK_HOSTS, ...options.workerVars },
      cf: false,
      log: new Log(LogLevel.ERROR),
    }),
  )
  return { url: await worker.ready, stop: () => worker.dispose() }
}

const freePort = async (wanted: number): Promise<number> => {
  if (wanted === 0) return 0
  for (let port = wanted; port < wanted + PORTS_TRIED && port <= 65_535; port += 1) if (await isFree(port)) return port
  throw new Error(`ports ${wanted} to ${wanted + PORTS_TRIED - 1} are taken, set PORT`)
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen({ port, host: HOST, exclusive: true }, () => server.close(() => resolve(true)))
  })
