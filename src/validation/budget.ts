/**
 * What one judgement may cost. Steps are counted everywhere; the clock is looked at once in about a thousand.
 * @module
 */

import { cannotJudge } from './errors.ts'

export interface BudgetLimits {
  readonly maxSteps: number
  readonly maxMilliseconds: number
  readonly clock: () => number
}

/** Steps between two looks at the clock. */
const STRIDE = 1024

/** Counts down the steps of one judgement. */
export class Budget {
  readonly #limits: BudgetLimits
  readonly #start: number
  #steps = 0
  #nextLook = STRIDE

  constructor(limits: BudgetLimits) {
    this.#limits = limits
    this.#start = limits.clock()
  }

  /** Takes steps, or throws `too-many-steps` or `too-slow`. */
  spend(steps: number): void {
    this.#steps += steps
    if (this.#steps < this.#nextLook) return
    const { maxSteps, maxMilliseconds, clock } = this.#limits
    if (this.#steps > maxSteps)
      cannotJudge('too-many-steps', { limit: maxSteps }, `it takes more than ${maxSteps} steps`)
    if (clock() - this.#start > maxMilliseconds) {
      cannotJudge('too-slow', { limit: maxMilliseconds }, `it takes more than ${maxMilliseconds} ms`)
    }
    this.#nextLook = Math.min(this.#steps + STRIDE, maxSteps)
  }
}
