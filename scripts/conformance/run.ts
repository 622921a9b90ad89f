/**
 * Runs the suite against the fixture, alone and behind the proxy by each rule, and judges.
 * @module
 */

import { startFixture } from '../../test/conformance/fixture/index.ts'
import type { Listening } from '../../test/conformance/fixture/listen.ts'
import type { StartProxy } from './proxies.ts'
import { type Difference, differences, type Results } from './results.ts'
import type { Rule } from './rules.ts'
import { type ScenarioSet, SETS } from './sets.ts'
import { startShim } from './shim.ts'
import { runSuite, type SuiteRun } from './suite.ts'

/** By revision. */
export type Runs = ReadonlyMap<string, SuiteRun>

/** Every set against the fixture alone. */
export const runDirect = (): Promise<Runs> => within(async (opened) => runSets((await opened(startFixture())).url))

export interface RuleRuns {
  readonly runs: Runs
  /** Calls that were made through the calling tool. */
  readonly calls: number
}

/** Every set against a fixture of its own behind the proxy. */
export const runRule = (rule: Rule, startProxy: StartProxy): Promise<RuleRuns> =>
  within(async (opened) => {
    const fixture = await opened(startFixture())
    const proxy = await opened(startProxy(fixture.url, rule.pin))
    if (!rule.isShimmed) return { runs: await runSets(proxy.url), calls: 0 }
    const shim = await opened(startShim(proxy.url))
    return { runs: await runSets(shim.url), calls: shim.calls() }
  })

async function runSets(url: URL): Promise<Runs> {
  const runs = new Map<string, SuiteRun>()
  for (const set of SETS) runs.set(set.revision, await runSuite(url, set))
  return runs
}

/** Closes what `run` has opened, the last first, however it ends. */
async function within<T>(
  run: (opened: <L extends Listening>(listening: Promise<L>) => Promise<L>) => Promise<T>,
): Promise<T> {
  const open: Listening[] = []
  try {
    return await run(async (listening) => {
      const opened = await listening
      open.push(opened)
      return opened
    })
  } finally {
    for (const listening of open.reverse()) await listening.close()
  }
}

/** What one set behind the proxy has shown. */
export interface Verdict {
  readonly identical: number
  /** Scenarios that differ as the rule names them. */
  readonly named: readonly string[]
  /** What the rule does not allow. */
  readonly violations: readonly Difference[]
}

export function judge(rule: Rule, { revision }: ScenarioSet, direct: SuiteRun, through: SuiteRun): Verdict {
  const compared = (results: Results): Results =>
    new Map([...results].filter(([scenario]) => !rule.excluded.includes(scenario)))
  const before = compared(direct.results)
  const found = differences(before, compared(through.results))
  const allowed = rule.differing[revision] ?? []
  const violations = found.filter(({ scenario }) => !allowed.includes(scenario))
  for (const scenario of allowed) {
    if (!found.some((difference) => difference.scenario === scenario))
      violations.push({ scenario, reason: 'is the same, though it is named as one that cannot be' })
  }
  if (through.exitCode !== direct.exitCode)
    violations.push({ scenario: 'the suite', reason: `ended with ${through.exitCode}, not with ${direct.exitCode}` })
  const named = found.map(({ scenario }) => scenario).filter((scenario) => allowed.includes(scenario))
  return { identical: before.size - found.length, named, violations }
}
