import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundleDemo } from '../../scripts/start/bundle.ts'
import { type RunningDemo, serveDemo } from '../../scripts/start/serve.ts'
import { type Browser, openPage } from './chromium.ts'
import type { PageReport } from './page.ts'

let script: string
let site: Server
let demo: RunningDemo
let browser: Browser | undefined
let reported: (report: PageReport) => void
const report = new Promise<PageReport>((resolve) => {
  reported = resolve
})

beforeAll(async () => {
  const result = await build({
    entryPoints: [fileURLToPath(new URL('page.ts', import.meta.url))],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    platform: 'browser',
    logLevel: 'error',
  })
  script = result.outputFiles[0]?.text ?? ''
  site = createServer((request, response) => {
    if (request.url === '/report') {
      let body = ''
      request.on('data', (chunk) => {
        body += chunk
      })
      request.on('end', () => {
        response.end()
        reported(JSON.parse(body))
      })
    } else if (request.url === '/page.js') {
      // As on a site that forbids eval.
      response.setHeader('content-type', 'text/javascript').end(script)
    } else {
      response
        .setHeader('content-type', 'text/html; charset=utf-8')
        .setHeader('content-security-policy', "default-src 'none'; script-src 'self'; connect-src *")
        .end('<!doctype html><script type="module" src="/page.js"></script>')
    }
  })
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  const workerVars = { ALLOWED_ORIGINS: origin(), READ_WINDOW_MS: '10000' }
  demo = await serveDemo(await bundleDemo(), { port: 0, workerVars })
}, 60_000)

afterAll(async () => {
  await browser?.close()
  await demo?.stop()
  site?.closeAllConnections()
  site?.close()
}, 30_000)

const origin = () => `http://127.0.0.1:${(site.address() as AddressInfo).port}`

test('R-C-14, R-C-09, R-A-55, R-A-67: in Chromium every check holds, and a page goes the whole way, cross-origin', async (context) => {
  browser = await openPage(new URL(`/?worker=${encodeURIComponent(demo.url.origin)}`, origin()))
  if (browser === undefined) return context.skip('no Chromium for this machine: set CHROMIUM_PATH')
  const { suite, way, ...rest } = await report
  expect(rest).toEqual({})
  expect(suite).toEqual({ ran: 9, failures: [] })
  expect(way).toEqual({
    origin: origin(),
    listed: ['search_tools', 'read_schema', 'call_tool'],
    fragments: 360,
    schemaSha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    svg: true,
    confirmed: 1,
    refused: 'arguments-invalid',
    stale: true,
  })
}, 90_000)
