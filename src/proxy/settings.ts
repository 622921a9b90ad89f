/**
 * The settings of the proxy: one strict model, shared by library and Worker.
 * @module
 */

import * as v from 'valibot'
import { DEFAULT_LISTING_LIMITS, type ListingLimits } from '../listing/index.ts'
import type { SearchEngine } from '../provider/search/engine.ts'
import { RankedSearch } from '../provider/search/ranked.ts'
import { RegexSearch } from '../provider/search/regex.ts'
import { ProxyError } from './errors.ts'
import { HOP_BY_HOP } from './headers.ts'

/**
 * An upstream: the URL of its MCP endpoint, or a function that answers requests, such as a service binding or an in-process
 * handler.
 */
export type Upstream<Context = void> =
  | URL
  | string
  | ((request: Request, context: Context) => Promise<Response> | Response)

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

/** The model behind `ProxySettings`. A setting that is absent has its default. */
export const settingsModel = v.strictObject({
  upstream: v.pipe(
    v.custom<URL | UpstreamFunction>(isUpstream, 'an http or https URL without credentials, or a function'),
    v.transform((upstream) => (typeof upstream === 'function' ? upstream : new URL(upstream))),
  ),
  forwardHeaders: v.optional(v.array(endToEnd), []),
  upstreamHeaders: v.optional(v.record(ofOperator, headerValue), {}),
  pin: v.optional(v.array(text), []),
  searchTool: v.optional(toolName, 'search_tools'),
  readTool: v.optional(v.union([toolName, v.literal('')]), 'read_schema'),
  callTool: v.optional(toolName, 'call_tool'),
  engines: v.optional(v.strictObject({ query: v.optional(engine), pattern: v.optional(engine) }), {}),
  limits: v.optional(limits, {}),
  guard: v.optional(v.picklist(['catalog', 'none']), 'catalog'),
  readWindowMs: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(10_000)), 0),
  allowedOrigins: v.optional(
    v.array(v.pipe(text, v.check(isOrigin, 'an origin such as https://app.example, or *'))),
    [],
  ),
  allowedHosts: v.optional(v.array(v.pipe(text, lowerCase, v.regex(HOST, 'a host name, with or without a port'))), []),
  extensionId: v.optional(
    v.pipe(text, v.regex(/^[A-Za-z0-9.-]+\/[A-Za-z0-9._-]+$/, 'a prefixed id')),
    'dev.mcp-schema-disclosure/v1',
  ),
  instructions: v.optional(v.string()),
  maxRequestBytes: v.optional(bound(2 ** 30), 4 * 1024 * 1024),
  timeoutMs: v.optional(bound(DAY_MS), 60_000),
})

/** What `createDisclosureProxy` takes. Everything but `upstream` is optional. */
export interface ProxySettings<Context = void> {
  /** The MCP server behind the proxy. */
  readonly upstream: Upstream<Context>
  /** Names of the caller's headers that go upstream, beside the protocol's own. Default none: not even `authorization`. */
  readonly forwardHeaders?: readonly string[] | undefined
  /** Headers set on every upstream request: the operator's secrets. They win over the caller's. Default none. */
  readonly upstreamHeaders?: Readonly<Record<string, string>> | undefined
  /** Tools listed as the upstream lists them, beside the meta-tools: names, or globs with `*`. Default none. */
  readonly pin?: readonly string[] | undefined
  /** Name of the searching tool. Default `search_tools`. */
  readonly searchTool?: string | undefined
  /** Name of the reading tool, for clients that give their model no resources; empty for none. Default `read_schema`. */
  readonly readTool?: string | undefined
  /** Name of the calling tool. Default `call_tool`. */
  readonly callTool?: string | undefined
  /**
   * Who answers the searching tool: `query` for needs in words, default a `RankedSearch`, `pattern` for regular expressions, default
   * a `RegexSearch`; each proxy has its own. An engine of yours sees the listing of the caller who searches; `timeoutMs` bounds it.
   */
  readonly engines?:
    | { readonly query?: SearchEngine | undefined; readonly pattern?: SearchEngine | undefined }
    | undefined
  /** Bounds of one listing; defaults are `DEFAULT_LISTING_LIMITS`. */
  readonly limits?: { readonly [Limit in keyof ListingLimits]?: ListingLimits[Limit] | undefined } | undefined
  /**
   * What the calling tool checks. `'catalog'` (default): the target must be in the caller's catalog now. `'none'`: the upstream
   * alone decides. A given `schema_sha256` is compared in both.
   */
  readonly guard?: 'catalog' | 'none' | undefined
  /**
   * Milliseconds for which a listing may serve further reads of the same caller, 0 … 10,000. Default 0: every read lists. Callers
   * are told apart by their forwarded headers: where an upstream function is given a context, every read lists.
   */
  readonly readWindowMs?: number | undefined
  /** Origins of web pages that may use the proxy, beside its own; `*` for any. Default none. */
  readonly allowedOrigins?: readonly string[] | undefined
  /**
   * `Host` headers that are answered, with or without a port. Default: any, but only loopback names for a loopback URL. Most
   * runtimes make the request's URL from that very header: whoever listens on loopback has to set this against DNS rebinding.
   */
  readonly allowedHosts?: readonly string[] | undefined
  /** Id under which the disclosure announces itself in `capabilities.extensions`. Default `dev.mcp-schema-disclosure/v1`. */
  readonly extensionId?: string | undefined
  /** Text added to the server's instructions. Default: how to search, read and call; empty for none. */
  readonly instructions?: string | undefined
  /** Most bytes of a request body; more is answered with 413. Default 4 MiB. */
  readonly maxRequestBytes?: number | undefined
  /**
   * Milliseconds until the upstream must have begun to answer what is changed or asked here, and until such an answer must be
   * complete. Calls and whatever else passes as it is wait as long as their client does. Default 60,000.
   */
  readonly timeoutMs?: number | undefined
}

/** Every setting but the upstream, defaults filled in: all that most of the proxy has to know. */
export interface CommonSettings {
  readonly forwardHeaders: readonly string[]
  readonly upstreamHeaders: Readonly<Record<string, string>>
  readonly pin: readonly string[]
  readonly searchTool: string
  readonly readTool: string
  readonly callTool: string
  readonly engines: { readonly query: SearchEngine; readonly pattern: SearchEngine }
  readonly limits: ListingLimits
  readonly guard: 'catalog' | 'none'
  readonly readWindowMs: number
  readonly allowedOrigins: readonly string[]
  readonly allowedHosts: readonly string[]
  readonly extensionId: string
  readonly instructions: string
  readonly maxRequestBytes: number
  readonly timeoutMs: number
}

/** Settings with every default filled in. */
export interface CompleteSettings<Context = unknown> extends CommonSettings {
  readonly upstream: URL | ((request: Request, context: Context) => Promise<Response> | Response)
}

/**
 * Settings checked and completed.
 *
 * @throws {ProxyError} `settings`; `data.setting` names the first one that is wrong, its value is never shown
 */
export function completeSettings<Context>(settings: ProxySettings<Context>): CompleteSettings<Context> {
  const result = v.safeParse(settingsModel, settings, { abortEarly: true })
  if (!result.success) {
    const [issue] = result.issues
    const setting = (issue.path ?? []).map(({ key }) => String(key)).join('.') || 'settings'
    // The model's own words; the default ones would show what was received.
    const expected = issue.message.startsWith('Invalid ') ? (issue.expected ?? 'another value') : issue.message
    throw new ProxyError('settings', `Cannot make proxy: setting "${setting}" is not valid, expected ${expected}`, {
      setting,
      expected,
    })
  }
  const { output } = result
  const given = Object.entries(output.limits).filter(([, value]) => value !== undefined)
  const { searchTool, readTool, callTool } = output
  const setting = searchTool === callTool || readTool === callTool ? 'callTool' : 'readTool'
  if (new Set([searchTool, readTool, callTool]).size < 3) {
    const expected = `another name than that of the ${setting === 'readTool' || searchTool === callTool ? 'searching' : 'reading'} tool`
    throw new ProxyError('settings', `Cannot make proxy: setting "${setting}" is not valid, expected ${expected}`, {
      setting,
      expected,
    })
  }
  return Object.freeze({
    ...output,
    // Made here, so that what they keep is this proxy's own.
    engines: Object.freeze({
      query: output.engines.query ?? new RankedSearch(),
      pattern: output.engines.pattern ?? new RegexSearch(),
    }),
    limits: Object.freeze({ ...DEFAULT_LISTING_LIMITS, ...Object.fromEntries(given) }),
    instructions: output.instructions ?? instructionsFor(searchTool, callTool),
  }) as CompleteSettings<Context>
}

const instructionsFor = (searchTool: string, callTool: string): string =>
  `Most tools of this server are not listed. Find them with ${searchTool}, read the schema resource named in a hit's manifest, then use ${callTool}.`
