/**
 * What the other engine may do in one judgement, counted by the schema it is given.
 * @module
 */

import type { Sizes } from '../scan.ts'

/** Units one judgement may take; an application is eight. About 40 ms at worst. */
const MAX_UNITS = 60_000
const APPLICATION = 8
/** Characters of a text read in the time of one unit. */
const CHARACTERS = 16

/** What a part of a schema costs at each application, beside the application itself. */
export interface Price {
  /** Its lists and texts, in units. */
  weight: number
  patterns: number
  readsText: boolean
  isUnique: boolean
}

/** Thrown through the other engine when its units are used up. */
export class OutOfUnits extends Error {}

/** The units left in the judgement under way. */
export class Meter {
  #left = 0
  #sizes: Sizes | undefined

  start(sizes: Sizes): void {
    this.#sizes = sizes
    this.#left = MAX_UNITS
  }

  stop(): void {
    this.#sizes = undefined
  }

  /** Takes the price of one application. The value's largest sizes stand for those of whatever member it is applied to. */
  take({ weight, patterns, readsText, isUnique }: Price): undefined {
    const sizes = this.#sizes
    if (sizes === undefined) return
    this.#left -= APPLICATION + weight + (sizes.widestObject / 4) * (1 + patterns)
    if (readsText) this.#left -= sizes.longest / CHARACTERS
    if (isUnique) this.#left -= (sizes.values + sizes.characters / CHARACTERS) * sizes.widestArray
    if (this.#left < 0) throw new OutOfUnits()
  }
}
