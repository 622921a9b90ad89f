/**
 * Targets of calls that were in their caller's catalog a moment ago.
 * @module
 */

import type { ListedTool } from '../listing/index.ts'
import { callerKey } from './caller.ts'
import type { Closings } from './closings.ts'
import type { Exchange } from './exchange.ts'
import type { NestedListing } from './nested.ts'

/** How old a listing may be by which a call goes on. None is refused by it, and the upstream judges every call. */
const MAX_AGE_MS = 10_000
const MAX_TARGETS = 1024
const MAX_BYTES = 8 * 1024 * 1024

interface Target {
  readonly until: number
  readonly tool: ListedTool
}

/** Memory of one proxy instance: bounded, each caller's own, and only ever a reason not to list again. */
export class RecentTargets {
  readonly #kept = new Map<string, Target>()
  readonly #closings: Closings
  #bytes = 0

  constructor(closings: Closings) {
    this.#closings = closings
  }

  /** The tool of this name, where this caller's catalog held it within the last ten seconds. */
  async find(exchange: Exchange, listing: NestedListing, name: string): Promise<ListedTool | undefined> {
    const caller = await callerKey(exchange, listing)
    const target = caller === undefined ? undefined : this.#kept.get(caller + name)
    return target !== undefined && target.until > Date.now() ? target.tool : undefined
  }

  /** @param since when the listing was asked for */
  async keep(exchange: Exchange, listing: NestedListing, { name, json }: ListedTool, since: number): Promise<void> {
    const caller = await callerKey(exchange, listing)
    if (caller === undefined || json.length > MAX_BYTES || this.#closings.isClosedSince(caller, since)) return
    const key = caller + name
    this.#drop(key)
    // A copy: the entry is a view of its page.
    this.#kept.set(key, { until: since + MAX_AGE_MS, tool: { name, json: json.slice() } })
    this.#bytes += json.length
    for (const [oldest, { until }] of this.#kept) {
      const fits = this.#kept.size <= MAX_TARGETS && this.#bytes <= MAX_BYTES
      if (fits && until > Date.now()) break
      this.#drop(oldest)
    }
  }

  /** Forgets what this caller's catalog held: it has changed, or the session has ended, or the upstream refuses it. */
  forget(caller: string): void {
    for (const key of [...this.#kept.keys()]) if (key.startsWith(caller)) this.#drop(key)
  }

  #drop(key: string): void {
    this.#bytes -= this.#kept.get(key)?.tool.json.length ?? 0
    this.#kept.delete(key)
  }
}
