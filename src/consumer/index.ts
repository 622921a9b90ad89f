/**
 * The agent's side: search, select, read and verify, bind, call. Everything goes through the MCP session the caller already has.
 * @module
 */

export type { SchemaNavigation } from '../core/index.ts'
export { type BoundTool, bindSchema, type ToolResult } from './bind.ts'
export type { BindOptions } from './bind-options.ts'
export type { Binding, CallRequest, Confirm, Generation, IsCurrent } from './binding.ts'
export { type CallOptions, callTool, type ToolAnswer, type ToolCall } from './call.ts'
export { type AnyConsumerError, ConsumerError, type ConsumerErrorCode, type ConsumerErrorData } from './errors.ts'
export { type ReadOptions, type ReadProgress, readSchema } from './read.ts'
export { type SearchOptions, type SearchResult, searchSchemas } from './search.ts'
export type { FragmentStore } from './store.ts'
