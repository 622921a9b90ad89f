import { spawn } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bytes, clean, field, plural, progressBar, ratio } from '../../scripts/start/print.ts'
import { readStartSettings } from '../../scripts/start/settings.ts'
import { tourUpstream } from '../../scripts/start/tour.ts'

describe('what the start script prints', () => {
  test.each([
    [bytes(1_510_848), '1,510,848 bytes'],
    [plural(1, 'tool'), '1 tool'],
    [plural(3, 'tool'), '3 tools'],
    [ratio(1_511_039, 1113), '1,358 times less'],
    [ratio(1500, 1000), '1.5 times less'],
    [ratio(1000, 1113), 'no less'],
    [progressBar(0, 4), `[${'.'.repeat(30)}] 0 of 4`],
    [progressBar(180, 360), `[${'#'.repeat(15)}${'.'.repeat(15)}] 180 of 360`],
    [progressBar(360, 360), `[${'#'.repeat(30)}] 360 of 360`],
    [field('chart', 'x.svg'), '  chart        x.svg'],
    [field('', ''), ''],
    [clean('a\u001b[31m\r\nb\u202e'), 'a [31m b'],
    [clean('x'.repeat(20), 10), `${'x'.repeat(9)}…`],
  ])('%j', (text, expected) => {
    expect(text).toBe(expected)
  })
})

describe('what the start script takes from the environment', () => {
  test('defaults, and the settings of the Worker', () => {
    expect(readStartSettings({ HOME: '/root', GUARD: 'none', FORWARD_HEADERS: '' })).toEqual({
      port: 8787,
      chartFile: 'chart.svg',
      upstream: undefined,
      authorization: undefined,
      searchTool: 'search_tools',
      callTool: 'call_tool',
      workerVars: { GUARD: 'none' },
    })
  })

  test.each([
    [{ PORT: '80800' }, 'PORT'],
    [{ PORT: '-1' }, 'PORT'],
    [{ UPSTREAM_URL: 'mcp.example.com' }, 'UPSTREAM_URL'],
    [{ UPSTREAM_URL: 'file:///etc/passwd' }, 'UPSTREAM_URL'],
  ])('refuses %j', (env, name) => {
    expect(() => readStartSettings(env)).toThrow(name)
  })
})

describe("a server of one's own that refuses", () => {
  const server = createServer((_, response) => {
    response.writeHead(401, { 'www-authenticate': 'Bearer' }).end()
  })
  let url: URL

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp?key=secret`)
  })
  afterAll(() => server.close())

  const tour = async (upstream: URL): Promise<string> => {
    const lines: string[] = []
    const tell = (label: string, text = ''): void => void lines.push(`${label}: ${text}`)
    await tourUpstream(new URL('http://127.0.0.1:1/mcp'), upstream, readStartSettings({}), tell)
    return lines.join('\n')
  }

  test('401 without credentials: names the setting, never the query', async () => {
    const lines = await tour(url)
    expect(lines).toContain('FORWARD_HEADERS=authorization')
    expect(lines).not.toContain('secret')
  })

  test('nothing there: says so and goes on', async () => {
    expect(await tour(new URL('http://127.0.0.1:1/mcp'))).toContain('could not be listed')
  })
})

test('ends when whoever started it is gone, and workerd with it', async () => {
  const script = fileURLToPath(new URL('../../scripts/start.ts', import.meta.url))
  // Stands for npm, killed before it could hand on a signal.
  const starter = `
    const { spawn } = require('node:child_process')
    const child = spawn(process.execPath, [${JSON.stringify(script)}], { stdio: 'inherit' })
    console.log('pid ' + child.pid)
    setInterval(() => {}, 1000)`
  const env = { ...process.env, PORT: '0', CHART_FILE: join(tmpdir(), `chart-${process.pid}.svg`) }
  const parent = spawn(process.execPath, ['-e', starter], { env, stdio: ['ignore', 'pipe', 'ignore'] })
  let printed = ''
  let isClosed = false
  parent.stdout.on('data', (chunk) => {
    printed += chunk
  })
  // The pipe closes when every process that holds it has ended.
  const closed = new Promise<void>((resolve) => parent.stdout.on('close', () => resolve())).then(() => {
    isClosed = true
  })
  const child = () => Number(/pid (\d+)/.exec(printed)?.[1])
  try {
    await expect.poll(() => printed, { timeout: 30_000 }).toContain('running in workerd')
    parent.kill('SIGKILL')
    await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, 20_000).unref())])
    expect(isClosed).toBe(true)
  } finally {
    parent.kill('SIGKILL')
    if (!isClosed) process.kill(child(), 'SIGKILL')
    await rm(env.CHART_FILE, { force: true })
  }
}, 60_000)

test.each([
  ['READ_WINDOW_MS', '99999'],
  ['GUARD', 'maybe'],
  ['UPSTREAM_URL', 'ftp://x.example'],
])('a bad %s stops the start before anything runs', (name, value) => {
  expect(() => readStartSettings({ [name]: value })).toThrow(name)
})
