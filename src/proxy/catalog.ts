/**
 * The caller's catalog: listed live, or within the read window from the caller's own last listing.
 * @module
 */

import { sha256Hex } from '../core/index.ts'
import { collectTools, type ListedTool, type Listing } from '../listing/index.ts'
import type { DiscloseTool } from '../provider/disclose.ts'
import { memoized } from '../provider/disclosure-memo.ts'
import type { Exchange } from './exchange.ts'
import { upstreamHeaders } from './headers.ts'
import type { NestedListing } from './nested.ts'
import { usable } from './param-headers.ts'

const MAX_WINDOWS = 64
/** With the disclosures no more than half of what an isolate has. */
const MAX_WINDOW_BYTES = 32 * 1024 * 1024

interface Window {
  /** When its listing was asked for. */
  readonly since: number
  readonly until: number
  readonly tools: readonly ListedTool[]
  readonly bytes: number
}

/** The one that matches; of two nobody could say which is meant. */
async function onlyOne(tools: readonly ListedTool[], matches: Matches): Promise<ListedTool | undefined> {
  const found: ListedTool[] = []
  for (const tool of tools) if (await matches(tool)) found.push(tool)
  return found.length === 1 ? found[0] : undefined
}

type Matches = (tool: ListedTool) => boolean | Promise<boolean>

/** Memory of one proxy instance. Bounded, and never needed for a right answer. */
export class CatalogMemory {
  readonly #windows = new Map<string, Window>()
  #windowBytes = 0
  /** The disclosure of a tool; one that was built for the same bytes is used again. */
  readonly disclose: DiscloseTool = memoized()

  /** A complete listing, for searches and pins: always live. Opens the caller's read window. */
  async list(exchange: Exchange, listing: NestedListing): Promise<Listing> {
    const { limits } = exchange.settings
    const since = Date.now()
    const listed = await collectTools(listing.fetchPage, { limits, signal: exchange.request.signal })
    const catalog = { ...listed, tools: usable(listed.tools, listing.isModern) }
    await this.#open(exchange, catalog, since)
    return catalog
  }

  /** The one tool that matches, live: stops at its page. */
  async find(exchange: Exchange, listing: NestedListing, matches: Matches): Promise<ListedTool | undefined> {
    const { limits } = exchange.settings
    const listed = await collectTools(listing.fetchPage, { limits, signal: exchange.request.signal, until: matches })
    return listed.found === undefined ? undefined : usable([listed.found], listing.isModern)[0]
  }

  /** The one tool that matches in the caller's window. Undefined is no verdict: only a live listing can tell what is missing. */
  async findInWindow(exchange: Exchange, matches: Matches): Promise<ListedTool | undefined> {
    if (!hasWindow(exchange)) return undefined
    const window = this.#windows.get(await windowKey(exchange))
    return window !== undefined && window.until > Date.now() ? onlyOne(window.tools, matches) : undefined
  }

  /** As `find`; where there are windows, over the whole catalog, so that the reads that follow are served from it. */
  async findForReads(exchange: Exchange, listing: NestedListing, matches: Matches): Promise<ListedTool | undefined> {
    if (!hasWindow(exchange)) return this.find(exchange, listing, matches)
    return onlyOne((await this.list(exchange, listing)).tools, matches)
  }

  /** Closes the caller's window: its catalog has changed, or its session has ended. REQ-P-22. */
  async forget(exchange: Exchange): Promise<void> {
    if (!hasWindow(exchange)) return
    const key = await windowKey(exchange)
    this.#close(key)
    // No listing that was asked for before opens one.
    this.#windows.set(key, { since: Date.now(), until: 0, tools: [], bytes: 0 })
  }

  async #open(exchange: Exchange, { tools, bytes }: Listing, since: number): Promise<void> {
    if (!hasWindow(exchange)) return
    const key = await windowKey(exchange)
    // Of listings that came together the one that was asked for last stays.
    if ((this.#windows.get(key)?.since ?? 0) >= since) return
    this.#close(key)
    this.#windows.set(key, { since, until: since + exchange.settings.readWindowMs, tools, bytes })
    this.#windowBytes += bytes
    for (const [oldest, { until }] of this.#windows) {
      const fits = this.#windows.size <= MAX_WINDOWS && this.#windowBytes <= MAX_WINDOW_BYTES
      if ((fits && until > Date.now()) || oldest === key) break
      this.#close(oldest)
    }
  }

  #close(key: string): void {
    this.#windowBytes -= this.#windows.get(key)?.bytes ?? 0
    this.#windows.delete(key)
  }
}

/** A window is the caller's own: without a way to tell callers apart there is none. REQ-P-22, REQ-P-33. */
const hasWindow = (exchange: Exchange): boolean => exchange.settings.readWindowMs > 0 && !exchange.isIdentifiedElsewhere

/** Whose window it is: everything the upstream can tell callers apart by, hashed. */
async function windowKey({ request, settings }: Exchange): Promise<string> {
  const headers = upstreamHeaders(request.headers, settings)
  // Of no caller, but of one request.
  for (const name of ['accept', 'content-type', 'last-event-id', 'traceparent', 'mcp-method', 'mcp-name']) {
    headers.delete(name)
  }
  return sha256Hex(JSON.stringify([request.url, ...headers]))
}
