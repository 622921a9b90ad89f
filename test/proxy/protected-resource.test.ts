import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createDisclosureProxy, type ProxySettings } from '../../src/proxy/index.ts'
import { json, post } from './fake-upstream.ts'

const WELL_KNOWN = '/.well-known/oauth-protected-resource'
const PUBLIC = 'https://edge.example/mcp'
const METADATA =
  '{ "authorization_servers":["https://auth.example"], "resource" : "https://up.example/mcp", "x":1.0,"scopes_supported":["a"]}'
const PING = '{"jsonrpc":"2.0","id":7,"method":"ping"}'
const CHALLENGE = 'Bearer error="invalid_token", resource_metadata="https://up.example/.well-known/x", scope="a b"'

function front(answer: (path: string, request: Request) => Response, settings: Partial<ProxySettings> = {}) {
  const asked: { path: string; headers: string[] }[] = []
  const proxy = createDisclosureProxy({
    upstream: async (request: Request) => {
      const { pathname } = new URL(request.url)
      asked.push({ path: pathname, headers: [...request.headers.keys()] })
      return answer(pathname, request)
    },
    publicUrl: PUBLIC,
    ...settings,
  })
  const get = (path: string, init: RequestInit = {}) => proxy.fetch(new Request(`https://edge.example${path}`, init))
  return { asked, proxy, get }
}

describe('row 28: metadata of the protected resource', () => {
  it.each([`${WELL_KNOWN}/mcp`, WELL_KNOWN])(
    'REQ-P-35: at %s names the proxy, and nothing else changes',
    async (path) => {
      const { get, asked } = front(() => json(METADATA))
      const response = await get(path, { headers: { authorization: 'Bearer SAMPLE', cookie: 'a=b' } })
      expect(await response.text()).toBe(METADATA.replace('"https://up.example/mcp"', `"${PUBLIC}"`))
      expect(response.headers.get('content-type')).toBe('application/json')
      expect(asked).toEqual([{ path, headers: ['accept'] }])
    },
  )

  it('a URL without a path is spelled without a slash', async () => {
    const { get } = front(() => json(METADATA), { publicUrl: 'https://edge.example' })
    expect(await (await get(WELL_KNOWN)).text()).toContain('"resource" : "https://edge.example"')
  })

  it('is looked for at the root where the upstream has none at its path', async () => {
    const { get, asked } = front((path) => (path === WELL_KNOWN ? json(METADATA) : new Response(null, { status: 404 })))
    expect((await get(`${WELL_KNOWN}/mcp`)).status).toBe(200)
    expect(asked.map(({ path }) => path)).toEqual([`${WELL_KNOWN}/mcp`, WELL_KNOWN])
  })

  it('is asked from the upstream by its own path', async () => {
    const asked: (string | undefined)[] = []
    const server = createServer((request, response) => {
      asked.push(request.url)
      response.end(METADATA)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    try {
      const upstream = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/mcp?x=1`
      const proxy = createDisclosureProxy({ upstream, publicUrl: PUBLIC })
      const response = await proxy.fetch(new Request(`https://edge.example${WELL_KNOWN}/mcp`))
      expect(JSON.parse(await response.text()).resource).toBe(PUBLIC)
      expect(asked).toEqual([`${WELL_KNOWN}/v1/mcp`])
    } finally {
      server.closeAllConnections()
      server.close()
    }
  })

  it.each<[string, Partial<ProxySettings>, string, string]>([
    ['of another resource', {}, `${WELL_KNOWN}/other`, 'GET'],
    ['without a public URL', { publicUrl: undefined }, WELL_KNOWN, 'GET'],
    ['by another method', {}, WELL_KNOWN, 'POST'],
  ])('%s there is none, and nobody is asked', async (_name, settings, path, method) => {
    const { get, asked } = front(() => json(METADATA), settings)
    expect([(await get(path, { method })).status, asked.length]).toEqual([404, 0])
  })

  it.each<[string, () => Response, number]>([
    ['no JSON', () => new Response('<html>'), 502],
    ['a list', () => json('[]'), 502],
    ['no resource', () => json('{}'), 502],
    ['a name twice', () => json('{"resource":"a","resource":"b"}'), 502],
    [
      'what breaks off',
      () => new Response(new ReadableStream({ pull: (controller) => controller.error(new Error('reset')) })),
      502,
    ],
    ['what never ends', () => new Response(new ReadableStream({})), 504],
    ['a refusal', () => new Response('no', { status: 403 }), 403],
  ])('an upstream that answers with %s', async (_name, answer, status) => {
    expect((await front(answer, { timeoutMs: 50 }).get(WELL_KNOWN)).status).toBe(status)
  })
})

describe('challenges', () => {
  const refuse = () => new Response('no', { status: 401, headers: { 'www-authenticate': CHALLENGE } })

  it('REQ-P-35: name the metadata under the proxy’s own name', async () => {
    const response = await front(refuse).proxy.fetch(post(PING))
    expect(response.headers.get('www-authenticate')).toBe(
      CHALLENGE.replace(
        'https://up.example/.well-known/x',
        'https://edge.example/.well-known/oauth-protected-resource/mcp',
      ),
    )
  })

  it.each([
    ['Bearer resource_metadata = "https://up.example/x"', 'Bearer resource_metadata="OWN"'],
    ['Bearer resource_metadata=https://up.example/x, scope=a', 'Bearer resource_metadata="OWN", scope=a'],
    ['Bearer error="a \\" resource_metadata=b"', 'Bearer error="a \\" resource_metadata=b"'],
    ['Bearer x-resource_metadata="a"', 'Bearer x-resource_metadata="a"'],
    [
      'Bearer RESOURCE_METADATA="a\\"b", x="resource_metadata=\\"c\\""',
      'Bearer resource_metadata="OWN", x="resource_metadata=\\"c\\""',
    ],
  ])('REQ-P-35: of %s only the parameter is another one', async (challenge, expected) => {
    const answer = () => new Response('no', { status: 401, headers: { 'www-authenticate': challenge } })
    for (const path of ['/mcp', '/$&$1']) {
      const own = `https://edge.example/.well-known/oauth-protected-resource${path}`
      const response = await front(answer, { publicUrl: `https://edge.example${path}` }).proxy.fetch(post(PING))
      expect(response.headers.get('www-authenticate')).toBe(expected.replace('OWN', () => own))
    }
  })

  it('pass as they are without a public URL', async () => {
    const response = await front(refuse, { publicUrl: undefined }).proxy.fetch(post(PING))
    expect(response.headers.get('www-authenticate')).toBe(CHALLENGE)
  })
})

describe('the setting', () => {
  it.each([
    'http://edge.example/mcp',
    'https://a:b@edge.example',
    'https://edge.example?x',
    'https://edge.example#x',
    'x',
    5,
  ])('%s is refused', (publicUrl) => {
    expect(() => createDisclosureProxy({ upstream: 'https://x.example', publicUrl: publicUrl as string })).toThrow(
      '"publicUrl"',
    )
  })
})
