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
}

const BUDGETS: readonly Budget[] = [
  { name: '.', modules: ['dist/core/index.js'], kilobytes: 12 },
  { name: './consumer with .', modules: ['dist/core/index.js', 'dist/consumer/index.js'], kilobytes: 16 },
  {
    name: './provider before any engine',
    modules: ['dist/provider/index.js'],
    kilobytes: 30,
  },
  {
    name: './consumer, ./validation, no engine',
    modules: ['dist/consumer/index.js', 'dist/validation/index.js'],
    kilobytes: 30,
  },
  { name: './proxy before any engine', modules: ['dist/proxy/index.js'], kilobytes: 40 },
]
const WORKER_KILOBYTES = 110

// Not methods that happen to be called eval.
const FORBIDDEN =
  /(?<![.\w$}])eval\(|\(0,eval\)|new Function\(|\bfrom\s*["']node:|\bimport\(\s*["']node:|\brequire\(\s*["']node:/

const gzipKilobytes = (bytes: Uint8Array) => gzipSync(bytes, { level: 9 }).length / 1024

/** What is loaded at once, and everything. What `import()` loads when it is needed is not counted. */
interface Bundle {
  readonly counted: Uint8Array
  readonly all: Uint8Array
}

async function bundle({ modules }: Budget): Promise<Bundle> {
  const contents = modules.map((path, index) => `export * as m${index} from './${path}'`).join('\n')
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: root },
    bundle: true,
    splitting: true,
    outdir: 'out',
    minify: true,
    format: 'esm',
    target: 'es2022',
    write: false,
    metafile: true,
    conditions: ['workerd', 'worker', 'browser'],
  })
  const outputs = Object.entries(metafile.outputs)
  const atOnce = new Set<string>()
  const open = outputs.filter(([, { entryPoint }]) => entryPoint === '<stdin>').map(([path]) => path)
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (atOnce.has(path)) continue
    atOnce.add(path)
    for (const { path: next, kind } of metafile.outputs[path]?.imports ?? [])
      if (kind === 'import-statement') open.push(next)
  }
  const join = (paths: readonly string[]): Uint8Array =>
    Buffer.concat(
      outputFiles.filter((file) => paths.some((path) => file.path.endsWith(path))).map((file) => file.contents),
    )
  return { counted: join([...atOnce]), all: join(outputs.map(([path]) => path)) }
}

let failed = 0
function report(name: string, { counted, all }: Bundle, limit: number): void {
  const size = gzipKilobytes(counted)
  const forbidden = FORBIDDEN.exec(new TextDecoder().decode(all))?.[0]
  const problem = forbidden !== undefined ? `holds ${forbidden}` : size > limit ? 'over budget' : undefined
  if (problem !== undefined) failed++
  console.log(
    `${name.padEnd(34)} ${size.toFixed(1).padStart(6)} of ${limit} KB${problem === undefined ? '' : `  ${problem}`}`,
  )
}

for (const budget of BUDGETS) report(budget.name, await bundle(budget), budget.kilobytes)

const workerFiles = readdirSync(`${root}dist/worker`).filter((name) => /\.m?js$/.test(name))
const worker = Buffer.concat(workerFiles.map((name) => readFileSync(`${root}dist/worker/${name}`)))
report('Worker, engine included', { counted: worker, all: worker }, WORKER_KILOBYTES)
process.exitCode = failed === 0 ? 0 : 1
