/**
 * Bundles each entry as a user's bundler would and compares its size, min + gzip, with its budget. Also refuses code that
 * would need `eval` or Node. Exits 1 over budget.
 * @module
 */

import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))

interface Budget {
  readonly name: string
  /** Modules to bundle together, as a user imports them. */
  readonly modules: readonly string[]
  readonly kilobytes: number
  /** Loaded only when needed, so not counted. */
  readonly external?: readonly string[]
}

const BUDGETS: readonly Budget[] = [
  { name: '.', modules: ['dist/core/index.js'], kilobytes: 12 },
  { name: './consumer with .', modules: ['dist/core/index.js', 'dist/consumer/index.js'], kilobytes: 16 },
  {
    name: './consumer, ./validation, no engine',
    modules: ['dist/consumer/index.js', 'dist/validation/index.js'],
    kilobytes: 30,
    external: ['re2js'],
  },
  { name: './proxy before the regex engine', modules: ['dist/proxy/index.js'], kilobytes: 40, external: ['re2js'] },
]
const WORKER_KILOBYTES = 110

// Not methods that happen to be called eval.
const FORBIDDEN =
  /(?<![.\w$}])eval\(|\(0,eval\)|new Function\(|\bfrom\s*["']node:|\bimport\(\s*["']node:|\brequire\(\s*["']node:/

const gzipKilobytes = (bytes: Uint8Array) => gzipSync(bytes, { level: 9 }).length / 1024

async function bundle({ modules, external = [] }: Budget): Promise<Uint8Array> {
  const contents = modules.map((path, index) => `export * as m${index} from './${path}'`).join('\n')
  const result = await build({
    stdin: { contents, resolveDir: root },
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    write: false,
    external: [...external],
    conditions: ['workerd', 'worker', 'browser'],
  })
  return result.outputFiles[0]?.contents ?? new Uint8Array()
}

let failed = 0
function report(name: string, code: Uint8Array, limit: number): void {
  const size = gzipKilobytes(code)
  const forbidden = FORBIDDEN.exec(new TextDecoder().decode(code))?.[0]
  const problem = forbidden !== undefined ? `holds ${forbidden}` : size > limit ? 'over budget' : undefined
  if (problem !== undefined) failed++
  console.log(
    `${name.padEnd(34)} ${size.toFixed(1).padStart(6)} of ${limit} KB${problem === undefined ? '' : `  ${problem}`}`,
  )
}

for (const budget of BUDGETS) report(budget.name, await bundle(budget), budget.kilobytes)

const workerFiles = readdirSync(`${root}dist/worker`).filter((name) => /\.m?js$/.test(name))
const worker = Buffer.concat(workerFiles.map((name) => readFileSync(`${root}dist/worker/${name}`)))
report('Worker, engine included', worker, WORKER_KILOBYTES)
process.exitCode = failed === 0 ? 0 : 1
