/**
 * A plain call through the front, bound to a schema by its digest.
 * @module
 */

import type { JsonObject, McpSession, RequestOptions, SchemaManifest, Sha256Hex } from '../core/index.ts'
import { ConsumerError } from './errors.ts'
import { member, send } from './session.ts'

/** What to call. */
export interface ToolCall {
  /** The real tool name: `name` of the navigation entry. */
  readonly name: string
  readonly arguments: { readonly [name: string]: unknown }
  /** Digest of the schema the arguments were made for; a tool whose schema changed since is not called. */
  readonly schemaSha256: Sha256Hex
}

/** The answer of a tool, as the session parsed it. Nothing in it was validated. */
export interface ToolAnswer {
  readonly content: readonly unknown[]
  readonly structuredContent?: unknown
  /** True where the tool, or the front in its place, answered with an error. */
  readonly isError: boolean
}

/** How a tool is called. */
export interface CallOptions extends RequestOptions {
  /** Name of the front's calling tool, default `call_tool`. */
  readonly callTool?: string
}

/**
 * Calls a tool through the front's `call_tool`, which compares `schemaSha256` with the tool's schema as it is now. Arguments
 * and answer are not validated here: `bindSchema` does.
 *
 * @throws {ConsumerError} `call-malformed`; what the session throws passes through
 *
 * @example
 * ```ts
 * const result = await callTool(client, {
 *   name: selected.name,
 *   arguments: { mark: 'bar' },
 *   schemaSha256: verified.manifest.schema_sha256,
 * })
 * ```
 */
export async function callTool(session: McpSession, call: ToolCall, options: CallOptions = {}): Promise<ToolAnswer> {
  const { callTool: tool = 'call_tool' } = options
  const { name, arguments: args, schemaSha256 } = call
  const params = { name: tool, arguments: { name, arguments: args, schema_sha256: schemaSha256 } }
  return readToolAnswer(name, await send(session, 'tools/call', params, options))
}

/** Calls a tool through the front's tool `via`, or itself where that is undefined. @throws {ConsumerError} `call-malformed` */
export async function requestTool(
  session: McpSession,
  via: string | undefined,
  request: { readonly name: string; readonly arguments: JsonObject; readonly manifest: SchemaManifest },
  options: RequestOptions,
): Promise<ToolAnswer> {
  const { name, arguments: args, manifest } = request
  if (via === undefined)
    return readToolAnswer(name, await send(session, 'tools/call', { name, arguments: args }, options))
  return callTool(
    session,
    { name, arguments: args, schemaSha256: manifest.schema_sha256 },
    { ...options, callTool: via },
  )
}

function readToolAnswer(tool: string, result: unknown): ToolAnswer {
  const content = member(result, 'content')
  if (!Array.isArray(content)) {
    throw new ConsumerError(
      'call-malformed',
      { tool, expected: 'content' },
      `Cannot call "${tool}": answer is no tool result, expected content`,
    )
  }
  const structuredContent = member(result, 'structuredContent')
  return Object.freeze({
    content,
    ...(structuredContent === undefined ? undefined : { structuredContent }),
    isError: member(result, 'isError') === true,
  })
}
