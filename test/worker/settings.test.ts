import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createApp } from '../../worker/app.ts'
import { readSettings, VARIABLES, WorkerSettingError } from '../../worker/settings.ts'

describe('settings of the Worker', () => {
  it('reads every var', () => {
    const settings = readSettings({
      UPSTREAM_URL: ' https://x.example/mcp ',
      FORWARD_HEADERS: 'authorization, x-tenant ,',
      UPSTREAM_HEADERS: '{"X-Key":"k"}',
      PIN: 'a,b*',
      SEARCH_TOOL: 'find',
      CALL_TOOL: 'run',
      MAX_PAGES: '40',
      MAX_TOOLS: '9',
      GUARD: 'none',
      READ_WINDOW_MS: '1000',
      ALLOWED_ORIGINS: 'https://a.example',
      ALLOWED_HOSTS: 'a.example',
      EXTENSION_ID: 'a.b/c',
      INSTRUCTIONS: '',
      MAX_REQUEST_BYTES: '1000',
      TIMEOUT_MS: '5',
    })
    expect(settings).toEqual({
      upstream: 'https://x.example/mcp',
      forwardHeaders: ['authorization', 'x-tenant'],
      upstreamHeaders: { 'X-Key': 'k' },
      pin: ['a', 'b*'],
      searchTool: 'find',
      callTool: 'run',
      limits: { maxPages: 40, maxTools: 9 },
      guard: 'none',
      readWindowMs: 1000,
      allowedOrigins: ['https://a.example'],
      allowedHosts: ['a.example'],
      extensionId: 'a.b/c',
      instructions: '',
      maxRequestBytes: 1000,
      timeoutMs: 5,
    })
    expect(Object.keys(VARIABLES).length).toBe(16)
  })

  it.each([
    ['GUARD', 'maybe'],
    ['READ_WINDOW_MS', '1e3'],
    ['READ_WINDOW_MS', '-1'],
    ['MAX_PAGES', 'many'],
    ['UPSTREAM_HEADERS', '{"X-Key":1}'],
    ['UPSTREAM_HEADERS', 'token-secret'],
    ['UPSTREAM_HEADERS', '[]'],
    ['PIN', 5],
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
  ])('a bad %s is a 500 whose log names it and shows no value', async (name, env) => {
    const response = await createApp().request('/mcp', { method: 'POST', body: '{}' }, env)
    expect(response.status).toBe(500)
    expect(logged.join()).toContain(name)
    expect(logged.join() + (await response.text())).not.toContain('secret')
  })

  it('serves the proxy at /mcp, health and a line of text', async () => {
    const app = createApp(async () => Response.json({ jsonrpc: '2.0', id: 1, result: {} }))
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
