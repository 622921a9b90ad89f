/**
 * The model of the proxy's settings: what each may be.
 * @module
 */

import * as v from 'valibot'
import type { SchemaValidator } from '../core/index.ts'
import type { SearchEngine } from '../provider/search/engine.ts'
import { HOP_BY_HOP } from './headers.ts'
import { LOOPBACK } from './origin.ts'

const DAY_MS = 86_400_000
const text = v.pipe(v.string(), v.minLength(1))
const lowerCase = v.transform((name: string) => name.toLowerCase())
const headerName = v.pipe(v.string(), v.regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'a header name'), lowerCase)
/** Headers of a connection or of a body's framing: set by the runtime, never by a setting. */
const RUNTIME_HEADERS = new Set([...HOP_BY_HOP, 'content-length', 'expect', 'host'])
const endToEnd = v.pipe(
  headerName,
  v.check((name) => !RUNTIME_HEADERS.has(name), 'a header the runtime does not set itself'),
)
/** Headers of a session and of its messages: they are the client's. */
const SESSION_HEADERS = /^(?:accept|content-type|last-event-id|mcp-.*)$/
const ofOperator = v.pipe(
  endToEnd,
  v.check((name) => !SESSION_HEADERS.test(name), 'a header that is not of the session'),
)
const headerValue = v.pipe(v.string(), v.regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'a header value'))
const toolName = v.pipe(v.string(), v.regex(/^[A-Za-z0-9_.-]{1,128}$/, 'a tool name'))
const bound = (most: number) => v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(most))

const HOST = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/
/** What a browser sends as `Origin`. */
const isOrigin = (value: string): boolean => value === '*' || (URL.canParse(value) && new URL(value).origin === value)

type UpstreamFunction = (request: Request, context: unknown) => Promise<Response> | Response

function isUpstream(value: unknown): boolean {
  if (typeof value === 'function') return true
  if (!(value instanceof URL) && typeof value !== 'string') return false
  if (!URL.canParse(value)) return false
  const { protocol, username, password } = new URL(value)
  return /^https?:$/.test(protocol) && username === '' && password === ''
}

function isPublicUrl(value: unknown): boolean {
  if ((!(value instanceof URL) && typeof value !== 'string') || !URL.canParse(value)) return false
  const { protocol, hostname, username, password, search, hash } = new URL(value)
  const isSafe = protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname))
  return isSafe && `${username}${password}${search}${hash}` === ''
}

const limits = v.strictObject({
  maxPages: v.optional(bound(10_000)),
  maxTools: v.optional(bound(1_000_000)),
  maxSchemaBytes: v.optional(bound(2 ** 30)),
  maxEntryBytes: v.optional(bound(2 ** 30)),
  maxTotalBytes: v.optional(bound(2 ** 30)),
  timeoutMs: v.optional(bound(DAY_MS)),
})

const engine = v.custom<SearchEngine>(
  (value) => typeof value === 'object' && value !== null && typeof (value as SearchEngine).search === 'function',
  'a search engine',
)

const validator = v.custom<SchemaValidator>(
  (value) => typeof value === 'object' && value !== null && typeof (value as SchemaValidator).compile === 'function',
  'a schema validator',
)

/** The model behind `ProxySettings`. A setting that is absent has its default. */
export const settingsModel = v.strictObject({
  upstream: v.pipe(
    v.custom<URL | UpstreamFunction>(isUpstream, 'an http or https URL without credentials, or a function'),
    v.transform((upstream) => (typeof upstream === 'function' ? upstream : new URL(upstream))),
  ),
  allowCleartext: v.optional(v.boolean(), false),
  forwardHeaders: v.optional(v.array(endToEnd), []),
  upstreamHeaders: v.optional(v.record(ofOperator, headerValue), {}),
  pin: v.optional(v.array(text), []),
  searchTool: v.optional(toolName, 'search_tools'),
  readTool: v.optional(v.union([toolName, v.literal('')]), 'read_schema'),
  callTool: v.optional(toolName, 'call_tool'),
  engines: v.optional(v.strictObject({ query: v.optional(engine), pattern: v.optional(engine) }), {}),
  limits: v.optional(limits, {}),
  guard: v.optional(v.picklist(['catalog', 'arguments', 'none']), 'catalog'),
  validator: v.optional(validator),
  sourceDigests: v.optional(
    v.record(text, v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/, '64 lower-case hex digits'))),
    {},
  ),
  readWindowMs: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(10_000)), 0),
  allowedOrigins: v.optional(
    v.array(v.pipe(text, v.check(isOrigin, 'an origin such as https://app.example, or *'))),
    [],
  ),
  allowedHosts: v.optional(v.array(v.pipe(text, lowerCase, v.regex(HOST, 'a host name, with or without a port'))), []),
  publicUrl: v.optional(
    v.pipe(
      v.custom<URL | string>(isPublicUrl, 'an https URL, or http on loopback, without credentials, query and fragment'),
      v.transform((url) => new URL(url)),
    ),
  ),
  extensionId: v.optional(
    v.pipe(text, v.regex(/^[A-Za-z0-9.-]+\/[A-Za-z0-9._-]+$/, 'a prefixed id')),
    'dev.mcp-schema-disclosure/v1',
  ),
  instructions: v.optional(v.string()),
  maxRequestBytes: v.optional(bound(2 ** 30), 4 * 1024 * 1024),
  timeoutMs: v.optional(bound(DAY_MS), 60_000),
})
