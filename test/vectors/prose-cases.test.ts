import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { fragmentUri, parseSchemaFragmentText } from '../../src/core/index.ts'
import {
  discloseTool,
  navigateTools,
  ProviderError,
  RankedSearch,
  RegexSearch,
  readSchemaUri,
} from '../../src/provider/index.ts'
import { readSearchArguments } from '../../src/provider/search-arguments.ts'

const listed = (name: string, description: string) => {
  const json = JSON.stringify({ name, description, inputSchema: { type: 'object', description } })
  return { name, json: new TextEncoder().encode(json) }
}

describe('bug cases whose set-up is prose', () => {
  it('BC-025, R-A-60: a fragment of a schema that was replaced is neither the new text nor the old', async () => {
    let tool = listed('tool', 'S1')
    const find = async (matches: (candidate: typeof tool) => unknown) => ((await matches(tool)) ? tool : undefined)
    const first = (await discloseTool(tool)).manifest
    const uri = fragmentUri(first.alias, first.schema_sha256, 0)
    expect((await parseSchemaFragmentText((await readSchemaUri(uri, find)).text)).text).toContain('S1')
    tool = listed('tool', 'S2')
    const refused = await readSchemaUri(uri, find).catch((error: unknown) => error)
    expect(ProviderError.is(refused) && refused.code).toBe('not-found')
  })

  it.each([new RegexSearch(), new RankedSearch()])(
    'BC-041: of two thousand matches a bounded list is shown, in one order, and says that it is cut',
    async (engine) => {
      const tools = Array.from({ length: 2000 }, (_, index) =>
        listed(`get_${index}`, `get ${'long words '.repeat(300)}`),
      )
      expect(readSearchArguments({ query: 'get', limit: 100_000 })).toEqual({
        problem: expect.stringContaining('limit'),
      })
      const search = async () => navigateTools(await engine.search('get', tools, 20))
      const [first, second] = [await search(), await search()]
      expect(second.text).toBe(first.text)
      expect(first.entries.length + first.omitted).toBe(20)
      expect(new TextEncoder().encode(first.text).length).toBeLessThanOrEqual(32_768)
      expect(first.truncated).toBe(true)
    },
  )

  it('BC-214, R-C-09: every entry but stdio goes into a bundle for browsers, and nothing of Node with it', async () => {
    const entries = ['core', 'consumer', 'provider', 'validation', 'proxy', 'json']
    const source = (entry: string) => fileURLToPath(new URL(`../../src/${entry}/index.ts`, import.meta.url))
    const { outputFiles, errors } = await build({
      entryPoints: entries.map(source),
      bundle: true,
      platform: 'browser',
      format: 'esm',
      outdir: 'out',
      splitting: true,
      write: false,
      logLevel: 'silent',
    })
    expect(errors).toEqual([])
    const code = outputFiles.map(({ text }) => text).join('')
    expect(/["'`]node:|child_process|require\(["']/.exec(code)).toBe(null)
  })
})
