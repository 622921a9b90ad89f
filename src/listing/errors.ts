/**
 * The errors of this folder.
 * @module
 */

interface ListingErrorDataByCode {
  'page-limit': { readonly limit: number }
  'tool-limit': { readonly limit: number }
  'total-bytes': { readonly limit: number }
  'entry-bytes': { readonly limit: number; readonly bytes: number }
  'schema-bytes': { readonly limit: number; readonly bytes: number; readonly member: string }
  'repeated-cursor': { readonly cursor: string }
  timeout: { readonly limit: number }
  aborted: object
  'malformed-page': { readonly page: number; readonly reason: string }
}

/**
 * What each code means:
 *
 * - `page-limit`: the catalog has more pages than `limit`
 * - `tool-limit`: the catalog has more entries than `limit`
 * - `total-bytes`: the pages are larger than `limit` bytes together
 * - `entry-bytes`, `schema-bytes`: one entry, one schema of an entry is larger than `limit` bytes
 * - `repeated-cursor`: a page named a cursor that was named before (`cursor`, shortened): the list would never end
 * - `timeout`: not complete within `limit` milliseconds
 * - `aborted`: the caller's signal fired; its reason is the `cause`
 * - `malformed-page`: page number `page` (from 1) is not a `tools/list` result
 */
export type ListingErrorCode = keyof ListingErrorDataByCode

/** Every `ListingError`, discriminated by `code`. */
export type AnyListingError = { [C in ListingErrorCode]: ListingError<C> }[ListingErrorCode]

/**
 * A listing that failed as a whole. Nothing of it may be used.
 *
 * @example
 * ```ts
 * try {
 *   await collectTools(fetchPage)
 * } catch (error) {
 *   if (ListingError.is(error) && error.code === 'repeated-cursor') console.log(error.data.cursor)
 * }
 * ```
 */
export class ListingError<C extends ListingErrorCode = ListingErrorCode> extends Error {
  override readonly name = 'ListingError'
  readonly code: C
  readonly data: ListingErrorDataByCode[C]

  constructor(code: C, data: ListingErrorDataByCode[C], what: string, options?: ErrorOptions) {
    super(`Cannot list tools: ${what}`, options)
    this.code = code
    this.data = Object.freeze({ ...data }) as typeof data
  }

  /** Tells a `ListingError` from every other thrown value. */
  static is(value: unknown): value is AnyListingError {
    return value instanceof ListingError
  }
}
