/**
 * The error of the consumer.
 * @module
 */

/** What each code carries. */
export interface ConsumerErrorData {
  /** The search tool answered with an error of its own. */
  'search-failed': { readonly tool: string }
  /** The answer of the search tool is not a navigation list. */
  'search-malformed': { readonly tool: string; readonly expected: string }
  /** A resource read did not answer with exactly one JSON text. */
  'read-malformed': { readonly uri: string; readonly expected: string }
  /** The manifest that was read is not the one that was selected: `field` differs. */
  'manifest-differs': { readonly alias: string; readonly field: string }
  /** The answer of a tool call is not a tool result. */
  'call-malformed': { readonly tool: string; readonly expected: string }
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
 *   await readSchema(session, selected)
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
