import { rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bundleDemo } from '../../scripts/start/bundle.ts'
import { type RunningDemo, serveDemo } from '../../scripts/start/serve.ts'
import { readStartSettings } from '../../scripts/start/settings.ts'
import { tourEmbedded, tourUpstream } from '../../scripts/start/tour.ts'

/** The most lines `npm start` may print: the tour's and four of its own. */
const MAX_LINES = 25 - 4

const chartFile = join(tmpdir(), `demo-chart-${process.pid}.svg`)
let script: string
let demo: RunningDemo

beforeAll(async () => {
  script = await bundleDemo()
  demo = await serveDemo(script, { port: 0, workerVars: {} })
})

afterAll(async () => {
  await demo.stop()
  await rm(chartFile, { force: true })
})

const collect = async (run: (tell: (label: string, text?: string) => void) => Promise<void>): Promise<string[]> => {
  const lines: string[] = []
  await run((label, text) => lines.push(text === undefined ? label : `${label}: ${text}`))
  return lines
}

describe('the demo in workerd, where eval is forbidden', () => {
  test('walks from a search to a chart on disk, in few lines', async () => {
    const settings = { ...readStartSettings({}), chartFile }
    const lines = await collect((tell) =>
      tourEmbedded(new URL('/mcp', demo.url), new URL('/upstream/mcp', demo.url), settings, tell),
    )
    expect(lines.length).toBeLessThanOrEqual(MAX_LINES)
    expect(lines.join('\n')).toMatch(
      /tools\/list: 1,\d{3},\d{3} bytes without it, 1,\d{3} bytes with it[\s\S]*search: [\s\S]*fragments: .*360 of 360[\s\S]*verified: [\s\S]*call: [\s\S]*chart: 564 × 352/,
    )
  })

  test('walks with tools of other names too', async () => {
    const settings = { ...readStartSettings({ SEARCH_TOOL: 'find', CALL_TOOL: 'invoke' }), chartFile }
    const named = await serveDemo(script, { port: 0, workerVars: settings.workerVars })
    try {
      const lines = await collect((tell) =>
        tourEmbedded(new URL('/mcp', named.url), new URL('/upstream/mcp', named.url), settings, tell),
      )
      expect(lines.join('\n')).toMatch(/call: invoke render_chart[\s\S]*chart: /)
    } finally {
      await named.stop()
    }
  })

  test('REQ-P-36: a rebound host name is not answered, whatever its origin says; loopback names are', async () => {
    const ask = (host: string, headers: Record<string, string> = {}): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const body = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
        const types = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
        const sent = request(
          new URL('/mcp', demo.url),
          // A connection each: a refusal closes its own, for the body is not read.
          { method: 'POST', agent: false, headers: { ...types, ...headers, host } },
          (response) => {
            response.resume()
            response.on('end', () => resolve(response.statusCode))
          },
        )
        sent.on('error', reject)
        sent.end(body)
      })
    const { port } = demo.url
    expect(await ask(`127.0.0.1:${port}`)).toBe(200)
    expect(await ask(`localhost:${port}`)).toBe(200)
    expect(await ask(`evil.example:${port}`)).toBe(403)
    expect(await ask(`evil.example:${port}`, { origin: `http://evil.example:${port}` })).toBe(403)
    expect(await ask(`127.0.0.1:${port}`, { origin: `http://evil.example:${port}` })).toBe(403)
  })

  test("before one's own server it lists and searches, and calls nothing", async () => {
    const upstream = new URL('/upstream/mcp', demo.url)
    const own = await serveDemo(script, { port: 0, workerVars: { UPSTREAM_URL: upstream.href } })
    try {
      const lines = await collect((tell) =>
        tourUpstream(new URL('/mcp', own.url), upstream, readStartSettings({}), tell),
      )
      expect(lines.at(-1)).toMatch(/^search: "render chart": \d tools/)
      expect(lines.join('\n')).not.toContain('call:')
    } finally {
      await own.stop()
    }
  })
})
