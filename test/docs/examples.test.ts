import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** What an example with a server has of its own. */
const SERVER = 'const server = newServer()\nconst transport = newTransport()\n'
const ENTRIES = ['json', 'core', 'listing', 'provider', 'consumer', 'proxy', 'validation', 'stdio']

interface Example {
  readonly name: string
  readonly code: string
}

/** The examples of all docstrings that can be reached from an entry point. */
const examples: readonly Example[] = readdirSync(`${root}src`, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .sort()
  .flatMap((path) =>
    [...readFileSync(`${root}src/${path}`, 'utf8').matchAll(/\* ```ts\n([\s\S]*?)\* ```/g)].map(([, block], index) => ({
      name: `${path} ${index + 1}`,
      code: (block as string).replaceAll(/^\s*\* ?/gm, ''),
    })),
  )
  // Helpers of one folder, which no entry exports.
  .filter(({ code }) => !/requiredWords|compileSearchPattern|new Meanings|readToolsPage/.test(code))

/** One module: the prelude's names, the entry points' names, and each example in a function of its own. */
function moduleOf(all: readonly Example[]): string {
  const used = (names: readonly string[]): string[] =>
    names.filter((name) => all.some(({ code }) => new RegExp(`\\b${name}\\b`).test(code)))
  const exported = (path: string): string[] =>
    [...readFileSync(`${root}${path}`, 'utf8').matchAll(/export (?:const |async function |function )(\w+)/g)].map(
      ([, name]) => name as string,
    )
  const prelude = used([
    ...exported('test/docs/prelude.ts'),
    'tools',
    'manifest',
    'userId',
    'catalog',
    'child',
    'ResourceTemplate',
  ])
  const made = ['newServer', 'newTransport']
  const known = new Set<string>()
  const imports = ENTRIES.map((entry) => {
    const names = [...readFileSync(`${root}src/${entry}/index.ts`, 'utf8').matchAll(/export (type )?\{([^}]*)\}/g)]
      .flatMap(([, kind = '', list]) => (list as string).split(',').map((name) => `${kind}${name.trim()}`))
      .filter((name) => name.replace('type ', '') !== '' && !known.has(name))
    const wanted = names.filter((name) => used([name.replace('type ', '')]).length > 0)
    for (const name of names) known.add(name)
    return wanted.length === 0 ? '' : `import { ${wanted.join(', ')} } from '../../../src/${entry}/index.ts'`
  })
  const functions = all.map(
    ({ name, code }) =>
      `${JSON.stringify(name)}: async () => {\n${/\bserver\b/.test(code) ? SERVER : ''}${code.replace('export default', 'const worker =')}\n},`,
  )
  return [
    ...imports,
    `import { ${[...new Set([...prelude, ...made])].join(', ')} } from '../prelude.ts'`,
    `export const run: Record<string, () => Promise<void>> = {\n${functions.join('\n')}\n}`,
  ].join('\n')
}

const folder = mkdtempSync(`${root}test/docs/made-`)
const file = `${folder}/examples.ts`
let run: Record<string, () => Promise<void>> = {}
const log = console.log

beforeAll(async () => {
  writeFileSync(file, moduleOf(examples))
  console.log = () => {}
  ;({ run } = (await import(file)) as { run: typeof run })
})

afterAll(() => {
  console.log = log
  rmSync(folder, { recursive: true, force: true })
})

describe('examples of the docstrings', () => {
  it('are many', () => {
    expect(examples.length).toBeGreaterThan(45)
  })

  it('have right types', () => {
    const config = `${folder}/tsconfig.json`
    const compilerOptions = { noEmit: true, noUnusedLocals: false, noUnusedParameters: false, composite: false }
    writeFileSync(config, JSON.stringify({ extends: '../../tsconfig.json', compilerOptions, include: ['examples.ts'] }))
    let problems = ''
    try {
      execFileSync(`${root}node_modules/.bin/tsc`, ['-p', config], { encoding: 'utf8' })
    } catch (error) {
      problems = String((error as { stdout?: string }).stdout)
    }
    expect(problems).toBe('')
  })

  it.each(examples.map(({ name }) => name))('%s runs', (name) => run[name]?.())
})
