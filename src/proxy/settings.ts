/**
 * The settings of the proxy, shared by library and Worker; their model stands beside.
 * @module
 */

import * as v from 'valibot'
import type { SchemaValidator } from '../core/index.ts'
import { DEFAULT_LISTING_LIMITS, type ListingLimits } from '../listing/index.ts'
import type { SearchEngine } from '../provider/search/engine.ts'
import { RankedSearch } from '../provider/search/ranked.ts'
import { RegexSearch } from '../provider/search/regex.ts'
import { ArgumentGuard } from './argument-guard.ts'
import { ProxyError } from './errors.ts'
import { LOOPBACK } from './origin.ts'
import { settingsModel } from './settings-model.ts'

/**
 * An upstream: the URL of its MCP endpoint, or a function that answers requests, such as a service binding or an in-process
 * handler.
 */
export type Upstream<Context = void> =
  | URL
  | string
  | ((request: Request, context: Context) => Promise<Response> | Response)

/** What `createDisclosureProxy` takes. Everything but `upstream` is optional. */
export interface ProxySettings<Context = void> {
  /** The MCP server behind the proxy. */
  readonly upstream: Upstream<Context>
  /**
   * Whether credentials may go to an `http:` upstream beyond this machine. Default false: such settings are refused where `upstreamHeaders`
   * are set, or `authorization` or `cookie` is forwarded.
   */
  readonly allowCleartext?: boolean | undefined
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
   * What the calling tool checks. `'catalog'` (default): the target must be in the caller's catalog; what was in it within the last
   * ten seconds is not looked for again, and nothing is refused but by a live listing. `'arguments'`: also, the arguments must satisfy
   * its input schema; where `validator` cannot tell, the call goes on. `'none'`: the upstream alone decides. A given `schema_sha256` is
   * compared live in all three.
   */
  readonly guard?: 'catalog' | 'arguments' | 'none' | undefined
  /** Judges arguments: needed by guard `'arguments'`, unused otherwise. `jsonSchemaValidator()` of `./validation` is one. */
  readonly validator?: SchemaValidator | undefined
  /**
   * Milliseconds for which a listing may serve further reads of the same caller, 0 … 10,000. Default 0: every read lists. Callers
   * are told apart by their forwarded headers: where an upstream function is given a context, every read lists.
   */
  readonly readWindowMs?: number | undefined
  /**
   * Digests (SHA-256, lower-case hex) of what tools were made from, by tool name: `source_sha256` of their manifests. Default: that of the
   * tool's entry as it is listed. A manifest that a tool carries stands before both.
   */
  readonly sourceDigests?: Readonly<Record<string, string>> | undefined
  /** Origins of web pages that may use the proxy, beside its own; `*` for any. Default none. */
  readonly allowedOrigins?: readonly string[] | undefined
  /**
   * `Host` headers that are answered, with or without a port. Default: any, but only loopback names for a loopback URL. Most
   * runtimes make the request's URL from that very header: whoever listens on loopback has to set this against DNS rebinding.
   */
  readonly allowedHosts?: readonly string[] | undefined
  /**
   * The URL under which clients reach the proxy, where it is an OAuth resource of its own: the upstream's protected resource metadata
   * (RFC 9728) is then answered with it as `resource`, and challenges name that metadata. For upstreams that take tokens for this very
   * resource; default none, challenges pass as they are.
   */
  readonly publicUrl?: URL | string | undefined
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
  readonly allowCleartext: boolean
  readonly forwardHeaders: readonly string[]
  readonly upstreamHeaders: Readonly<Record<string, string>>
  readonly pin: readonly string[]
  readonly searchTool: string
  readonly readTool: string
  readonly callTool: string
  readonly engines: { readonly query: SearchEngine; readonly pattern: SearchEngine }
  readonly limits: ListingLimits
  readonly guard: 'catalog' | 'arguments' | 'none'
  /** Where the guard is `'arguments'`. */
  readonly argumentGuard: ArgumentGuard | undefined
  readonly readWindowMs: number
  readonly sourceDigests: ReadonlyMap<string, string>
  readonly allowedOrigins: readonly string[]
  readonly allowedHosts: readonly string[]
  readonly publicUrl: URL | undefined
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
    const words = issue.message.startsWith('Invalid ') ? (issue.expected ?? 'another value') : issue.message
    const expected = words === 'never' ? 'no setting of this name' : words.startsWith('"') ? 'a value' : words
    refuseSetting(setting, expected)
  }
  const { output } = result
  const given = Object.entries(output.limits).filter(([, value]) => value !== undefined)
  if (isCleartext(output.upstream) && carriesCredentials(output) && !output.allowCleartext) {
    refuseSetting('upstream', 'https where credentials go there, or allowCleartext')
  }
  const { searchTool, readTool, callTool } = output
  const setting = searchTool === callTool || readTool === callTool ? 'callTool' : 'readTool'
  if (new Set([searchTool, readTool, callTool]).size < 3) {
    const expected = `another name than that of the ${setting === 'readTool' || searchTool === callTool ? 'searching' : 'reading'} tool`
    refuseSetting(setting, expected)
  }
  const { guard, validator: judge } = output
  if (guard === 'arguments' && judge === undefined)
    refuseSetting('validator', "a schema validator, for the guard 'arguments'")
  return Object.freeze({
    ...output,
    // Made here, so that what they keep is this proxy's own.
    argumentGuard: guard === 'arguments' && judge !== undefined ? new ArgumentGuard(judge) : undefined,
    engines: Object.freeze({
      query: output.engines.query ?? new RankedSearch(),
      pattern: output.engines.pattern ?? new RegexSearch(),
    }),
    sourceDigests: new Map(Object.entries(output.sourceDigests)),
    limits: Object.freeze({ ...DEFAULT_LISTING_LIMITS, ...Object.fromEntries(given) }),
    instructions: output.instructions ?? instructionsFor(searchTool, callTool),
  }) as CompleteSettings<Context>
}

const isCleartext = (upstream: unknown): boolean =>
  upstream instanceof URL && upstream.protocol === 'http:' && !LOOPBACK.test(upstream.hostname)

const carriesCredentials = ({
  forwardHeaders,
  upstreamHeaders,
}: {
  readonly forwardHeaders: readonly string[]
  readonly upstreamHeaders: object
}): boolean =>
  Object.keys(upstreamHeaders).length > 0 ||
  forwardHeaders.some((name) => name === 'authorization' || name === 'cookie')

function refuseSetting(setting: string, expected: string): never {
  const message = `Cannot make proxy: setting "${setting}" is not valid, expected ${expected}`
  throw new ProxyError('settings', message, { setting, expected })
}

const instructionsFor = (searchTool: string, callTool: string): string =>
  `Most tools of this server are not listed. Find them with ${searchTool}, read the schema resource named in a hit's manifest, then use ${callTool}.`
