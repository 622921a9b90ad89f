/**
 * Judges a run behind the proxy by its rule.
 * @module
 */

import { type Difference, differences, type Results } from './results.ts'
import type { Rule } from './rules.ts'
import type { Run } from './run.ts'
import type { ScenarioSet } from './sets.ts'

/** What one set behind the proxy has shown. */
export interface Verdict {
  readonly identical: number
  /** Scenarios that differ as the rule says. */
  readonly named: readonly string[]
  /** What the rule does not allow. */
  readonly violations: readonly Omit<Difference, 'check'>[]
}

export function judge(rule: Rule, { revision }: ScenarioSet, direct: Run, through: Run): Verdict {
  const compared = (results: Results): Results =>
    new Map([...results].filter(([scenario]) => !rule.excluded.includes(scenario)))
  const before = compared(direct.results)
  const found = differences(before, compared(through.results))
  const expected = rule.differing[revision] ?? {}
  const isNamed = ({ scenario, check }: Difference) => check !== undefined && expected[scenario] === check
  const violations: Omit<Difference, 'check'>[] = found.filter((difference) => !isNamed(difference))
  const differing = new Set(found.map(({ scenario }) => scenario))
  for (const scenario of Object.keys(expected)) {
    if (!differing.has(scenario))
      violations.push({ scenario, reason: 'is the same, though the rule says it cannot be' })
  }
  if (through.exitCode !== direct.exitCode)
    violations.push({ scenario: 'the suite', reason: `ended with ${through.exitCode}, not with ${direct.exitCode}` })
  if (rule.isShimmed && through.calls === 0)
    violations.push({ scenario: 'the shim', reason: 'made no call through the calling tool' })
  return {
    identical: [...before.keys()].filter((scenario) => !differing.has(scenario)).length,
    named: found.filter(isNamed).map(({ scenario }) => scenario),
    violations,
  }
}
