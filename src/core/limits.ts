/**
 * The bounds of the wire contract. They govern transport: none of them is permission to put a schema into a prompt.
 * @module
 */

/**
 * Bounds of the wire contract, fixed. Byte counts are of UTF-8.
 *
 * @example
 * ```ts
 * WIRE_LIMITS.fragmentBytes // 4096
 * ```
 */
export const WIRE_LIMITS = Object.freeze({
  /** Most bytes of one fragment's `text`. */
  fragmentBytes: 4096,
  /** Most bytes of a fragment's JSON envelope. */
  envelopeBytes: 32_768,
  /** Most bytes of the complete document. */
  documentBytes: 16_777_216,
  /** Most fragments of one document: 16 MiB cut at worst before a four-byte character each time, with room. */
  fragments: 4100,
  /** Most bytes of one navigation list. */
  navigationBytes: 32_768,
  /** Most characters of an operation id. */
  operationLength: 512,
  /** Most characters of an alias. */
  aliasLength: 128,
})
