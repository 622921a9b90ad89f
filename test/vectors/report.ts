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

/** Two runs of one file as one. */
export function merged(left: VectorReport, right: VectorReport): VectorReport {
  const sum = (a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): Map<string, number> => {
    const all = new Map(a)
    for (const [name, number] of b) all.set(name, (all.get(name) ?? 0) + number)
    return all
  }
  return {
    ran: left.ran + right.ran,
    passed: left.passed + right.passed,
    deviations: sum(left.deviations, right.deviations),
    notRun: sum(left.notRun, right.notRun),
    failures: [...left.failures, ...right.failures],
  }
}
