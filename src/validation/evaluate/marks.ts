/**
 * Which members of a value some schema has looked at, for `unevaluatedProperties` and `unevaluatedItems`.
 * @module
 */

import type { Budget } from '../budget.ts'

/** The members looked at by the keywords of one schema and of those it applies in place. */
export class Marks {
  readonly names = new Set<string>()
  allNames = false
  readonly indexes = new Set<number>()
  /** Items before this one are looked at. */
  items = 0

  /** Takes over what a schema that holds has looked at. */
  merge(other: Marks, budget: Budget): void {
    budget.spend(1 + (other.names.size + other.indexes.size) / 2)
    for (const name of other.names) this.names.add(name)
    for (const index of other.indexes) this.indexes.add(index)
    this.allNames ||= other.allNames
    this.items = Math.max(this.items, other.items)
  }
}
