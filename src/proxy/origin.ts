/**
 * Who may talk to the proxy from a browser, and under which name. Row 27, REQ-P-36.
 * @module
 */

import { PROTOCOL_HEADERS } from './headers.ts'
import type { CommonSettings } from './settings.ts'

/** Host names of this machine. */
export const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

const ALLOWED_METHODS = 'GET, POST, DELETE, OPTIONS'
const EXPOSED_HEADERS = 'Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate, Retry-After'
const PREFLIGHT_SECONDS = '7200'

/** True where the request comes from an allowed page (or from none) and under an allowed host name. */
export function isAllowed(request: Request, settings: CommonSettings): boolean {
  return isAllowedHost(request, settings) && isAllowedOrigin(request, settings)
}

function isAllowedHost(request: Request, { allowedHosts }: CommonSettings): boolean {
  const url = new URL(request.url)
  const host = (request.headers.get('host') ?? url.host).toLowerCase()
  // An entry without a port allows every port of its name.
  if (allowedHosts.length > 0) return allowedHosts.includes(host) || allowedHosts.includes(host.replace(/:\d+$/, ''))
  // Only where the runtime does not make the URL from the Host header can the two differ: see `allowedHosts`.
  return !LOOPBACK.test(url.hostname) || LOOPBACK.test(host.replace(/:\d+$/, ''))
}

function isAllowedOrigin(request: Request, { allowedOrigins }: CommonSettings): boolean {
  const origin = request.headers.get('origin')
  if (origin === null || origin === new URL(request.url).origin) return true
  return allowedOrigins.includes('*') || allowedOrigins.includes(origin)
}

/** Adds the CORS headers every answer carries, refusals and errors too. */
export function withCors(response: Response, request: Request): Response {
  const origin = request.headers.get('origin')
  if (origin === null) return response
  response.headers.set('access-control-allow-origin', origin)
  response.headers.set('access-control-expose-headers', EXPOSED_HEADERS)
  response.headers.append('vary', 'Origin')
  return response
}

/** The answer to a preflight. */
export function preflight(request: Request, settings: CommonSettings): Response {
  const asked = (request.headers.get('access-control-request-headers') ?? '').toLowerCase().split(',')
  const params = asked.map((name) => name.trim()).filter((name) => /^mcp-param-[a-z0-9-]+$/.test(name))
  return new Response(null, {
    status: 204,
    headers: {
      'access-control-allow-methods': ALLOWED_METHODS,
      'access-control-allow-headers': [
        ...new Set(['authorization', ...PROTOCOL_HEADERS, ...settings.forwardHeaders, ...params]),
      ].join(', '),
      'access-control-max-age': PREFLIGHT_SECONDS,
    },
  })
}
