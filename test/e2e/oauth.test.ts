/**
 * The SDK's clients finish the OAuth flow through the proxy, where the upstream takes tokens for the proxy's own URL.
 */
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { expect, it } from 'vitest'
import { createDisclosureProxy } from '../../src/proxy/index.ts'
import { json, LIST, rpcResult } from '../proxy/fake-upstream.ts'

const EDGE = 'https://edge.example/mcp'
const AUTH = 'https://auth.example'
const REDIRECT = 'https://app.example/callback'

/** An authorization server that gives tokens for the resource it was asked for, and says so in them. */
async function authorize(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url)
  if (pathname === '/.well-known/oauth-authorization-server') {
    return Response.json({
      issuer: AUTH,
      authorization_endpoint: `${AUTH}/authorize`,
      token_endpoint: `${AUTH}/token`,
      registration_endpoint: `${AUTH}/register`,
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code'],
      token_endpoint_auth_methods_supported: ['none'],
      code_challenge_methods_supported: ['S256'],
    })
  }
  if (pathname === '/register') {
    return Response.json({ ...((await request.json()) as object), client_id: 'client' }, { status: 201 })
  }
  if (pathname !== '/token') return new Response(null, { status: 404 })
  const form = new URLSearchParams(await request.text())
  return Response.json({
    access_token: `for ${form.get('resource')} by ${form.get('code')}`.replaceAll(' ', '+'),
    token_type: 'Bearer',
  })
}

/** A server that takes tokens for the edge's URL only. */
async function serve(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url)
  if (pathname.startsWith('/.well-known/oauth-protected-resource')) {
    return Response.json({ resource: 'https://up.example/mcp', authorization_servers: [AUTH] })
  }
  if (request.headers.get('authorization') !== `Bearer for+${EDGE}+by+code`) {
    const metadata = 'https://up.example/.well-known/oauth-protected-resource/mcp'
    return new Response(null, {
      status: 401,
      headers: { 'www-authenticate': `Bearer resource_metadata="${metadata}"` },
    })
  }
  if (request.method !== 'POST') return new Response(null, { status: 405 })
  const body = await request.text()
  const id = /"id":(\d+|"[^"]*")/.exec(body)?.[1]
  if (id === undefined) return new Response(null, { status: 202 })
  if (body.includes('"tools/list"')) return json(rpcResult(id, LIST))
  const protocolVersion = /"protocolVersion":"([^"]*)"/.exec(body)?.[1]
  return json(
    rpcResult(
      id,
      JSON.stringify({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'up', version: '1' } }),
    ),
  )
}

/** What a client keeps of its authorization. */
function provider() {
  const kept: { [name: string]: unknown } = {}
  const keep = (name: string) => (value: unknown) => {
    kept[name] = value
  }
  return {
    kept,
    redirectUrl: REDIRECT,
    clientMetadata: { client_name: 'test', redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none' },
    clientInformation: () => kept.client,
    saveClientInformation: keep('client'),
    tokens: () => kept.tokens,
    saveTokens: keep('tokens'),
    redirectToAuthorization: keep('asked'),
    saveCodeVerifier: keep('verifier'),
    codeVerifier: () => kept.verifier,
  }
}

it.each([
  ['v1', ClientV1, TransportV1],
  ['v2', ClientV2, TransportV2],
] as const)('REQ-P-35: the client of SDK %s', async (_name, Client, Transport) => {
  const proxy = createDisclosureProxy({ upstream: serve, publicUrl: EDGE, forwardHeaders: ['authorization'] })
  const reach = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init)
    const { host } = new URL(request.url)
    if (host === 'edge.example') return proxy.fetch(request)
    return host === 'auth.example' ? authorize(request) : Promise.reject(new Error(`asked ${host}`))
  }
  const authProvider = provider()
  const make = () => new Transport(new URL(EDGE), { fetch: reach as never, authProvider: authProvider as never })
  const first = make()
  await expect(new Client({ name: 'test', version: '1' }).connect(first as never)).rejects.toThrow()
  const asked = authProvider.kept.asked as URL
  expect([asked.origin, asked.searchParams.get('resource')]).toEqual([AUTH, EDGE])
  await first.finishAuth('code')
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(make() as never)
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(['search_tools', 'read_schema', 'call_tool'])
  await client.close()
})
