/**
 * The bounds of reading and writing JSON.
 * @module
 */

/** Most levels of nesting, read or written. Every interpreter of the original takes at least this many. */
export const MAX_DEPTH = 960

/** Most digits of an integer, sign not counted: the bound of the original's number conversion. */
export const MAX_INTEGER_DIGITS = 4300
