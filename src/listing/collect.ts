/**
 * Collecting the pages of `tools/list`: bounded, all or nothing, able to stop at a tool.
 * @module
 */

import { ListingError } from './errors.ts'
import { DEFAULT_LISTING_LIMITS, type ListingLimits } from './limits.ts'
import { type ListedTool, readToolsPage } from './page.ts'

/**
 * Asks for one page and answers the bytes of its `result` object.
 *
 * `cursor` is undefined for the first page, else verbatim what the page before said. `signal` fires at the deadline and when
 * the caller gives up. `maxBytes` is what is left of the total: stop reading there.
 */
export type FetchPage = (
  cursor: string | undefined,
  options: { readonly signal: AbortSignal; readonly maxBytes: number },
) => Promise<Uint8Array>

/** What `collectTools` may be told. */
export interface CollectOptions {
  /** Overrides of `DEFAULT_LISTING_LIMITS`. */
  readonly limits?: Partial<ListingLimits>
  /** Gives up early. */
  readonly signal?: AbortSignal
  /** Asked for each tool in order; true ends the listing with the page that holds the tool. */
  readonly until?: (tool: ListedTool) => boolean | Promise<boolean>
  /** Makes the deadline's signal, default `AbortSignal.timeout`. */
  readonly timeout?: (milliseconds: number) => AbortSignal
}

/** A complete listing, or with `until` the part of it that was read. */
export interface Listing {
  /** In the order of the server. Names may occur twice: judging that is for those who use them. */
  readonly tools: readonly ListedTool[]
  /** Entries left out because they are no tools. */
  readonly skipped: number
  readonly pages: number
  /** Bytes of all `result` objects. */
  readonly bytes: number
  /** The `result` object of the first page, for its other members. */
  readonly firstPage: Uint8Array
  /** The one tool `until` said yes to. Absent where none was, and where the page held two: nobody could say which is meant. */
  readonly found?: ListedTool
}

/**
 * Reads the pages of `tools/list` in order and returns every entry as its raw bytes. Cursors go back verbatim. Any broken
 * limit or page fails the whole listing.
 *
 * @throws {ListingError} every code of the class; whatever `fetchPage` throws passes through
 *
 * @example
 * ```ts
 * const { tools } = await collectTools(async (cursor) => encode(await listPage(cursor)), { limits: { maxPages: 40 } })
 * ```
 */
export async function collectTools(fetchPage: FetchPage, options: CollectOptions = {}): Promise<Listing> {
  const limits = withDefaults(options.limits)
  const { signal: callerSignal, until } = options
  const deadline = (options.timeout ?? AbortSignal.timeout.bind(AbortSignal))(limits.timeoutMs)
  const signal = callerSignal === undefined ? deadline : AbortSignal.any([deadline, callerSignal])
  const stopped = (): ListingError =>
    callerSignal?.aborted === true
      ? new ListingError('aborted', {}, 'the caller gave up', { cause: callerSignal.reason })
      : new ListingError('timeout', { limit: limits.timeoutMs }, `not complete within ${limits.timeoutMs} ms`)

  const tools: ListedTool[] = []
  const seen = new Set<string>()
  let skipped = 0
  let bytes = 0
  let firstPage: Uint8Array | undefined
  let cursor: string | undefined
  for (let pages = 0; ; pages++) {
    if (pages >= limits.maxPages) {
      throw new ListingError('page-limit', { limit: limits.maxPages }, `more than ${limits.maxPages} pages`)
    }
    const maxBytes = limits.maxTotalBytes - bytes
    const result = await unlessStopped(() => fetchPage(cursor, { signal, maxBytes }), signal, stopped)
    const page = readToolsPage(result, limits, { pages, entries: tools.length + skipped, bytes })
    firstPage ??= result
    bytes += result.length
    skipped += page.skipped
    for (const tool of page.tools) tools.push(tool)

    const matches = until === undefined ? [] : await matching(page.tools, until)
    const next = page.nextCursor
    if (matches.length > 0 || next === undefined) {
      const listing = { tools, skipped, pages: pages + 1, bytes, firstPage }
      const [found] = matches
      return Object.freeze(found !== undefined && matches.length === 1 ? { ...listing, found } : listing)
    }
    // Whoever names a cursor again would be followed for ever.
    if (seen.has(next)) {
      const shown = next.length > 200 ? `${next.slice(0, 200)}…` : next
      throw new ListingError('repeated-cursor', { cursor: shown }, `cursor "${shown}" came twice`)
    }
    seen.add(next)
    cursor = next
  }
}

async function matching(
  tools: readonly ListedTool[],
  until: (tool: ListedTool) => boolean | Promise<boolean>,
): Promise<ListedTool[]> {
  const matches: ListedTool[] = []
  for (const tool of tools) {
    const verdict = until(tool)
    if (typeof verdict === 'boolean' ? verdict : await verdict) matches.push(tool)
  }
  return matches
}

/** Waits for one page no longer than the signal allows, also where `ask` does not heed it. */
async function unlessStopped<T>(ask: () => Promise<T>, signal: AbortSignal, stopped: () => Error): Promise<T> {
  if (signal.aborted) throw stopped()
  let onAbort = (): void => {}
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(stopped())
    signal.addEventListener('abort', onAbort, { once: true })
  })
  try {
    return await Promise.race([ask(), aborted])
  } catch (error) {
    throw signal.aborted ? stopped() : error
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

function withDefaults(limits: Partial<ListingLimits> = {}): ListingLimits {
  const given = Object.entries(limits).filter(([, value]) => value !== undefined)
  return { ...DEFAULT_LISTING_LIMITS, ...Object.fromEntries(given) }
}
