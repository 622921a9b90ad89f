/**
 * What the other folders ask of the world. Types only.
 * @module
 */

import type { JsonObject } from './types.ts'

/** How long a request may take and what ends it. */
export interface RequestOptions {
  /** Ends the request; the promise then rejects. */
  readonly signal?: AbortSignal
  /** Milliseconds until the request is given up; default is the session's own. */
  readonly timeout?: number
}

/**
 * An MCP session as the caller already has it. The `Client` of the MCP SDK, v1 and v2, is one as it is.
 * The result schema is the SDK's own idea of one; this library always hands in one that passes everything through.
 */
export interface McpSession {
  request(
    request: { method: string; params?: { [name: string]: unknown } },
    resultSchema: never,
    options?: { signal?: AbortSignal; timeout?: number },
  ): Promise<unknown>
}

/** One reason why a value does not satisfy a schema. Holds no values. */
export interface ValidationIssue {
  readonly message: string
  /** JSON Pointer into the value. */
  readonly instancePath: string
  /** JSON Pointer into the schema. */
  readonly schemaPath: string
}

/** A schema ready to judge values. */
export interface CompiledSchema {
  validate(value: unknown): { readonly issues?: readonly [ValidationIssue, ...ValidationIssue[]] }
}

/** Compiles JSON Schemas from strangers. Handed in where something is validated; there is no default. */
export interface SchemaValidator {
  compile(schema: JsonObject): CompiledSchema
}
