/**
 * Header hygiene: what goes upstream is built from nothing, what comes back loses what is not the client's.
 * @module
 */

import type { CommonSettings } from './settings.ts'

/** Headers of the protocol and of tracing: always forwarded. */
export const PROTOCOL_HEADERS = [
  'accept',
  'content-type',
  'mcp-session-id',
  'mcp-protocol-version',
  'last-event-id',
  'mcp-method',
  'mcp-name',
  'traceparent',
  'tracestate',
  'baggage',
]
const PARAM_PREFIX = 'mcp-param-'

/** Of one connection only: RFC 9110, section 7.6.1. */
export const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]

const DROPPED = new Set([
  ...HOP_BY_HOP,
  // Of the upstream's own origin.
  'set-cookie',
  'alt-svc',
  'content-location',
  'link',
  'sourcemap',
  'clear-site-data',
  // What servers in front would act on.
  'x-accel-redirect',
  'x-sendfile',
  'location',
  'nel',
  'refresh',
  'report-to',
  'reporting-endpoints',
  'service-worker-allowed',
  'strict-transport-security',
  // The runtime has decoded the body.
  'content-encoding',
  'content-length',
])
/** No longer true of a changed body. */
const BODY_HEADERS = new Set([
  'etag',
  'content-digest',
  'repr-digest',
  'digest',
  'content-md5',
  'accept-ranges',
  'last-modified',
])

/** REQ-P-34: the headers of an upstream request. Nothing of the caller's that is not named here. */
export function upstreamHeaders(caller: Headers, settings: CommonSettings): Headers {
  const headers = new Headers()
  for (const name of PROTOCOL_HEADERS) copy(caller, headers, name)
  for (const [name, value] of caller) if (name.startsWith(PARAM_PREFIX)) headers.set(name, value)
  // A coded stream is held back until a block of it is full.
  headers.set('accept-encoding', 'identity')
  for (const name of settings.forwardHeaders) copy(caller, headers, name)
  for (const [name, value] of Object.entries(settings.upstreamHeaders)) headers.set(name, value)
  return headers
}

/** Takes off what mirrors the name and the arguments the caller sent: it would contradict a body that names another tool. */
export function withoutMirrors(headers: Headers): void {
  for (const name of [...headers.keys()]) if (name === 'mcp-name' || name.startsWith(PARAM_PREFIX)) headers.delete(name)
}

function copy(from: Headers, to: Headers, name: string): void {
  const value = from.get(name)
  if (value !== null) to.set(name, value)
}

/** The headers of an upstream answer that reach the client. `changed`: the body is not the upstream's any more. */
export function clientHeaders(upstream: Headers, changed: boolean): Headers {
  const headers = new Headers()
  const ofConnection = new Set((upstream.get('connection') ?? '').toLowerCase().split(/[\t ]*,[\t ]*/))
  for (const [name, value] of upstream) {
    // One CORS table decides, not the upstream's.
    if (
      DROPPED.has(name) ||
      ofConnection.has(name) ||
      name.startsWith('access-control-') ||
      (changed && BODY_HEADERS.has(name))
    )
      continue
    headers.append(name, value)
  }
  return headers
}
