/**
 * The caller's catalog: listed live, or within the read window from the caller's own last listing.
 * @module
 */

import { collectTools, type ListedTool, type Listing } from '../listing/index.ts'
import type { DiscloseTool } from '../provider/disclose.ts'
import { DisclosureMemo } from '../provider/disclosure-memo.ts'
import { type Caller, callerOf } from './caller.ts'
import { Closings } from './closings.ts'
import type { Exchange } from './exchange.ts'
import type { NestedListing } from './nested.ts'
import { usable } from './param-headers.ts'
import { RecentTargets } from './targets.ts'
import { UpstreamRefusal } from './upstream-refusal.ts'

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

/** Whose window it is; undefined where there are none. */
const windowOf = async (exchange: Exchange, listing: NestedListing): Promise<Caller | undefined> =>
  exchange.settings.readWindowMs > 0 ? callerOf(exchange, listing) : undefined

type Matches = (tool: ListedTool) => boolean | Promise<boolean>

/** Memory of one proxy instance. Bounded, and never needed for a right answer. */
export class CatalogMemory {
  readonly #windows = new Map<string, Window>()
  readonly #closings = new Closings()
  #windowBytes = 0
  /** The disclosure of a tool; one that was built for the same bytes is used again. */
  readonly disclose: DiscloseTool
  /** For the guard of calls only. */
  readonly targets: RecentTargets

  /** @param sourceDigests by tool name, see `ProxySettings` */
  constructor(sourceDigests: ReadonlyMap<string, string>) {
    this.targets = new RecentTargets(this.#closings)
    const memo = new DisclosureMemo(sourceDigests)
    this.disclose = (tool) => memo.disclose(tool)
  }

  /** A complete listing, for searches and pins: always live. Opens the caller's read window. */
  async list(exchange: Exchange, listing: NestedListing): Promise<Listing> {
    const since = Date.now()
    const listed = await this.#collect(exchange, listing)
    const catalog = { ...listed, tools: usable(listed.tools, listing.isModern) }
    this.#open(await windowOf(exchange, listing), exchange.settings.readWindowMs, catalog, since)
    return catalog
  }

  /** The one tool that matches, live: stops at its page. */
  async find(exchange: Exchange, listing: NestedListing, matches: Matches): Promise<ListedTool | undefined> {
    const listed = await this.#collect(exchange, listing, matches)
    return listed.found === undefined ? undefined : usable([listed.found], listing.isModern)[0]
  }

  /** The one tool that matches in the caller's window. Undefined is no verdict: only a live listing can tell what is missing. */
  async findInWindow(exchange: Exchange, listing: NestedListing, matches: Matches): Promise<ListedTool | undefined> {
    const caller = await windowOf(exchange, listing)
    const window = caller === undefined ? undefined : this.#windows.get(caller.key)
    if (caller === undefined || window === undefined || window.until <= Date.now()) return undefined
    return this.#closings.isClosedSince(caller, window.since) ? undefined : onlyOne(window.tools, matches)
  }

  /** As `find`; where there are windows, over the whole catalog, so that the reads that follow are served from it. */
  async findForReads(exchange: Exchange, listing: NestedListing, matches: Matches): Promise<ListedTool | undefined> {
    if ((await windowOf(exchange, listing)) === undefined) return this.find(exchange, listing, matches)
    return onlyOne((await this.list(exchange, listing)).tools, matches)
  }

  /**
   * Closes the caller's window: its catalog has changed, its session has ended, or the upstream refuses it. REQ-P-22.
   *
   * @param listing absent for what comes with a session, where no request speaks of itself
   */
  async forget(exchange: Exchange, listing?: NestedListing): Promise<void> {
    const caller = await callerOf(exchange, listing)
    if (caller !== undefined) this.#closings.note(caller)
  }

  async #collect(exchange: Exchange, listing: NestedListing, until?: Matches) {
    const { limits } = exchange.settings
    const options = { limits, signal: exchange.signal }
    try {
      return await collectTools(listing.fetchPage, until === undefined ? options : { ...options, until })
    } catch (error) {
      // REQ-P-33: whom the upstream refuses now reads nothing of what it could list before.
      if (error instanceof UpstreamRefusal) await this.forget(exchange, listing)
      throw error
    }
  }

  #open(caller: Caller | undefined, lengthMs: number, { tools, bytes }: Listing, since: number): void {
    if (caller === undefined) return
    const { key } = caller
    // Of listings that came together the one that was asked for last stays.
    if ((this.#windows.get(key)?.since ?? 0) >= since) return
    this.#close(key)
    this.#windows.set(key, { since, until: since + lengthMs, tools, bytes })
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
