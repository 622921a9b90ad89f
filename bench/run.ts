/**
 * Prints figures as ratios of one run; asserts nothing. `core`, `proxy` or `sizes` as argument runs that part alone.
 * @module
 */

import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { benchCore } from './core.ts'
import { benchProxy } from './proxy.ts'

const [part] = process.argv.slice(2)
const wants = (name: string) => part === undefined || part === name

console.log(`Node ${process.version}, ${process.platform} ${process.arch}`)
if (wants('core')) await benchCore()
if (wants('proxy')) await benchProxy()
if (wants('sizes')) {
  console.log('\nBundle sizes, min + gzip')
  const isBuilt = existsSync(fileURLToPath(new URL('../dist/worker/index.js', import.meta.url)))
  if (isBuilt) await import('../scripts/size.ts')
  else console.log('not built: npm run build && npm run worker:build')
}
