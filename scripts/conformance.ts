/**
 * `npm run conformance`: the official conformance suite against a server, without the proxy and behind it, in Node and in
 * workerd. What the suite finds has to be the same, check by check, but for what the rules name. Exits 1 where it is not.
 * @module
 */

import { judge } from './conformance/judge.ts'
import { RUNTIMES } from './conformance/proxies.ts'
import { RULES } from './conformance/rules.ts'
import { type Run, type Runs, runDirect, runRule } from './conformance/run.ts'
import { baselineFaults, SETS } from './conformance/sets.ts'

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

const jobs = RULES.flatMap((rule) =>
  Object.entries(RUNTIMES).map(([runtime, startProxy]) => ({ rule, runtime, startProxy })),
)
const [direct, ...ruled] = (await inPairs([
  runDirect,
  ...jobs.map(
    ({ rule, startProxy }) =>
      () =>
        runRule(rule, startProxy),
  ),
])) as [Runs, ...Runs[]]

for (const set of SETS) {
  const { results, exitCode } = direct.get(set.revision) as Run
  tell(`alone         ${set.revision}  ${results.size} scenarios`)
  if (exitCode !== 0) violate(`the suite ended with ${exitCode}`)
  for (const fault of baselineFaults(set, results)) violate(fault)
}
for (const [index, { rule, runtime }] of jobs.entries()) {
  if (jobs[index - 1]?.rule !== rule) tell(`${rule.name}: ${rule.about}`)
  for (const set of rule.sets) {
    const [before, after] = [direct.get(set.revision), ruled[index]?.get(set.revision)] as [Run, Run]
    const { identical, named, violations: found } = judge(rule, set, before, after)
    const differing = named.length === 0 ? '' : `, different as named: ${named.join(', ')}`
    tell(`  ${rule.name}  ${runtime.padEnd(7)}  ${set.revision}  ${identical} identical${differing}`)
    for (const { scenario, reason } of found) violate(`${scenario}: ${reason}`)
  }
}
tell(`${violations} violations, ${((performance.now() - start) / 1000).toFixed(1)} s`)
process.exitCode = violations === 0 ? 0 : 1
