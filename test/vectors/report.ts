/**
 * What a runner says about one vector file.
 * @module
 */

export interface VectorReport {
  ran: number
  passed: number
  /** Cases that differ on purpose, by rule id of deviations.md. */
  readonly deviations: Map<string, number>
  /** Cases no runner of this file can execute, by reason. */
  readonly notRun: Map<string, number>
  readonly failures: string[]
}

export type VectorRunner = (file: unknown) => Promise<VectorReport>

export const newReport = (): VectorReport => ({
  ran: 0,
  passed: 0,
  deviations: new Map(),
  notRun: new Map(),
  failures: [],
})

/** Counts one case: `problem` undefined = passed; a rule covers a problem only where its condition holds. */
export function count(report: VectorReport, name: string, problem: string | undefined, rule?: string): void {
  report.ran++
  if (problem === undefined) report.passed++
  else if (rule !== undefined) report.deviations.set(rule, (report.deviations.get(rule) ?? 0) + 1)
  else report.failures.push(`${name}: ${problem}`)
}
