import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  dependencies: Record<string, string>
  exports: Record<string, unknown>
}
const folder = mkdtempSync(join(tmpdir(), 'disclosure-package-'))
const run = (command: string, args: string[], cwd: string) =>
  execFileSync(command, args, {
    cwd,
    encoding: 'utf8',
    timeout: 60_000,
    shell: process.platform === 'win32',
    env: { ...process.env, DENO_NO_UPDATE_CHECK: '1', NO_COLOR: '1' },
  })
/** A program that npm installed. */
const program = (name: string) => join(root, 'node_modules/.bin', name)

let files: string[] = []

beforeAll(() => {
  const [packed] = JSON.parse(
    run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], root),
  ) as [{ filename: string; files: { path: string }[] }]
  files = packed.files.map(({ path }) => path)
  // Installs offline: the tarball's own dependencies are taken from this checkout.
  const local = Object.keys(manifest.dependencies).map((name) => [name, `file:${join(root, 'node_modules', name)}`])
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({
      private: true,
      type: 'module',
      dependencies: { 'mcp-schema-disclosure': `file:./${packed.filename}`, ...Object.fromEntries(local) },
    }),
  )
  // As copies: a linked package would want its development dependencies, too.
  const flags = ['--offline', '--install-links', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error']
  run('npm', ['install', ...flags], folder)
}, 120_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const node = (code: string): string => {
  writeFileSync(join(folder, 'example.mjs'), code)
  return run(process.execPath, ['example.mjs'], folder).trim()
}

describe('the packed package, installed in an empty folder', () => {
  it('R-A-04, R-A-02: runs the first example of the README by package name', () => {
    const example = /```js\n([\s\S]*?)```/.exec(readFileSync(join(root, 'README.md'), 'utf8'))?.[1] as string
    expect(node(example)).toBe("[ 'city' ]")
  })

  it('R-A-23, R-A-24: holds both JSON Schemas, as values and as files', () => {
    const output = node(`
      import { schemaManifestJsonSchema, schemaFragmentJsonSchema } from 'mcp-schema-disclosure'
      import { createRequire } from 'node:module'
      const require = createRequire(import.meta.url)
      const files = ['manifest', 'fragment'].map((name) => require('mcp-schema-disclosure/schemas/schema-' + name + '.json'))
      console.log(JSON.stringify([schemaManifestJsonSchema, schemaFragmentJsonSchema]) === JSON.stringify(files))
    `)
    expect(output).toBe('true')
  })

  it('every entry point imports without the MCP SDK or hono installed', () => {
    const entries = Object.keys(manifest.exports).filter((name) => !name.endsWith('.json'))
    const code = entries
      .map((name, index) => `import * as m${index} from '${name.replace('.', 'mcp-schema-disclosure')}'`)
      .join('\n')
    const counts = entries.map((_, index) => `Object.keys(m${index}).length > 0`)
    expect(node(`${code}\nconsole.log(${counts.join(' && ')})`)).toBe('true')
  })

  it('holds what a desktop client starts', () => {
    const front = join(folder, 'node_modules/mcp-schema-disclosure/examples/stdio-front.mjs')
    const notice = '{"jsonrpc":"2.0","method":"notifications/message","params":{"n":1.0}}'
    const server = `process.stdin.resume(); console.log(${JSON.stringify(notice)})`
    expect(run(process.execPath, [front, '--', process.execPath, '-e', server], folder)).toBe(`${notice}\n`)
  })

  describe.each([
    ['Node', [process.execPath]],
    ['Deno', [program('deno'), 'run', '--no-remote', '--allow-read']],
    ['Bun', [program('bun'), 'run']],
  ] as const)('in %s', (_name, [command, ...args]) => {
    it('R-C-09, R-C-15: is imported by name, and everything that must hold there holds', async () => {
      await build({
        stdin: {
          contents: `
            import * as core from 'mcp-schema-disclosure'
            import * as consumer from 'mcp-schema-disclosure/consumer'
            import * as provider from 'mcp-schema-disclosure/provider'
            import * as proxy from 'mcp-schema-disclosure/proxy'
            import * as validation from 'mcp-schema-disclosure/validation'
            import { checks, runChecks } from './suite.ts'
            import { vectors } from './vectors.ts'
            console.log(JSON.stringify(await runChecks(checks({ core, consumer, provider, proxy, validation }, vectors))))`,
          resolveDir: join(root, 'test/runtimes'),
        },
        bundle: true,
        format: 'esm',
        external: ['mcp-schema-disclosure', 'mcp-schema-disclosure/*'],
        outfile: join(folder, 'suite.mjs'),
        logLevel: 'error',
      })
      const { ran, failures } = JSON.parse(run(command, [...args, 'suite.mjs'], folder))
      expect(failures).toEqual([])
      expect(ran).toBe(9)
    })
  })

  it('ships no sources, tests or vectors', () => {
    const strays = files.filter(
      (path) =>
        !/^(dist\/|schemas\/|package\.json|README\.md|LICENSE|CHANGELOG\.md|SECURITY\.md|docs\/[a-z]+\.md$|examples\/stdio-front\.mjs$)/.test(
          path,
        ),
    )
    expect(strays).toEqual([])
    expect(files.filter((path) => path.startsWith('dist/worker'))).toEqual([])
  })
})
