/**
 * Which runner takes which vector file. `VECTORS_DIR` names the folder, default this one.
 * @module
 */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { merged, type VectorReport, type VectorRunner } from './report.ts'
import { runBugCases } from './run-bug-cases.ts'
import { runProvider } from './run-provider.ts'
import { runProviderServer } from './run-provider-server.ts'
import { runCanonical, runDisclosures, runFragments, runIndices, runManifests } from './run-wire.ts'

export const VECTORS_DIR = process.env.VECTORS_DIR ?? fileURLToPath(new URL('.', import.meta.url))

/** Runner by file, relative to the folder. */
export const RUNNERS: ReadonlyMap<string, VectorRunner> = new Map([
  ['bug-cases.json', runBugCases],
  ['wire/canonical.json', runCanonical],
  ['wire/disclosures.json', runDisclosures],
  ['wire/fragments-invalid.json', runFragments],
  ['wire/indices.json', runIndices],
  ['wire/manifests-invalid.json', runManifests],
  // The engine, the proxy, and a server that discloses itself.
  ['wire/provider.json', async (file) => merged(await runProvider(file), await runProviderServer(file))],
])

/** All vector files of the folder, sorted. */
export function vectorFiles(): string[] {
  return readdirSync(VECTORS_DIR, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.json'))
    .sort()
}

export async function runVectorFile(name: string): Promise<VectorReport | undefined> {
  const runner = RUNNERS.get(name)
  return runner?.(JSON.parse(readFileSync(join(VECTORS_DIR, name), 'utf8')))
}

/** One printable line a file, and one per failure. */
export function describeReport(name: string, report: VectorReport | undefined): string[] {
  if (report === undefined) return [`${name}: no runner`]
  const deviations = [...report.deviations].map(([rule, count]) => `${rule} ${count}`)
  const notRun = [...report.notRun].map(([reason, count]) => `${reason} ${count}`)
  const parts = [`${report.ran} ran`, `${report.passed} passed`]
  if (deviations.length > 0) parts.push(`by rule: ${deviations.join(', ')}`)
  if (notRun.length > 0) parts.push(`not run: ${notRun.join(', ')}`)
  return [`${name}: ${parts.join('; ')}`, ...report.failures.map((failure) => `  FAILED ${failure}`)]
}
