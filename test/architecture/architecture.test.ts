import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { importsOf, LAYERS, type SourceFile, undocumented, violations } from './rules.ts'

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
    expect(Object.keys(manifest.dependencies).sort()).toEqual([...named].sort())
  })

  it.each(['json', 'core', 'provider', 'consumer', 'proxy'])(
    'every public export of %s has a docstring, with an example',
    (folder) => {
      const index = sources.find(({ path }) => path === `src/${folder}/index.ts`) as SourceFile
      expect(undocumented(sources, index)).toEqual([])
    },
  )
})
