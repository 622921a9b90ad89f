/**
 * Prints figures as ratios of one run; asserts nothing.
 * @module
 */

import { benchCore } from './core.ts'

console.log(`Node ${process.version}, ${process.platform} ${process.arch}`)
await benchCore()
