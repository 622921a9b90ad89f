/**
 * Runs every vector file and prints what became of it. Exits 1 where a case fails.
 * @module
 */

import { describeReport, runVectorFile, vectorFiles } from '../test/vectors/runners.ts'

let failed = 0
for (const name of vectorFiles()) {
  const report = await runVectorFile(name)
  failed += report?.failures.length ?? 0
  console.log(describeReport(name, report).join('\n'))
}
process.exitCode = failed === 0 ? 0 : 1
