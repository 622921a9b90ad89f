/**
 * What one caller may see now, asked from the server itself.
 * @module
 */

import {
  collectTools,
  DEFAULT_LISTING_LIMITS,
  type ListedTool,
  type Listing,
  type ListingLimits,
} from '../../listing/index.ts'
import type { OpenRequest } from './connection.ts'
import { isMembers, type Members, own } from './messages.ts'

/**
 * The tools of a server as one caller may see them now. `extra` is what the SDK hands to a resource's read callback: in it stands
 * who asks.
 *
 * @example
 * ```ts
 * const catalog: ToolCatalog<{ authInfo?: { clientId: string } }> = {
 *   async *listTools({ authInfo }) {
 *     for (const tool of toolsOf(authInfo?.clientId)) {
 *       yield { name: tool.name, json: new TextEncoder().encode(JSON.stringify(tool)) }
 *     }
 *   },
 * }
 * ```
 */
export interface ToolCatalog<Extra> {
  /** Every tool, in catalog order, with the bytes of its entry in `tools/list`. Asked anew for each read. */
  listTools(extra: Extra, options: { readonly signal: AbortSignal }): AsyncIterable<ListedTool>
}

/** Bounds and end of one listing. */
export interface ListOptions {
  readonly limits: Partial<ListingLimits>
  readonly signal?: AbortSignal | undefined
  /** Sees each page's result as the server made it. */
  readonly onPage?: (result: Members) => void
}

/**
 * Lists the server's tools as the sender of `request`: the server's own `tools/list`, all pages, under limits.
 *
 * @throws {ListingError} every code of the class
 * @throws {ServerRefusal} an error of the server
 */
export const listAs = (request: OpenRequest, options: ListOptions): Promise<Listing> =>
  collectAs(request, options, spelled)

/**
 * As `listAs`, for those who look for one tool by its name: an entry is spelled when its bytes are asked for. The others are only
 * counted, so a call or a read of one tool costs little in a catalog of many.
 */
export async function findableAs(request: OpenRequest, options: ListOptions): Promise<readonly ListedTool[]> {
  const entries = new Map<string, unknown>()
  const { tools } = await collectAs(request, options, (entry) => {
    const name = own(entry, 'name')
    if (typeof name !== 'string') return 'null'
    entries.set(name, entry)
    return JSON.stringify({ name })
  })
  const { maxEntryBytes = DEFAULT_LISTING_LIMITS.maxEntryBytes } = options.limits
  return tools.map(({ name }) => spelledLater(name, entries.get(name), maxEntryBytes))
}

/** An entry beyond the bound is no tool, as one that cannot be spelled. */
function spelledLater(name: string, entry: unknown, maxBytes: number): ListedTool {
  let json: Uint8Array | undefined
  return {
    name,
    get json() {
      json ??= encoder.encode(spelled(entry))
      if (json.length > maxBytes) json = encoder.encode('null')
      return json
    },
  }
}

function collectAs(
  request: OpenRequest,
  { limits, signal, onPage }: ListOptions,
  spell: (entry: unknown) => string,
): Promise<Listing> {
  return collectTools(
    async (cursor, { signal: ended, maxBytes }) => {
      const params = cursor === undefined ? {} : { cursor }
      const result = await request.connection.ask(request, 'tools/list', params, ended)
      if (isMembers(result)) onPage?.(result)
      return pageBytes(result, maxBytes, spell)
    },
    { limits, signal: signal === undefined ? request.signal : AbortSignal.any([request.signal, signal]) },
  )
}

const encoder = new TextEncoder()

/** A page as a transport spells it. */
function pageBytes(result: unknown, maxBytes: number, spell: (entry: unknown) => string): Uint8Array {
  const tools = own(result, 'tools')
  if (!Array.isArray(tools)) return encoder.encode('{}')
  const entries: string[] = []
  let length = 0
  for (const tool of tools) {
    const entry = spell(tool)
    entries.push(entry)
    length += entry.length
    // No text has fewer bytes than units: the listing refuses the page as too long.
    if (length > maxBytes) break
  }
  const cursor = own(result, 'nextCursor')
  const next = cursor === undefined || cursor === null ? '' : `,"nextCursor":${spelled(cursor)}`
  return encoder.encode(`{"tools":[${entries.join(',')}]${next}}`)
}

/** An entry that cannot be spelled is no tool; its neighbours do not suffer for it. */
function spelled(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null'
  } catch {
    return 'null'
  }
}
