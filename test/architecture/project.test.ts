import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const text = (path: string) => readFileSync(`${root}${path}`, 'utf8')
const manifest = JSON.parse(text('package.json')) as {
  exports: Record<string, { default: string } | string>
  scripts: Record<string, string>
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
}
const tracked = (folder: string) =>
  readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`)

describe('the project', () => {
  it('R-C-08: has the seven names at its top, and few beside them', () => {
    // What is tracked: a walk-through leaves its chart, a build its output.
    const tracked = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' })
    const names = [...new Set(tracked.split('\n').map((path) => path.split('/')[0] as string))].filter(
      (name) => name !== '',
    )
    const fixed = ['package.json', 'tsconfig.json', 'src', 'worker', 'test', 'wrangler.toml', 'README.md']
    expect(fixed.filter((name) => !names.includes(name))).toEqual([])
    const beside = [
      'LICENSE',
      'CHANGELOG.md',
      'SECURITY.md',
      'package-lock.json',
      'bench',
      'docs',
      'examples',
      'schemas',
    ]
    const tools = ['scripts', 'biome.json', 'tsdown.config.ts', 'vitest.config.ts', 'jsr.json']
    const known = new Set([...fixed, ...beside, ...tools])
    expect(names.filter((name) => !name.startsWith('.') && !known.has(name))).toEqual([])
  })

  it('R-C-16: is written in TypeScript', () => {
    const code = ['src', 'worker', 'scripts', 'bench', 'examples', 'test'].flatMap(tracked)
    expect(code.length).toBeGreaterThan(150)
    // What a desktop client starts with any Node, as it is.
    expect(code.filter((path) => /\.(?:js|mjs|cjs|jsx|py)$/.test(path))).toEqual(['examples/stdio-front.mjs'])
    expect(manifest.scripts.types).toContain('tsc')
  })

  it('R-C-04, R-C-05, R-C-06, R-C-07: hono, wrangler, vitest and miniflare do what they are named for', () => {
    expect(text('worker/app.ts')).toContain("import { Hono } from 'hono'")
    expect(manifest.scripts['worker:build']).toContain('wrangler deploy --dry-run')
    expect(manifest.scripts.test).toContain('vitest run')
    expect(text('.ci/run')).toContain('npm test')
    expect(Object.keys(manifest.devDependencies)).toContain('miniflare')
  })

  it('exact versions only', () => {
    const versions = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })
    expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))).toEqual([])
  })

  it.each(
    Object.entries(manifest.exports).flatMap(([name, entry]) =>
      // The one entry that is for Node only.
      typeof entry === 'string' || name === './stdio' ? [] : [[name, entry]],
    ),
  )('R-C-10: %s bundles for browsers, with nothing of Node', async (_name, entry) => {
    const source = (entry as { default: string }).default.replace('./dist/', 'src/').replace('.js', '.ts')
    const result = await build({
      entryPoints: [`${root}${source}`],
      bundle: true,
      write: false,
      format: 'esm',
      platform: 'browser',
      metafile: true,
      logLevel: 'silent',
    })
    const imported = Object.values(result.metafile.inputs).flatMap(({ imports }) => imports.map(({ path }) => path))
    expect(imported.filter((path) => path.startsWith('node:'))).toEqual([])
    expect(result.errors).toEqual([])
  })
})
