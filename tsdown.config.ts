import { defineConfig } from 'tsdown'

const ENTRIES = ['json', 'core', 'provider', 'consumer', 'validation', 'proxy', 'stdio']

/** What is never reached with the schemas written for the engine: their lookup is handed in, and none holds a `format`. */
const UNREACHED: Readonly<Record<string, string>> = {
  './format.js': 'export const format = {}',
  './dereference.js': 'export const dereference = () => ({})',
}

/** Puts the engine of validation into the package, without what is never reached. */
const engine = {
  name: 'engine',
  resolveId: (source: string, importer: string | undefined) =>
    source in UNREACHED && importer?.includes('@cfworker/json-schema') ? `\0${source}` : undefined,
  load: (id: string) => UNREACHED[id.slice(1)],
}

export default defineConfig({
  entry: Object.fromEntries(ENTRIES.map((name) => [`${name}/index`, `src/${name}/index.ts`])),
  format: ['esm'],
  platform: 'neutral',
  target: 'es2022',
  dts: true,
  clean: ['dist/*', '!dist/worker'],
  fixedExtension: false,
  plugins: [engine],
  deps: { onlyBundle: ['@cfworker/json-schema'] },
})
