import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundleDemo } from '../../scripts/start/bundle.ts'
import { callTool, readSchema, searchSchemas } from '../../src/consumer/index.ts'
import { CLIENTS } from '../e2e/clients.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The deployable bundle, in real workerd, before the demo server in the same workerd. */
let workers: Miniflare

beforeAll(async () => {
  const compatibilityDate = '2026-07-01'
  workers = new Miniflare(
    convertV4MiniflareOptions({
      cf: false,
      // Clients that close their GET stream make workerd complain on stderr.
      handleRuntimeStdio: (stdout: { resume(): void }, stderr: { resume(): void }) => {
        stdout.resume()
        stderr.resume()
      },
      workers: [
        {
          name: 'proxy',
          compatibilityDate,
          modules: [
            { type: 'ESModule', path: 'index.js', contents: readFileSync(`${root}dist/worker/index.js`, 'utf8') },
          ],
          bindings: { UPSTREAM_URL: 'http://upstream.example/upstream/mcp', MAX_PAGES: '40' },
          outboundService: 'upstream',
        },
        {
          name: 'upstream',
          compatibilityDate,
          modules: [{ type: 'ESModule', path: 'demo.js', contents: await bundleDemo() }],
        },
        {
          name: 'eval-probe',
          compatibilityDate,
          modules: [
            {
              type: 'ESModule',
              path: 'probe.js',
              contents:
                'export default { fetch() { try { new Function("return 1")(); return new Response("allowed") } catch (e) { return new Response(e.name) } } }',
            },
          ],
        },
      ],
    }),
  )
  await workers.ready
}, 60_000)

afterAll(() => workers?.dispose())

describe('the built Worker in real workerd', () => {
  it('R-C-07: this workerd forbids eval', async () => {
    const probe = (await workers.getWorker('eval-probe')) as unknown as { fetch(url: string): Promise<Response> }
    expect(await (await probe.fetch('http://probe/')).text()).toBe('EvalError')
  })

  it.each(Object.keys(CLIENTS))(
    'R-C-05, R-C-07, R-C-12: lists, searches, reads and calls with client %s',
    async (version) => {
      const url = await workers.ready
      const client = await (CLIENTS[version] as (typeof CLIENTS)['v1'])((request) =>
        fetch(new Request(new URL('/mcp', url), request as RequestInit)),
      )
      try {
        const { tools } = await client.listTools()
        expect(tools.map((tool) => tool.name)).toEqual(['search_tools', 'read_schema', 'call_tool'])
        // A pattern that needs the lazily loaded engine.
        const { entries } = await searchSchemas(client.session, '^(?:slug|hash)\\w+', { by: 'pattern' })
        const selected = entries[0]
        if (selected === undefined) throw new Error('found nothing')
        const verified = await readSchema(client.session, selected.manifest)
        const result = await callTool(client.session, {
          name: selected.name,
          arguments: { text: 'Hello World' },
          schemaSha256: verified.manifest.schema_sha256,
        })
        expect(result.isError).toBe(false)
        expect(result.structuredContent).toBeDefined()
      } finally {
        await client.close()
      }
    },
  )

  it('R-C-13: holds no demo and needs no Node', () => {
    const code = readFileSync(`${root}dist/worker/index.js`, 'utf8')
    expect(/vega|asyncapi|render_chart|["']node:/.exec(code)).toBe(null)
  })
})
