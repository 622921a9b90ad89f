import { defineConfig } from 'tsdown'

const ENTRIES = ['json', 'core', 'provider', 'consumer', 'validation', 'proxy']

export default defineConfig({
  entry: Object.fromEntries(ENTRIES.map((name) => [`${name}/index`, `src/${name}/index.ts`])),
  format: ['esm'],
  platform: 'neutral',
  target: 'es2022',
  dts: true,
  clean: ['dist/*', '!dist/worker'],
  fixedExtension: false,
})
