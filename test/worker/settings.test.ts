import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { DEFAULT_LISTING_LIMITS } from '../../src/listing/index.ts'
import { settingsModel } from '../../src/proxy/settings-model.ts'
import { createApp, createProxy } from '../../worker/app.ts'
import { readSettings, VARIABLES, WorkerSettingError } from '../../worker/settings.ts'

describe('settings of the Worker', () => {
  it('reads every var', () => {
    const settings = readSettings({
      UPSTREAM_URL: ' https://x.example/mcp ',
      FORWARD_HEADERS: 'authorization, x-tenant ,',
      UPSTREAM_HEADERS: '{"X-Key":"k"}',
      PIN: 'a,b*',
      SEARCH_TOOL: 'find',
      READ_TOOL: 'look',
      CALL_TOOL: 'run',
      MAX_PAGES: '40',
      MAX_TOOLS: '9',
      MAX_SCHEMA_BYTES: '10',
      MAX_ENTRY_BYTES: '11',
      MAX_TOTAL_BYTES: '12',
      LISTING_TIMEOUT_MS: '13',
      GUARD: 'none',
      READ_WINDOW_MS: '1000',
      ALLOWED_ORIGINS: 'https://a.example',
      ALLOWED_HOSTS: 'a.example',
      EXTENSION_ID: 'a.b/c',
      INSTRUCTIONS: '',
      SOURCE_DIGESTS: `{"a":"${'0'.repeat(64)}"}`,
      ALLOW_CLEARTEXT: 'true',
      PUBLIC_URL: 'https://edge.example/mcp',
      MAX_REQUEST_BYTES: '1000',
      TIMEOUT_MS: '5',
    })
    expect(settings).toEqual({
      upstream: 'https://x.example/mcp',
      allowCleartext: true,
      forwardHeaders: ['authorization', 'x-tenant'],
      upstreamHeaders: { 'X-Key': 'k' },
      pin: ['a', 'b*'],
      searchTool: 'find',
      readTool: 'look',
      callTool: 'run',
      limits: {
        maxPages: 40,
        maxTools: 9,
        maxSchemaBytes: 10,
        maxEntryBytes: 11,
        maxTotalBytes: 12,
        timeoutMs: 13,
      },
      guard: 'none',
      readWindowMs: 1000,
      sourceDigests: { a: '0'.repeat(64) },
      allowedOrigins: ['https://a.example'],
      allowedHosts: ['a.example'],
      publicUrl: 'https://edge.example/mcp',
      extensionId: 'a.b/c',
      instructions: '',
      maxRequestBytes: 1000,
      timeoutMs: 5,
    })
  })

  it('takes an empty text where it says something, and nowhere else', () => {
    const vars = Object.values(VARIABLES).map(([variable]) => [variable, ''] as const)
    expect(readSettings(Object.fromEntries(vars))).toEqual({ readTool: '', instructions: '' })
  })

  it.each([
    ['READ_WINDOW_MS', '1e3'],
    ['READ_WINDOW_MS', '-1'],
    ['MAX_PAGES', 'many'],
    ['UPSTREAM_HEADERS', '{"X-Key":1}'],
    ['UPSTREAM_HEADERS', 'token-secret'],
    ['UPSTREAM_HEADERS', '[]'],
    ['SOURCE_DIGESTS', '{"a":null}'],
    ['GUARD', 'arguments'],
    ['ALLOW_CLEARTEXT', 'yes'],
    ['PIN', 5],
    ['ALLOWED_HOSTS', ' , '],
  ])('refuses %s = %s and names the var only', (name, value) => {
    try {
      readSettings({ [name]: value })
      expect.unreachable()
    } catch (error) {
      expect(error).toBeInstanceOf(WorkerSettingError)
      expect(String(error)).toContain(name)
      expect(String(error)).not.toContain('token-secret')
    }
  })
})

it('every setting of the proxy has a var, and every var is documented', () => {
  const paths = Object.keys(settingsModel.entries)
    // Code, which no var can hold.
    .filter((name) => name !== 'engines' && name !== 'validator')
    .flatMap((name) =>
      name === 'limits' ? Object.keys(DEFAULT_LISTING_LIMITS).map((limit) => `limits.${limit}`) : [name],
    )
  expect(Object.keys(VARIABLES).sort()).toEqual(paths.sort())
  const documented = readFileSync(new URL('../../docs/settings.md', import.meta.url), 'utf8')
  const rows = documented.split('\n').filter((line) => line.startsWith('| `'))
  const table = rows.map((row) => [...row.matchAll(/`([^`]+)`/g)].slice(0, 2).map((match) => match[1]))
  expect(table.sort()).toEqual(
    Object.entries(VARIABLES)
      .map(([path, [variable]]) => [path, variable])
      .sort(),
  )
})

describe('the app', () => {
  let logged: string[] = []
  beforeEach(() => {
    logged = []
    vi.spyOn(console, 'error').mockImplementation((line) => void logged.push(String(line)))
  })
  afterEach(() => vi.restoreAllMocks())

  it.each([
    ['UPSTREAM_URL', {}],
    ['UPSTREAM_URL', { UPSTREAM_URL: 'https://user:secret@x.example' }],
    ['READ_WINDOW_MS', { UPSTREAM_URL: 'https://x.example', READ_WINDOW_MS: '99999' }],
    ['UPSTREAM_HEADERS', { UPSTREAM_URL: 'https://x.example', UPSTREAM_HEADERS: '{"bad name":"secret"}' }],
    ['FORWARD_HEADERS', { UPSTREAM_URL: 'https://x.example', FORWARD_HEADERS: 'a b' }],
    ['GUARD', { UPSTREAM_URL: 'https://x.example', GUARD: 'maybe' }],
    ['LISTING_TIMEOUT_MS', { UPSTREAM_URL: 'https://x.example', LISTING_TIMEOUT_MS: '0' }],
  ])('a bad %s is a 500 whose log names it and shows no value', async (name, env) => {
    for (const path of ['/mcp', '/healthz', '/']) {
      const response = await createApp().request(path, {}, env)
      expect(response.status).toBe(500)
      expect(logged.join()).toContain(name)
      expect(logged.join() + (await response.text())).not.toContain('secret')
    }
  })

  it('limits that are not set keep their defaults', async () => {
    const upstream = async (request: Request) => {
      const { id } = (await request.json()) as { id: unknown }
      return Response.json({ jsonrpc: '2.0', id, result: { tools: [], nextCursor: 'a' } })
    }
    const proxy = createProxy({ MAX_TOOLS: '9' }, { upstream, limits: { maxPages: 1 } })
    const body =
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_tools","arguments":{"query":"a"}}}'
    const answer = await proxy.fetch(new Request('http://127.0.0.1/mcp', { method: 'POST', body }))
    expect(await answer.text()).toContain('more than 1 pages')
  })

  it('serves the proxy at /mcp, health and a line of text', async () => {
    const app = createApp({ upstream: async () => Response.json({ jsonrpc: '2.0', id: 1, result: {} }) })
    const ping = await app.request(
      'http://127.0.0.1/mcp',
      { method: 'POST', body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' },
      {},
    )
    expect(await ping.json()).toEqual({ jsonrpc: '2.0', id: 1, result: {} })
    expect((await app.request('/healthz', {}, {})).status).toBe(200)
    expect(await (await app.request('/', {}, {})).text()).toContain('/mcp')
    expect((await app.request('/other', {}, {})).status).toBe(404)
  })
})
