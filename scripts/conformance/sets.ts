/**
 * The sets of scenarios that are run, one a revision, and what the fixture reaches in them without a proxy.
 * @module
 */

import { isGreen, isVacuous, type Results } from './results.ts'

export interface ScenarioSet {
  readonly revision: string
  /** What tells the suite to run this set. */
  readonly args: readonly string[]
  readonly scenarios: number
  /** Checks with the result SUCCESS. */
  readonly successes: number
}

const requirements = (revision: string) => ['--requirements', revision]
/** Revisions for which the suite froze no requirements. */
const applicable = (revision: string) => ['--suite', 'all', '--spec-version', revision]

export const SETS: readonly ScenarioSet[] = [
  { revision: '2025-11-25', args: requirements('2025-11-25'), scenarios: 33, successes: 84 },
  { revision: '2026-07-28', args: requirements('2026-07-28'), scenarios: 50, successes: 164 },
  { revision: '2025-06-18', args: applicable('2025-06-18'), scenarios: 27, successes: 56 },
  { revision: '2025-03-26', args: applicable('2025-03-26'), scenarios: 1, successes: 3 },
]

/** An extension that the fixture's SDK does not have: how it is refused is compared all the same. */
const EXTENSION = /^tasks-/

/** What is not as it should be in a run without a proxy: such a run is no measure. */
export function baselineFaults({ scenarios, successes }: ScenarioSet, results: Results): string[] {
  const faults: string[] = []
  const count = [...results.values()].flat().filter(({ status }) => status === 'SUCCESS').length
  if (results.size !== scenarios) faults.push(`${results.size} scenarios, expected ${scenarios}`)
  if (count !== successes) faults.push(`${count} successes, expected ${successes}`)
  for (const [scenario, checks] of results) {
    if (EXTENSION.test(scenario)) continue
    if (!isGreen(checks)) faults.push(`${scenario} fails`)
    if (isVacuous(checks)) faults.push(`${scenario} passes with nothing to look at`)
  }
  return faults
}
