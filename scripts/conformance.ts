/**
 * `npm run conformance`: the official conformance suite against a server, without the proxy and behind it, in Node and in
 * workerd. What the suite finds has to be the same, check by check, but for what the rules name. Exits 1 where it is not.
 * @module
 */

import { RUNTIMES } from './conformance/proxies.ts'
import { RULES } from './conformance/rules.ts'
import { judge, runDirect, runRule } from './conformance/run.ts'
import { baselineFaults, SETS } from './conformance/sets.ts'
import type { SuiteRun } from './conformance/suite.ts'

const start = performance.now()
let violations = 0
const tell = (line: string): void => console.log(line)
const violate = (line: string): void => {
  violations++
  tell(`  ! ${line}`)
}

/** Two at a time: each keeps a processor busy. */
async function inPairs<T>(jobs: readonly (() => Promise<T>)[]): Promise<T[]> {
  const results: T[] = []
  const queue = jobs.entries()
  const work = async () => {
    for (const [index, job] of queue) results[index] = await job()
  }
  await Promise.all([work(), work()])
  return results
}

const direct = await runDirect()
for (const set of SETS) {
  const { results, exitCode } = direct.get(set.revision) as SuiteRun
  tell(`direct          ${set.revision}  ${results.size} scenarios, ${set.successes} checks passed`)
  if (exitCode !== 0) violate(`the suite ended with ${exitCode}`)
  for (const fault of baselineFaults(set, results)) violate(fault)
}

const jobs = RULES.flatMap((rule) =>
  Object.entries(RUNTIMES).map(([runtime, startProxy]) => ({ rule, runtime, startProxy })),
)
const ran =
  violations > 0
    ? []
    : await inPairs(
        jobs.map(
          ({ rule, startProxy }) =>
            () =>
              runRule(rule, startProxy),
        ),
      )
for (const [index, { runs, calls }] of ran.entries()) {
  const { rule, runtime } = jobs[index] as (typeof jobs)[number]
  if (index % Object.keys(RUNTIMES).length === 0) tell(`rule ${rule.name}: ${rule.about}`)
  for (const set of SETS) {
    const [before, after] = [direct.get(set.revision), runs.get(set.revision)] as [SuiteRun, SuiteRun]
    const { identical, named, violations: found } = judge(rule, set, before, after)
    const differing = named.length === 0 ? '' : `, differing as named: ${named.join(', ')}`
    tell(`  ${rule.name}  ${runtime.padEnd(9)}  ${set.revision}  ${identical} identical${differing}`)
    for (const { scenario, reason } of found) violate(`${scenario}: ${reason}`)
  }
  if (rule.isShimmed && calls === 0) violate('no call went through the calling tool')
}
tell(`${violations} violations, ${((performance.now() - start) / 1000).toFixed(1)} s`)
process.exitCode = violations === 0 ? 0 : 1
