/**
 * The disclosure engine behind proxy and servers: from listed tools to manifests, navigation and resource reads.
 * @module
 */

export type { SchemaNavigation } from '../core/index.ts'
export {
  type AnyListingError,
  type CollectOptions,
  collectTools,
  DEFAULT_LISTING_LIMITS,
  type FetchPage,
  type ListedTool,
  type Listing,
  ListingError,
  type ListingErrorCode,
  type ListingLimits,
} from '../listing/index.ts'
export { type DiscloseTool, discloseTool } from './disclose.ts'
export { type DistinctTools, distinctTools } from './distinct.ts'
export { hasOwnManifest } from './entry.ts'
export {
  type AnyProviderError,
  isToolFault,
  ProviderError,
  type ProviderErrorCode,
  type ProviderErrorData,
} from './errors.ts'
export { toolAlias, toolOperation } from './names.ts'
export { describeSchemaTools, type Navigation, navigateTools } from './navigate.ts'
export { type FindTool, readSchemaUri, type SchemaResource } from './read.ts'
export { type SearchEngine, type SearchOptions, type ToolText, toolText } from './search/engine.ts'
export { RankedSearch } from './search/ranked.ts'
export { RegexSearch, type RegexSearchOptions, type SerializeTools } from './search/regex.ts'
export { type SearchToolsOptions, searchTools } from './search-tools.ts'
export { attachSearch, type ConnectableServer } from './server/attach.ts'
export type { ToolCatalog } from './server/catalog.ts'
export { type ResourceHost, registerSchemaResources, type ServerSdk } from './server/register.ts'
export type { AttachOptions, SearchReport } from './server/settings.ts'
export { summarizeTool } from './summary.ts'
