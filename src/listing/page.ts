/**
 * One page: the exact bytes of its entries, without reading what is in them.
 * @module
 */

import { JsonError, JsonReader, type Span } from '../json/index.ts'
import { ListingError } from './errors.ts'
import type { ListingLimits } from './limits.ts'

/** One tool as the server listed it. */
export interface ListedTool {
  /** The real tool name, as `tools/call` takes it. */
  readonly name: string
  /** The entry's exact bytes as listed: one JSON object. A view into the page; do not change it. */
  readonly json: Uint8Array
}

/** What earlier pages have used up. */
export interface ListingCount {
  readonly pages: number
  readonly entries: number
  readonly bytes: number
}

/** One page as read. */
export interface ToolsPage {
  readonly tools: readonly ListedTool[]
  /** Entries left out: not an object, no string `name`, a member twice, a name that is not Unicode text. */
  readonly skipped: number
  /** Verbatim; the empty string is a cursor. Absent at the end of the list. */
  readonly nextCursor?: string
}

/**
 * Reads the `result` object of one `tools/list` answer: slices the entries and takes their names in one forward pass. Schemas
 * are measured and passed, never parsed.
 *
 * @param result UTF-8 bytes of the `result` object
 * @param counted what earlier pages used up, default nothing
 * @throws {ListingError} `total-bytes`, `tool-limit`, `entry-bytes`, `schema-bytes`, `malformed-page`
 *
 * @example
 * ```ts
 * const page = readToolsPage(new TextEncoder().encode('{"tools":[{"name":"a","inputSchema":{}}],"nextCursor":"2"}'), limits)
 * page.tools[0]?.name // 'a'
 * ```
 */
export function readToolsPage(
  result: Uint8Array,
  limits: ListingLimits,
  counted: ListingCount = { pages: 0, entries: 0, bytes: 0 },
): ToolsPage {
  const page = counted.pages + 1
  if (!(result instanceof Uint8Array)) throw malformed(page, 'not bytes')
  if (counted.bytes + result.length > limits.maxTotalBytes) {
    throw new ListingError(
      'total-bytes',
      { limit: limits.maxTotalBytes },
      `the pages hold more than ${limits.maxTotalBytes} bytes`,
    )
  }
  const tools: ListedTool[] = []
  let skipped = 0
  let listed = false
  let nextCursor: string | undefined
  try {
    const reader = new JsonReader(result)
    reader.object((member) => {
      if (member === 'tools') {
        listed = true
        reader.array(() => {
          if (counted.entries + tools.length + skipped >= limits.maxTools) {
            throw new ListingError('tool-limit', { limit: limits.maxTools }, `more than ${limits.maxTools} tools`)
          }
          const tool = readEntry(reader, limits)
          if (tool === undefined) skipped++
          else tools.push(tool)
        })
      } else if (member === 'nextCursor' && reader.kind() !== 'null') nextCursor = reader.string()
      // A null cursor is off-schema, but servers that write their absent members as null mean the end of the list by it.
      else reader.span()
    })
    reader.end()
  } catch (error) {
    if (JsonError.is(error)) throw malformed(page, error.code, error)
    throw error
  }
  if (!listed) throw malformed(page, 'no tools')
  return nextCursor === undefined ? { tools, skipped } : { tools, skipped, nextCursor }
}

/** One entry, or undefined where it is to be left out. The reader stands behind the entry either way. */
function readEntry(reader: JsonReader, limits: ListingLimits): ListedTool | undefined {
  const isObject = reader.kind() === 'object'
  const start = reader.position
  const name = isObject ? entryName(reader, start, limits) : passed(reader)
  const bytes = reader.position - start
  if (bytes > limits.maxEntryBytes) {
    throw new ListingError(
      'entry-bytes',
      { limit: limits.maxEntryBytes, bytes },
      `an entry of ${bytes} bytes, at most ${limits.maxEntryBytes} are allowed`,
    )
  }
  return name === undefined ? undefined : { name, json: reader.bytes.subarray(start, reader.position) }
}

function entryName(reader: JsonReader, start: number, limits: ListingLimits): string | undefined {
  let name: string | undefined
  try {
    reader.object((member) => {
      if (member === 'name' && reader.kind() === 'string') name = reader.string()
      else {
        const span = reader.span()
        if (member === 'inputSchema' || member === 'outputSchema') checkSchemaBytes(member, span, limits)
      }
    })
    return name
  } catch (error) {
    if (!JsonError.is(error)) throw error
    // One bad entry must not hide its neighbours: passed as a whole, which throws again where the page itself is broken.
    reader.position = start
    return passed(reader)
  }
}

function passed(reader: JsonReader): undefined {
  reader.span()
  return undefined
}

function checkSchemaBytes(member: string, span: Span, limits: ListingLimits): void {
  const bytes = span.end - span.start
  if (bytes <= limits.maxSchemaBytes) return
  throw new ListingError(
    'schema-bytes',
    { limit: limits.maxSchemaBytes, bytes, member },
    `an ${member} of ${bytes} bytes, at most ${limits.maxSchemaBytes} are allowed`,
  )
}

function malformed(page: number, reason: string, cause?: unknown): ListingError<'malformed-page'> {
  const options = cause === undefined ? undefined : { cause }
  return new ListingError(
    'malformed-page',
    { page, reason },
    `page ${page} is not a tools/list result (${reason})`,
    options,
  )
}
