/**
 * What the searching tool was asked.
 * @module
 */

const DEFAULT_LIMIT = 5
const MAX_LIMIT = 20

/** A search, or what is wrong with its arguments. */
export type SearchArguments =
  | { readonly engine: 'query' | 'pattern'; readonly text: string; readonly limit: number }
  | { readonly problem: string }

/** REQ-P-28: arguments as the listed schema says, nothing coerced. */
export function readSearchArguments(value: unknown): SearchArguments {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { problem: 'arguments is not an object' }
  const { query, pattern, limit = DEFAULT_LIMIT, ...others } = value as { [name: string]: unknown }
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) return { problem: `"${unknown.slice(0, 100)}" is not an argument` }
  if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    return { problem: `limit is not an integer from 1 to ${MAX_LIMIT}` }
  }
  if ((query === undefined) === (pattern === undefined)) return { problem: 'give exactly one of query and pattern' }
  const engine = query === undefined ? 'pattern' : 'query'
  const text = query ?? pattern
  return typeof text === 'string' ? { engine, text, limit } : { problem: `${engine} is not a string` }
}
