import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { readSchema, searchSchemas } from '../../src/consumer/index.ts'
import { canonicalizeJsonText, JsonReader, readSchemaFragment, reconstructSchema } from '../../src/core/index.ts'
import { DEFAULT_LISTING_LIMITS, readToolsPage } from '../../src/listing/index.ts'
import { discloseTool, summarizeTool } from '../../src/provider/index.ts'
import { createDisclosureProxy } from '../../src/proxy/index.ts'
import { CLIENTS } from '../e2e/clients.ts'

const folder = process.env.CORPORA_DIR ?? fileURLToPath(new URL('../../../shared/corpora', import.meta.url))
const catalogs = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : []
if (catalogs.length === 0) console.log('Corpora: skipped, no folder of real catalogs here (CORPORA_DIR)')

/** The `result` object of a captured tools/list line. */
const resultOf = (name: string): Uint8Array => {
  const bytes = readFileSync(join(folder, name))
  let result: Uint8Array = bytes
  const reader = new JsonReader(bytes)
  reader.object((member) => {
    const { start, end } = reader.span()
    if (member === 'result') result = bytes.subarray(start, end)
  })
  return new Uint8Array(result)
}

const NONE = new TextEncoder().encode('{}')

/** The bytes of both schemas as they stand in a listed entry. */
function schemasOf(entry: Uint8Array): { inputSchema: Uint8Array; outputSchema: Uint8Array } {
  const found: Record<string, Uint8Array> = {}
  const reader = new JsonReader(entry)
  reader.object((name) => {
    const isNull = reader.kind() === 'null'
    const { start, end } = reader.span()
    if (!isNull) found[name] = entry.subarray(start, end)
  })
  return { inputSchema: found.inputSchema ?? NONE, outputSchema: found.outputSchema ?? NONE }
}

describe.runIf(catalogs.length > 0)('real catalogs', () => {
  it.each(catalogs)(
    'R-A-01, R-A-40, R-A-42: every tool of %s is disclosed and reconstructed',
    async (name) => {
      const { tools, skipped } = readToolsPage(resultOf(name), DEFAULT_LISTING_LIMITS)
      expect(skipped).toBe(0)
      expect(tools.length).toBeGreaterThan(0)
      for (const tool of tools) {
        const disclosure = await discloseTool(tool)
        const { manifest } = disclosure
        const fragments: unknown[] = []
        for (let index = 0; index < manifest.fragment_count; index++) {
          fragments.push(await readSchemaFragment(disclosure, index, { expectedSha256: manifest.schema_sha256 }))
        }
        const verified = await reconstructSchema(manifest, fragments)
        const { inputSchema, outputSchema } = schemasOf(tool.json)
        const text = `{"inputSchema":${canonicalizeJsonText(inputSchema)},"outputSchema":${canonicalizeJsonText(outputSchema)}}`
        expect(verified.text).toBe(text)
        expect(canonicalizeJsonText(text)).toBe(text)
        // The digests as another implementation makes them, over the same encoding.
        const digests = [text, verified.inputSchemaText, verified.outputSchemaText].map((part) =>
          createHash('sha256').update(part, 'utf8').digest('hex'),
        )
        expect([manifest.schema_sha256, manifest.input_schema_sha256, manifest.output_schema_sha256]).toEqual(digests)
        expect(manifest.schema_bytes).toBe(Buffer.byteLength(text))
        expect(JSON.parse(text).inputSchema).toEqual(verified.inputSchema)
        expect(summarizeTool(tool)).toContain(`### ${tool.name}`)
      }
    },
    30_000,
  )

  it.runIf(catalogs.includes('openapi-github.json'))(
    '1,223 tools in 9.5 MB are searched and read through the proxy',
    async () => {
      const result = resultOf('openapi-github.json')
      const head = new TextEncoder().encode('{"jsonrpc":"2.0","id":')
      const proxy = createDisclosureProxy({
        readWindowMs: 10_000,
        upstream: async (request) => {
          const { id, method } = (await request.json()) as { id?: unknown; method: string }
          if (id === undefined) return new Response(null, { status: 202 })
          if (method !== 'tools/list') {
            const initialized = {
              protocolVersion: '2025-06-18',
              capabilities: { tools: {} },
              serverInfo: { name: 'x', version: '1' },
            }
            return Response.json({ jsonrpc: '2.0', id, result: initialized })
          }
          const parts = [
            head,
            new TextEncoder().encode(`${JSON.stringify(id)},"result":`),
            result,
            new TextEncoder().encode('}'),
          ]
          return new Response(new Blob(parts as Uint8Array<ArrayBuffer>[]), {
            headers: { 'content-type': 'application/json' },
          })
        },
      })
      const client = await (CLIENTS.v1 as (typeof CLIENTS)['v1'])((request) => proxy.fetch(request))
      const { tools } = await client.listTools()
      expect(Buffer.byteLength(JSON.stringify(tools))).toBeLessThanOrEqual(1600)
      const { entries, skipped } = await searchSchemas(client.session, 'list events for an issue timeline', {
        limit: 10,
      })
      expect(skipped).toBe(0)
      const selected = entries.find(({ name }) => name.includes('timeline'))
      if (selected === undefined) throw new Error(`found ${entries.map(({ name }) => name)}`)
      const verified = await readSchema(client.session, selected.manifest)
      expect(verified.manifest.schema_bytes).toBeGreaterThan(50_000)
      await client.close()
    },
    60_000,
  )
})
