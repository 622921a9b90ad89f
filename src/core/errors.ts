/**
 * The error of the wire contract.
 * @module
 */

import type { JsonErrorCode } from '../json/index.ts'

/** What each code carries. Digests are 64 lower-case hex digits, `at` is a byte offset, `path` a JSON Pointer. */
export interface SchemaDisclosureErrorData {
  /** A value is not a manifest: wrong, missing or unknown field at `path`; `expected` names the rule. */
  'manifest-invalid': { readonly path: string; readonly expected: string }
  /** A value is not a fragment: wrong, missing or unknown field at `path`; `expected` names the rule. */
  'fragment-invalid': { readonly path: string; readonly expected: string }
  /** A manifest or fragment text that is not JSON. `json` is the reader's code. */
  'text-invalid': { readonly json: JsonErrorCode; readonly at: number }
  /** The text of a manifest or fragment is longer than 32 KiB. `bytes`: its length, or that of its beginning already too long. */
  'envelope-size': { readonly bytes: number; readonly limit: number }
  /** Not a fragment index in plain decimal below the fragment count. */
  'fragment-index': { readonly expected: string }
  /** Not as many fragments as the manifest says. */
  'fragment-count': { readonly expected: number; readonly actual: number }
  /** A fragment at another place than its index says. */
  'fragment-order': { readonly expected: number; readonly actual: number }
  /** A fragment of another manifest than the selected one: `field` differs. */
  'fragment-identity': { readonly index: number; readonly field: string }
  /** A fragment's text does not have the fragment's digest. */
  'fragment-digest': { readonly index: number; readonly expected: string; readonly actual: string }
  /** The document has another length than the manifest says, or is beyond 16 MiB: `actual` is then the first count too many. */
  'document-size': { readonly expected: number; readonly actual: number }
  /** The joined document has another digest than the manifest says. */
  'document-digest': { readonly expected: string; readonly actual: string }
  /** The document is not an object of exactly `inputSchema` and `outputSchema`, both objects. */
  'document-shape': { readonly at: number }
  /** The document's bytes are not the canonical form. */
  'not-canonical': { readonly at: number }
  /** One of the two schemas does not have the digest the manifest says. */
  'schema-digest': {
    readonly part: 'inputSchema' | 'outputSchema'
    readonly expected: string
    readonly actual: string
  }
  /** A schema that has no exact JSON text. `json` is the reason; `place` is where: a JSON Pointer or "byte N". */
  'schema-invalid': {
    readonly part: 'inputSchema' | 'outputSchema'
    readonly json: JsonErrorCode
    readonly place: string
  }
  /** A schema that is JSON, but no object. */
  'schema-not-object': { readonly part: 'inputSchema' | 'outputSchema' }
  /** The expected digest is not the disclosure's: the schema changed, or the caller asks for another. */
  'stale-identity': { readonly expected: string; readonly actual: string }
  /** A string that has no UTF-8: it holds half of a surrogate pair. */
  'lone-surrogate': { readonly what: string }
  /** WebCrypto's SHA-256 is missing (a page without a secure context) or gave something that is no digest. */
  'digest-unavailable': { readonly expected: string }
  /** An argument of the wrong type: `expected` names the right one. */
  'argument-invalid': { readonly argument: string; readonly expected: string }
}

/** All codes of `SchemaDisclosureError`; their meaning stands at `SchemaDisclosureErrorData`. */
export type SchemaDisclosureErrorCode = keyof SchemaDisclosureErrorData

/** A `SchemaDisclosureError` discriminated by its code: a switch on `code` types `data`. */
export type AnySchemaDisclosureError = {
  [Code in SchemaDisclosureErrorCode]: SchemaDisclosureError<Code>
}[SchemaDisclosureErrorCode]

/**
 * Every refusal of this entry point. `code` is the contract, `data` is typed by it; messages may change.
 *
 * @example
 * ```ts
 * try {
 *   parseSchemaManifestText('{}')
 * } catch (error) {
 *   if (SchemaDisclosureError.is(error) && error.code === 'manifest-invalid') console.log(error.data.path)
 * }
 * ```
 */
export class SchemaDisclosureError<Code extends SchemaDisclosureErrorCode = SchemaDisclosureErrorCode> extends Error {
  override readonly name = 'SchemaDisclosureError'
  readonly code: Code
  readonly data: Readonly<SchemaDisclosureErrorData[Code]>

  constructor(code: Code, data: SchemaDisclosureErrorData[Code], message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.data = Object.freeze({ ...data })
  }

  /** Tells a `SchemaDisclosureError` from every other thrown value. */
  static is(value: unknown): value is AnySchemaDisclosureError {
    return value instanceof SchemaDisclosureError
  }
}

/** Throws the refusal of an argument: "Cannot *action*: *argument* is not *expected*". */
export function refuseArgument(action: string, argument: string, expected: string): never {
  return refuse('argument-invalid', { argument, expected }, `Cannot ${action}: ${argument} is not ${expected}`)
}

/** Throws a `SchemaDisclosureError`. */
export function refuse<Code extends SchemaDisclosureErrorCode>(
  code: Code,
  data: SchemaDisclosureErrorData[Code],
  message: string,
  options?: ErrorOptions,
): never {
  throw new SchemaDisclosureError(code, data, message, options)
}
