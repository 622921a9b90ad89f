/**
 * Timing for benches: medians of interleaved rounds, so that the noise of a shared machine hits all candidates alike.
 * @module
 */

export type Candidate = () => unknown | Promise<unknown>

/** Median milliseconds per candidate; `budgetMs` bounds the time spent, at least `rounds` rounds are run. */
export async function medians(
  candidates: Readonly<Record<string, Candidate>>,
  { rounds = 7, budgetMs = 2_000 }: { rounds?: number; budgetMs?: number } = {},
): Promise<Record<string, number>> {
  const names = Object.keys(candidates)
  const times: Record<string, number[]> = Object.fromEntries(names.map((name) => [name, []]))
  const until = performance.now() + budgetMs
  for (let round = 0; round < rounds || (performance.now() < until && round < 2_000); round++) {
    for (const name of names) {
      const start = performance.now()
      await (candidates[name] as Candidate)()
      times[name]?.push(performance.now() - start)
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(times[name] as number[])]))
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[sorted.length >> 1] as number
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] as number
}

/** A right-aligned table for the terminal. */
export function printTable(title: string, rows: readonly (readonly string[])[]): void {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)))
  console.log(`\n${title}`)
  for (const row of rows) {
    console.log(
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join('  '),
    )
  }
}

export const ms = (value: number): string => `${value < 10 ? value.toFixed(2) : value.toFixed(1)} ms`
export const ratio = (value: number): string => `${value.toFixed(2)} ×`
