/**
 * The members of a listed tool, as ranges of its bytes.
 * @module
 */

import { JsonError, JsonReader } from '../core/index.ts'
import type { ListedTool } from '../listing/index.ts'

/** A tool's own manifest travels in this member of `_meta`. */
const OWN_MANIFEST = 'openapi_schema'

/** A listed tool taken apart; absent members are undefined, ranges are bytes of the entry. */
export interface ToolEntry {
  readonly title: string | undefined
  readonly description: string | undefined
  readonly inputSchema: Uint8Array | undefined
  readonly outputSchema: Uint8Array | undefined
  readonly ownManifest: Uint8Array | undefined
}

// One pass over a large entry serves its search, its disclosure and its reads.
const entries = new WeakMap<ListedTool, ToolEntry>()

/** @throws {JsonError} where the entry is not a readable object; a listing leaves such entries out */
export function readEntry(tool: ListedTool): ToolEntry {
  let entry = entries.get(tool)
  if (entry === undefined) {
    entry = Object.freeze(takeApart(tool))
    entries.set(tool, entry)
  }
  return entry
}

function takeApart(tool: ListedTool): ToolEntry {
  const texts = new Map<string, string>()
  const ranges = new Map<string, Uint8Array>()
  const reader = new JsonReader(tool.json)
  const range = (): Uint8Array => {
    const { start, end } = reader.span()
    return tool.json.subarray(start, end)
  }
  reader.object((member) => {
    if ((member === 'title' || member === 'description') && reader.kind() === 'string') {
      texts.set(member, reader.string())
    } else if (member === 'outputSchema' && reader.kind() === 'null') reader.span()
    else if (member === 'inputSchema' || member === 'outputSchema') ranges.set(member, range())
    else if (member === '_meta' && reader.kind() === 'object') {
      reader.object((name) => {
        const isNull = reader.kind() === 'null'
        const value = range()
        if (name === OWN_MANIFEST && !isNull) ranges.set(OWN_MANIFEST, value)
      })
    } else reader.span()
  })
  return {
    title: texts.get('title'),
    description: texts.get('description'),
    inputSchema: ranges.get('inputSchema'),
    outputSchema: ranges.get('outputSchema'),
    ownManifest: ranges.get(OWN_MANIFEST),
  }
}

/**
 * True where a tool names a manifest of its own in `_meta.openapi_schema`. That copy authorises nothing. An entry that is not
 * readable names none.
 *
 * @example
 * ```ts
 * hasOwnManifest({ name: 'a', json: new TextEncoder().encode('{"name":"a"}') }) // false
 * ```
 */
export function hasOwnManifest(tool: ListedTool): boolean {
  try {
    return readEntry(tool).ownManifest !== undefined
  } catch (error) {
    if (JsonError.is(error)) return false
    throw error
  }
}
