/**
 * Runs the suite against the fixture, alone and behind the proxy by each rule.
 * @module
 */

import { startFixture } from '../../test/conformance/fixture/index.ts'
import type { Listening } from '../../test/conformance/fixture/listen.ts'
import type { StartProxy } from './proxies.ts'
import type { Rule } from './rules.ts'
import { type ScenarioSet, SETS } from './sets.ts'
import { type Shim, startShim } from './shim.ts'
import { runSuite, type SuiteRun } from './suite.ts'

/** A run of one set, and how many calls went through the calling tool in it. */
export interface Run extends SuiteRun {
  readonly calls: number
}

/** By revision. */
export type Runs = ReadonlyMap<string, Run>

/** Every set against the fixture alone. */
export const runDirect = (): Promise<Runs> =>
  within(async (opened) => runSets((await opened(startFixture())).url, SETS))

/** The rule's sets against a fixture of its own behind the proxy. */
export const runRule = ({ sets, pin, isShimmed }: Rule, startProxy: StartProxy): Promise<Runs> =>
  within(async (opened) => {
    const fixture = await opened(startFixture())
    const proxy = await opened(startProxy(fixture.url, pin))
    if (!isShimmed) return runSets(proxy.url, sets)
    const shim = await opened(startShim(proxy.url))
    return runSets(shim.url, sets, shim)
  })

async function runSets(url: URL, sets: readonly ScenarioSet[], shim?: Shim): Promise<Runs> {
  const runs = new Map<string, Run>()
  for (const set of sets) {
    const before = shim?.calls() ?? 0
    runs.set(set.revision, { ...(await runSuite(url, set)), calls: (shim?.calls() ?? 0) - before })
  }
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
