import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import {
  BUNDLED,
  importsOf,
  LAYERS,
  longFiles,
  NODE_LAYER,
  type SourceFile,
  undocumented,
  unportable,
  violations,
} from './rules.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

const sources: SourceFile[] = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => ({ path: `src/${path.replaceAll('\\', '/')}`, text: readFileSync(join(root, 'src', path), 'utf8') }))

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  exports: Record<string, unknown>
  dependencies: Record<string, string>
}

describe('architecture', () => {
  it('R-A-03: imports go down only; no node:, no SDK, no JSON.parse in the proxy; files have a header and stay short', () => {
    expect(sources.length).toBeGreaterThan(50)
    expect(violations(sources)).toEqual([])
  })

  it.each([
    ['an upward import', { path: 'src/json/x.ts', text: "/** @module */\nimport { a } from '../core/index.ts'" }],
    ['node:', { path: 'src/core/x.ts', text: "/** @module */\nimport { a } from 'node:fs'" }],
    [
      'the SDK, at run time or for types',
      {
        path: 'src/consumer/x.ts',
        text: "/** @module */\nimport type { A } from '@modelcontextprotocol/sdk/types.js'",
      },
    ],
    ['a package of another layer', { path: 'src/core/x.ts', text: "/** @module */\nexport * from 'minisearch'" }],
    ['a dynamic import', { path: 'src/core/x.ts', text: "/** @module */\nconst a = await import('re2js')" }],
    ['JSON.parse in the proxy', { path: 'src/proxy/x.ts', text: '/** @module */\nJSON.parse(x)' }],
    ['a file without header', { path: 'src/core/x.ts', text: 'export const a = 1' }],
    ['a long file', { path: 'src/core/x.ts', text: `/** @module */${'\n'.repeat(401)}` }],
    ['a folder of no layer', { path: 'src/utils/x.ts', text: '/** @module */' }],
  ])('the check finds %s', (_name, file) => {
    expect(violations([file]).length).toBe(1)
  })

  it('node: is for the one layer that is only for Node, and SDKs are not even for that', () => {
    const file = (folder: string, module: string) => ({
      path: `src/${folder}/x.ts`,
      text: `/** @module */\nimport '${module}'`,
    })
    expect(violations([file(NODE_LAYER, 'node:child_process')])).toEqual([])
    for (const folder of Object.keys(LAYERS)) {
      expect(violations([file(folder, 'node:child_process')]).length).toBe(folder === NODE_LAYER ? 0 : 1)
      expect(violations([file(folder, '@modelcontextprotocol/client/stdio')]).length).toBe(1)
    }
  })

  it('reads every form of import', () => {
    const text =
      "import a from 'b'\nimport {\n  c,\n  d,\n} from 'e'\nexport * from 'f'\nexport { g } from 'h'\nimport 'i'\nawait import('j')\nimport k, { l } from 'm'"
    expect(importsOf(text)).toEqual(['b', 'e', 'f', 'h', 'i', 'j', 'm'])
  })

  it('entry points are the folders that have an index, core being the root', () => {
    const withIndex = Object.keys(LAYERS).filter((folder) =>
      sources.some(({ path }) => path === `src/${folder}/index.ts`),
    )
    const internal = new Set(['listing', 'pattern'])
    const expected = withIndex
      .filter((folder) => !internal.has(folder))
      .map((folder) => (folder === 'core' ? '.' : `./${folder}`))
    const entries = Object.keys(manifest.exports).filter((name) => !name.endsWith('.json'))
    expect(entries.sort()).toEqual(expected.sort())
  })

  it('the run-time packages are the ones the layers name', () => {
    const named = new Set(Object.values(LAYERS).flatMap(({ packages }) => packages))
    for (const name of BUNDLED) expect(named.delete(name)).toBe(true)
    expect(Object.keys(manifest.dependencies).sort()).toEqual([...named].sort())
  })

  it('files beyond 250 lines are these, each one concept that does not come apart', () => {
    expect(longFiles(sources)).toEqual(['src/json/canonical-writer.ts', 'src/json/reader.ts'])
    expect(
      longFiles([
        { path: 'src/a.ts', text: '\n'.repeat(249) },
        { path: 'src/b.ts', text: '\n'.repeat(250) },
      ]),
    ).toEqual(['src/b.ts'])
  })

  it('R-C-09: nothing that only Node has, nothing that a Worker forbids', () => {
    expect(unportable(sources.filter(({ path }) => !path.startsWith(`src/${NODE_LAYER}/`)))).toEqual([])
    const worker = readdirSync(join(root, 'worker'), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => ({ path: `worker/${path}`, text: readFileSync(join(root, 'worker', path), 'utf8') }))
    expect(worker.length).toBeGreaterThan(0)
    expect(unportable(worker)).toEqual([])
    expect(worker.flatMap(({ text }) => importsOf(text)).filter((name) => name.startsWith('node:'))).toEqual([])
  })

  it.each(['Buffer.from(x)', 'process.env.X', "require('x')", 'eval(x)', "new Function('x')"])(
    'the check finds %s',
    (code) => {
      expect(unportable([{ path: 'src/core/x.ts', text: `const a = ${code}` }]).length).toBe(1)
      expect(unportable([{ path: 'src/core/x.ts', text: `/** ${code} */\n// ${code}\nconst a = 'eval'` }])).toEqual([])
    },
  )

  it.each(Object.keys(LAYERS).filter((folder) => folder !== 'listing' && folder !== 'pattern'))(
    'every public export of %s has a docstring, and an example where it can be called',
    (folder) => {
      const index = sources.find(({ path }) => path === `src/${folder}/index.ts`) as SourceFile
      expect(undocumented(sources, index)).toEqual([])
    },
  )

  it.each([
    ['a function without docstring', '/** @module */\n\nexport function a() {}', ['a']],
    ['a function without example', '/** @module */\n\n/** A. */\nexport function a() {}', ['a']],
    ['an arrow without example', '/** @module */\n\n/** A. */\nexport const a = () => 1', ['a']],
    ['a class without example', '/** @module */\n\n/** A. */\nexport class a {}', ['a']],
    ['a type without docstring', '/** @module */\n\nexport interface a {}', ['a']],
    ['a value without docstring', '/** @module */\n\nexport const a = 1', ['a']],
    ['a name that is nowhere', '/** @module */', ['a']],
    ['nothing where all is said', '/** @module */\n\n/** A. @example x */\nexport function a() {}', []],
    ['nothing where a value is explained', '/** @module */\n\n/** A. */\nexport const a = 1', []],
  ])('the check finds %s', (_name, text, found) => {
    const files = [
      { path: 'src/core/x.ts', text },
      { path: 'src/json/index.ts', text: "export { a } from '../core/x.ts'" },
    ]
    expect(undocumented(files, { path: 'src/core/index.ts', text: "export { type a } from './x.ts'" })).toEqual(found)
    expect(undocumented(files, { path: 'src/core/index.ts', text: "export * from '../json/index.ts'" })).toEqual(found)
  })
})
