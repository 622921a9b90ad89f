/**
 * Raw `tools/list` entries under limits that are counted while reading. Uses `json` only; no I/O of its own.
 * @module
 */

export { type CollectOptions, collectTools, type FetchPage, type Listing } from './collect.ts'
export { type AnyListingError, ListingError, type ListingErrorCode } from './errors.ts'
export { DEFAULT_LISTING_LIMITS, type ListingLimits } from './limits.ts'
export { type ListedTool, type ListingCount, readToolsPage, type ToolsPage } from './page.ts'
