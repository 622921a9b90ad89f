/**
 * The error of the consumer.
 * @module
 */

import type { Sha256Hex, ValidationIssue } from '../core/index.ts'

/** What each code carries. `tool` is a tool name, as called. */
export interface ConsumerErrorData {
  /** The search tool answered with an error of its own: `reason` is its text, at most 500 characters of a stranger's. */
  'search-failed': { readonly tool: string; readonly reason: string }
  /** The answer of the search tool is not a navigation list. */
  'search-malformed': { readonly tool: string; readonly expected: string }
  /** A resource read did not answer with exactly one JSON text. */
  'read-malformed': { readonly uri: string; readonly expected: string }
  /** The manifest that was read is not the one that was selected: `field` differs. */
  'manifest-differs': { readonly alias: string; readonly field: string }
  /** The answer of a tool call is not a tool result. */
  'call-malformed': { readonly tool: string; readonly expected: string }
  /** An argument of the wrong type: `expected` names the right one. */
  'argument-invalid': { readonly argument: string; readonly expected: string }
  /** What was to be bound did not come from `reconstructSchema`. */
  'not-verified': { readonly expected: string }
  /** `acceptSource` did not say `true` to the manifest's source. */
  'source-refused': { readonly tool: string; readonly sourceSha256: Sha256Hex }
  /** The arguments hold something JSON cannot carry, at JSON Pointer `path`. Nothing was sent. */
  'arguments-not-json': { readonly tool: string; readonly path: string; readonly expected: string }
  /** The arguments do not satisfy the verified input schema. Nothing was sent. */
  'arguments-invalid': { readonly tool: string; readonly issues: readonly [ValidationIssue, ...ValidationIssue[]] }
  /** `isCurrent` did not say `true`: caller, catalog or session moved on. Nothing was sent. */
  'binding-stale': { readonly tool: string }
  /** `confirm` did not say `true`, failed, or did not answer in time. Nothing was sent. */
  'not-confirmed': { readonly tool: string; readonly reason: 'declined' | 'failed' | 'timeout' }
  /** The validator cannot judge the schema or the value; its own error is the `cause`. A result was judged after the call. */
  'cannot-judge': { readonly tool: string; readonly part: 'input' | 'output' }
  /** The tool publishes an output schema and answered without structured content. The call was made. */
  'result-missing': { readonly tool: string }
  /** The structured answer does not satisfy the verified output schema. The call was made. */
  'result-invalid': { readonly tool: string; readonly issues: readonly [ValidationIssue, ...ValidationIssue[]] }
}
/** All codes of `ConsumerError`; their meaning stands at `ConsumerErrorData`. */
export type ConsumerErrorCode = keyof ConsumerErrorData

/** A `ConsumerError` discriminated by its code. */
export type AnyConsumerError = { [Code in ConsumerErrorCode]: ConsumerError<Code> }[ConsumerErrorCode]

/**
 * A refusal of the consumer. What the session itself refuses, and what `reconstructSchema` refuses, passes through as it is.
 *
 * @example
 * ```ts
 * try {
 *   await readSchema(session, selected.manifest)
 * } catch (error) {
 *   if (ConsumerError.is(error) && error.code === 'manifest-differs') console.log(error.data.field)
 * }
 * ```
 */
export class ConsumerError<Code extends ConsumerErrorCode = ConsumerErrorCode> extends Error {
  override readonly name = 'ConsumerError'
  readonly code: Code
  readonly data: Readonly<ConsumerErrorData[Code]>

  constructor(code: Code, data: ConsumerErrorData[Code], message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.data = Object.freeze({ ...data })
  }

  /** Tells a `ConsumerError` from every other thrown value. */
  static is(value: unknown): value is AnyConsumerError {
    return value instanceof ConsumerError
  }
}
