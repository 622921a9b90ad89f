/**
 * Time of this thread's own: what else the machine does is not measured.
 * @module
 */

/** Milliseconds of processor time, the best of three where the first is not below `goal`. */
export function cpuMilliseconds(goal: number, run: () => void): number {
  let best = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < 3 && best >= goal; attempt++) {
    const start = process.threadCpuUsage()
    run()
    const { user, system } = process.threadCpuUsage(start)
    best = Math.min(best, (user + system) / 1000)
  }
  return best
}
