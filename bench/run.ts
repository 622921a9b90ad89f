/**
 * Prints figures as ratios of one run; asserts nothing. `core`, `proxy`, `streams` or `sizes` as argument runs that part alone.
 * @module
 */

import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { benchCore, SIZES } from './core.ts'
import { benchProxy } from './proxy.ts'
import { benchStreams } from './streams.ts'

const [part, only] = process.argv.slice(2)
const wants = (name: string) => part === undefined || part === name

if (part === 'core' && only !== undefined) await benchCore(only, SIZES[only] ?? Number(only))
else {
  console.log(`Node ${process.version}, ${process.platform} ${process.arch}`)
  for (const label of wants('core') ? Object.keys(SIZES) : []) {
    execFileSync(process.execPath, ['--expose-gc', fileURLToPath(import.meta.url), 'core', label], { stdio: 'inherit' })
  }
}
if (wants('proxy')) await benchProxy()
if (wants('streams')) await benchStreams()
if (wants('sizes')) {
  console.log('\nBundle sizes, min + gzip')
  const isBuilt = existsSync(fileURLToPath(new URL('../dist/worker/index.js', import.meta.url)))
  if (isBuilt) await import('../scripts/size.ts')
  else console.log('not built: npm run build && npm run worker:build')
}
