/**
 * Prints figures as ratios of one run; asserts nothing. `core` or `proxy` as argument runs that part alone.
 * @module
 */

import { benchCore } from './core.ts'
import { benchProxy } from './proxy.ts'

const [part] = process.argv.slice(2)
console.log(`Node ${process.version}, ${process.platform} ${process.arch}`)
if (part === undefined || part === 'core') await benchCore()
if (part === undefined || part === 'proxy') await benchProxy()
