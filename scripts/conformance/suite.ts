/**
 * Runs the official conformance suite against a URL.
 * @module
 */

import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Check, Results } from './results.ts'
import type { ScenarioSet } from './sets.ts'

const SUITE = fileURLToPath(
  new URL('../../node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url),
)

/** A set takes seconds, a scenario less than one. */
const SET_MS = 60_000
const SCENARIO_MS = 8_000

/** The suite names a folder after the scenario and the time. */
const FOLDER = /^server-(.+)-\d{4}-\d{2}-\d{2}T[\d-]+Z$/

/** One run of a set. */
export interface SuiteRun {
  readonly results: Results
  /** 0 where nothing failed that the revision requires. */
  readonly exitCode: number | null
}

export async function runSuite(url: URL, set: ScenarioSet): Promise<SuiteRun> {
  const folder = await mkdtemp(join(tmpdir(), 'conformance-'))
  try {
    const args = ['server', '--url', url.href, '--timeout', String(SCENARIO_MS), '--output-dir', folder, ...set.args]
    const child = spawn(process.execPath, [SUITE, ...args], { stdio: 'ignore', timeout: SET_MS, killSignal: 'SIGKILL' })
    const exitCode = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject)
      child.once('exit', resolve)
    })
    return { results: await readResults(folder), exitCode }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function readResults(folder: string): Promise<Results> {
  const results = new Map<string, readonly Check[]>()
  for (const name of await readdir(folder)) {
    const scenario = FOLDER.exec(name)?.[1]
    if (scenario === undefined) throw new Error(`Cannot read results: folder "${name}" is named in another way`)
    const checks = join(folder, name, 'checks.json')
    // A scenario that broke off has left none: it is missing then.
    if (existsSync(checks)) results.set(scenario, JSON.parse(await readFile(checks, 'utf8')) as Check[])
  }
  return results
}
