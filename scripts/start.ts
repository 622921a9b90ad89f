/**
 * `npm start`: runs the demo Worker in workerd, shows what it saves and one walk-through, and stays up.
 *
 * Settings, all optional, from the environment: `PORT` (default 8787, the next free one if taken), `UPSTREAM_URL` (a
 * server of your own instead of the embedded one) with the Worker's own settings beside it, `AUTHORIZATION` (what the
 * walk-through sends to it), `CHART_FILE` (default `chart.svg`).
 * @module
 */
import { bundleDemo } from './start/bundle.ts'
import { field, type Tell } from './start/print.ts'
import { serveDemo } from './start/serve.ts'
import { readStartSettings } from './start/settings.ts'
import { tourEmbedded, tourUpstream } from './start/tour.ts'

const tell: Tell = (label, text) => {
  process.stdout.write(`${field(label, text)}\n`)
}

/** npm does not always hand on the signal that ends it: whoever loses its parent ends too. */
const endWithParent = (): void => {
  const parent = process.ppid
  setInterval(() => {
    if (process.ppid !== parent) process.exit(0)
  }, 500).unref()
}

const main = async (): Promise<void> => {
  endWithParent()
  const settings = readStartSettings(process.env)
  const demo = await serveDemo(await bundleDemo(), settings)
  // Ahead of miniflare's own listeners, which would leave with 130; workerd ends with this process in any case.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.prependOnceListener(signal, () => process.exit(0))

  const proxy = new URL('/mcp', demo.url)
  tell('mcp-schema-disclosure, running in workerd')
  tell('with it', String(proxy))
  try {
    if (settings.upstream) await tourUpstream(proxy, settings.upstream, settings, tell)
    else await tourEmbedded(proxy, new URL('/upstream/mcp', demo.url), settings, tell)
  } catch (error) {
    await demo.stop()
    throw error
  }
  tell('', '')
  tell(`Point any MCP client (Streamable HTTP) at ${proxy}. Ctrl+C stops it.`)
}

try {
  await main()
} catch (error) {
  const message = error instanceof Error ? error.message : String(error)
  process.stderr.write(`${message.startsWith('Cannot ') ? message : `Cannot start the demo: ${message}`}\n`)
  process.exit(1)
}
