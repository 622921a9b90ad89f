/**
 * Which engine searches for what, and who writes down what is found.
 * @module
 */

import { describeSchemaTools } from '../navigate.ts'
import type { SearchEngine } from '../search/engine.ts'
import { RankedSearch } from '../search/ranked.ts'
import { RegexSearch, type SerializeTools } from '../search/regex.ts'

interface Engines {
  readonly query: SearchEngine
  readonly pattern: SearchEngine
}

/** What every server of one search shares: a stateless server is made anew for each request. */
const shared = new WeakMap<SearchEngine, Engines>()

/** The attached search for what it is for, and the other one beside it. */
export function enginesOf(search: SearchEngine): Engines {
  let engines = shared.get(search)
  if (engines === undefined) {
    const isPattern = search instanceof RegexSearch
    engines = isPattern ? { query: new RankedSearch(), pattern: search } : { query: search, pattern: new RegexSearch() }
    shared.set(search, engines)
  }
  return engines
}

/** A search's own serializer; undefined where it is the one that describes schemas. */
export function serializerOf(search: SearchEngine): SerializeTools | undefined {
  const { serialize } = search as { serialize?: unknown }
  if (typeof serialize !== 'function' || serialize === describeSchemaTools) return undefined
  return (hits) => serialize.call(search, hits)
}
