/**
 * The error of the provider.
 * @module
 */

import { JsonError, SchemaDisclosureError } from '../core/index.ts'

/** What each code carries. */
export interface ProviderErrorData {
  /** Hidden, disabled, unknown, stale or malformed: one refusal for all, so that it tells nothing. */
  'not-found': { readonly uri: string }
  /** A tool whose own manifest in `_meta.openapi_schema` does not agree with the tool: `field` is the first that differs. */
  'manifest-mismatch': { readonly tool: string; readonly field: string }
  /** A tool entry without an input schema that is an object. */
  'tool-malformed': { readonly tool: string; readonly expected: string }
  /** A search engine threw, or did not answer with a list; what it threw is the `cause`. */
  'search-failed': Readonly<Record<never, never>>
  /** An option or argument that is none: `option` is its name. */
  'option-invalid': { readonly option: string }
  /** A search is attached to this server already. */
  'server-attached': Readonly<Record<never, never>>
  /** The server is connected already: what came before could not be seen. */
  'server-connected': Readonly<Record<never, never>>
  /** A search was handed in as a catalog, but is not attached to this server. */
  'search-not-attached': Readonly<Record<never, never>>
  /**
   * Tools were to be listed as a caller whose request is not open on this server's connection, or cannot be told from another:
   * it was answered, given up, or its id came twice.
   */
  'caller-unknown': Readonly<Record<never, never>>
}

/** All codes of `ProviderError`; their meaning stands at `ProviderErrorData`. */
export type ProviderErrorCode = keyof ProviderErrorData

/** A `ProviderError` discriminated by its code. */
export type AnyProviderError = { [Code in ProviderErrorCode]: ProviderError<Code> }[ProviderErrorCode]

/**
 * A refusal of the provider.
 *
 * @example
 * ```ts
 * try {
 *   await readSchemaUri(uri, find)
 * } catch (error) {
 *   if (ProviderError.is(error) && error.code === 'not-found') console.log('no such schema for this caller')
 * }
 * ```
 */
export class ProviderError<Code extends ProviderErrorCode = ProviderErrorCode> extends Error {
  override readonly name = 'ProviderError'
  readonly code: Code
  readonly data: Readonly<ProviderErrorData[Code]>

  constructor(code: Code, data: ProviderErrorData[Code], message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.data = Object.freeze({ ...data })
  }

  /** Tells a `ProviderError` from every other thrown value. */
  static is(value: unknown): value is AnyProviderError {
    return value instanceof ProviderError
  }
}

/**
 * True for what is wrong with a tool: its neighbours are not to suffer for it. A runtime that cannot hash is no fault of a tool.
 *
 * @example
 * ```ts
 * isToolFault(new TypeError('x')) // false
 * ```
 */
export const isToolFault = (error: unknown): boolean =>
  ProviderError.is(error) ||
  JsonError.is(error) ||
  (SchemaDisclosureError.is(error) && error.code !== 'digest-unavailable')

/** Throws that an option is none; `action` completes "Cannot". */
export function refuseOption(action: string, option: string): never {
  throw new ProviderError('option-invalid', { option }, `Cannot ${action}: "${option}" is invalid`)
}
