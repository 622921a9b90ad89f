/**
 * The bounds of one listing.
 * @module
 */

/** What one listing may cost. Every bound is inclusive: at it passes, one over fails the whole listing. */
export interface ListingLimits {
  /** Most pages asked for. */
  readonly maxPages: number
  /** Most entries, those left out included. */
  readonly maxTools: number
  /** Most bytes of one `inputSchema` or `outputSchema` as listed. */
  readonly maxSchemaBytes: number
  /** Most bytes of one entry as listed. */
  readonly maxEntryBytes: number
  /** Most bytes of all pages' `result` objects together. */
  readonly maxTotalBytes: number
  /** Most milliseconds for all pages together. */
  readonly timeoutMs: number
}

/**
 * The bounds of provider and proxy. Override single ones in `collectTools`.
 *
 * @example
 * ```ts
 * await collectTools(fetchPage, { limits: { maxPages: 40 } })
 * ```
 */
export const DEFAULT_LISTING_LIMITS: ListingLimits = Object.freeze({
  maxPages: 64,
  maxTools: 4096,
  maxSchemaBytes: 16 * 1024 * 1024,
  maxEntryBytes: 17 * 1024 * 1024,
  maxTotalBytes: 32 * 1024 * 1024,
  timeoutMs: 20_000,
})
