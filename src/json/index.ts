/**
 * JSON as bytes: a forward-only reader, lossless values and the canonical form. No I/O, no dependencies.
 * @module
 */

export { MAX_DEPTH, MAX_INTEGER_DIGITS } from './bounds.ts'
export { canonicalizeJsonText, canonicalJson, canonicalJsonBytes } from './canonical.ts'
export { isCanonical } from './canonical-check.ts'
export { JsonError, type JsonErrorCode, type JsonErrorData } from './errors.ts'
export { JsonNumber } from './number.ts'
export { parseJsonText } from './parse.ts'
export { type JsonKind, JsonReader, type Span } from './reader.ts'
