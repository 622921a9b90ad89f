/**
 * Stdio for Node and runtimes like it: child processes and the own process as the byte duplexes that `interposeStdio` takes.
 * @module
 */

export type { Exit } from './ending.ts'
export { StdioError, type StdioErrorCode } from './errors.ts'
export { stdioOfProcess } from './own.ts'
export { type SpawnedServer, type SpawnOptions, spawnStdio } from './spawn.ts'
