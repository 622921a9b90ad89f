/**
 * `npm run fuzz`: mutated sets of fragments, none of which may be accepted as anything but the selected document. Exits 1 where
 * one is.
 *
 * Arguments: how many sets (default 1,000,000) and the seed (default of the day).
 * @module
 */

import { reconstructSchema } from '../src/core/index.ts'
import { fuzz } from './fuzz/run.ts'

const count = Number(process.argv[2] ?? 1_000_000)
const seed = Number(process.argv[3] ?? Math.floor(Date.now() / 86_400_000))
if (!Number.isSafeInteger(count) || count < 1 || !Number.isSafeInteger(seed)) {
  console.error('Cannot fuzz: expected a number of sets and a seed')
  process.exit(1)
}
const start = performance.now()
const { refused, same, accepted, uncoded, codes } = await fuzz(count, seed, reconstructSchema)
const seconds = ((performance.now() - start) / 1000).toFixed(1)
console.log(`${count.toLocaleString('en-US')} sets, seed ${seed}, ${seconds} s`)
console.log(`refused ${refused}, the same document spelled otherwise ${same}, accepted ${accepted.length}`)
for (const [code, times] of [...codes].sort(([, left], [, right]) => right - left)) console.log(`  ${code} ${times}`)
for (const line of [...accepted, ...uncoded].slice(0, 20)) console.log(`! ${line}`)
process.exitCode = accepted.length + uncoded.length === 0 ? 0 : 1
