/**
 * Row 6: the answer to `tools/list` keeps the pinned tools and gets the meta-tools. REQ-P-18.
 * @module
 */

import { collectTools, type ListedTool } from '../listing/index.ts'
import { matchesGlob } from '../provider/glob.ts'
import { metaTools } from '../provider/meta-tools.ts'
import { concat, type Edit, encodeUtf8, splice } from './bytes.ts'
import type { Exchange } from './exchange.ts'
import { type ObjectMembers, readMembers, removeMember } from './members.ts'
import type { NestedListing } from './nested.ts'
import { usable } from './param-headers.ts'
import { type Freshness, freshnessOf, leastFresh } from './results.ts'
import type { RpcMessage } from './rpc.ts'
import { withResult } from './rpc.ts'

const COMMA = encodeUtf8(',')

/** The changed answer; undefined where it holds no tools and passes as it is. */
export async function shortList(
  exchange: Exchange,
  answer: RpcMessage,
  listing: NestedListing,
): Promise<Uint8Array | undefined> {
  if (answer.result === undefined) return undefined
  const result = answer.bytes.slice(answer.result.start, answer.result.end)
  const { settings } = exchange
  const tools =
    settings.pin.length === 0
      ? []
      : (
          await collectTools(
            // The first page is at hand; only what follows it is asked for.
            (cursor, options) => (cursor === undefined ? Promise.resolve(result) : listing.fetchPage(cursor, options)),
            { limits: settings.limits, signal: exchange.signal },
          )
        ).tools
  const changed = withTools(exchange, result, usable(tools, listing.isModern), listing.freshness)
  return changed === undefined ? undefined : withResult(answer, changed)
}

/**
 * A `tools/list` result that shows the pinned ones of `tools` and the meta-tools, and nothing else.
 *
 * @param further what the further pages say of how long they hold, where tools were taken from them
 */
export function withTools(
  exchange: Exchange,
  result: Uint8Array,
  tools: readonly ListedTool[],
  further?: Freshness,
): Uint8Array | undefined {
  const settings = exchange.settings
  const object = readMembers(result)
  const list = object.members.get('tools')
  if (list === undefined) return undefined
  const isPinned = (name: string): boolean => settings.pin.some((glob) => matchesGlob(name, glob))
  // The upstream's tools of these names would be listed twice.
  const reserved = new Set([settings.searchTool, settings.readTool, settings.callTool])
  const pinned = tools.filter(({ name }) => isPinned(name) && !reserved.has(name)).map(({ json }) => json)
  const own = metaTools(settings, exchange.version).map((tool) => encodeUtf8(JSON.stringify(tool)))
  const shown = [...pinned, ...own].flatMap((tool) => [COMMA, tool]).slice(1)
  const edits: Edit[] = [{ start: list.start, end: list.end, by: concat([encodeUtf8('['), ...shown, encodeUtf8(']')]) }]
  const cursor = removeMember(result, object, 'nextCursor')
  if (cursor !== undefined) edits.push(cursor)
  if (further !== undefined) edits.push(...freshnessEdits(result, object, further))
  return splice(
    result,
    edits.sort((left, right) => left.start - right.start),
  )
}

/** REQ-P-20: what the answer says of itself holds for all pages in it. */
function freshnessEdits(result: Uint8Array, object: ObjectMembers, further: Freshness): Edit[] {
  const { ttlMs, cacheScope } = leastFresh(freshnessOf(result, object), further)
  const values = { ttlMs: String(ttlMs), cacheScope: JSON.stringify(cacheScope) }
  return Object.entries(values).flatMap(([name, by]) => {
    const place = object.members.get(name)
    return place === undefined ? [] : [{ start: place.start, end: place.end, by }]
  })
}
