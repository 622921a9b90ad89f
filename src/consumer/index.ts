/**
 * The agent's side: search, select, read and verify, call. Everything goes through the MCP session the caller already has.
 * @module
 */

export { type CallOptions, callTool, type ToolCall, type ToolResult } from './call.ts'
export { type AnyConsumerError, ConsumerError, type ConsumerErrorCode, type ConsumerErrorData } from './errors.ts'
export { type ReadOptions, type ReadProgress, readSchema } from './read.ts'
export { type SchemaNavigation, type SearchOptions, type SearchResult, searchSchemas } from './search.ts'
