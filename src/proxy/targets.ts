/**
 * Targets of calls that were in their caller's catalog a moment ago.
 * @module
 */

import type { ListedTool } from '../listing/index.ts'
import { callerOf } from './caller.ts'
import type { Closings } from './closings.ts'
import type { Exchange } from './exchange.ts'
import type { NestedListing } from './nested.ts'

/** How old a listing may be by which a call goes on. None is refused by it, and the upstream judges every call. */
const MAX_AGE_MS = 10_000
const MAX_TARGETS = 1024
const MAX_BYTES = 8 * 1024 * 1024

interface Target {
  /** When its listing was asked for. */
  readonly since: number
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
    const caller = await callerOf(exchange, listing)
    const target = caller === undefined ? undefined : this.#kept.get(caller.key + name)
    if (caller === undefined || target === undefined || this.#closings.isClosedSince(caller, target.since))
      return undefined
    return isRecent(target) ? target.tool : undefined
  }

  /** @param since when the listing was asked for */
  async keep(exchange: Exchange, listing: NestedListing, { name, json }: ListedTool, since: number): Promise<void> {
    const caller = await callerOf(exchange, listing)
    if (caller === undefined || json.length > MAX_BYTES) return
    const key = caller.key + name
    this.#drop(key)
    // A copy: the entry is a view of its page.
    this.#kept.set(key, { since, tool: { name, json: json.slice() } })
    this.#bytes += json.length
    for (const [oldest, target] of this.#kept) {
      const fits = this.#kept.size <= MAX_TARGETS && this.#bytes <= MAX_BYTES
      if (fits && isRecent(target)) break
      this.#drop(oldest)
    }
  }

  #drop(key: string): void {
    this.#bytes -= this.#kept.get(key)?.tool.json.length ?? 0
    this.#kept.delete(key)
  }
}

const isRecent = ({ since }: Target): boolean => since + MAX_AGE_MS > Date.now()
