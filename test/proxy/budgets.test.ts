/**
 * What the proxy asks of an upstream, by counting.
 */
import { describe, expect, it } from 'vitest'
import { parseSchemaManifest } from '../../src/core/index.ts'
import { createDisclosureProxy, type ProxySettings } from '../../src/proxy/index.ts'
import { fakeUpstream, post } from './fake-upstream.ts'

const PAGES = 13
/** Its schema takes 21 fragments and stands on the seventh page. */
const BIG = { name: 'big', inputSchema: { type: 'object', description: 'x'.repeat(20 * 4096) } }
const HOME = 7

/** Thirteen pages of three tools each. */
function upstreamOfPages() {
  return fakeUpstream({
    'tools/list': (_id, { body }) => {
      const page = Number(/"cursor":"(\d+)"/.exec(body)?.[1] ?? 1)
      const tools = [1, 2, 3].map((n) => ({ name: `tool_${page}_${n}`, inputSchema: { type: 'object' } }))
      const next = page < PAGES ? { nextCursor: String(page + 1) } : {}
      return JSON.stringify({ tools: page === HOME ? [...tools, BIG] : tools, ...next })
    },
    'tools/call': '{"content":[]}',
  })
}

function client(settings: Omit<ProxySettings, 'upstream'>) {
  const upstream = upstreamOfPages()
  const proxy = createDisclosureProxy({ upstream: upstream.fetch, ...settings })
  let before = 0
  /** What it answered, and how many pages were asked for. */
  const ask = async (method: string, params: object) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method, params })
    const { result } = JSON.parse(await (await proxy.fetch(post(body))).text())
    const pages = upstream.count('tools/list') - before
    before += pages
    return { result, pages }
  }
  return { ask, total: () => upstream.count('tools/list') }
}

/** Search, manifest, every fragment, call: pages of each step. */
async function walk(settings: Omit<ProxySettings, 'upstream'>) {
  const { ask, total } = client(settings)
  const search = await ask('tools/call', { name: 'search_tools', arguments: { pattern: '^big$' } })
  const manifest = parseSchemaManifest(search.result.structuredContent.result[0].manifest)
  const reads = [await ask('resources/read', { uri: manifest.manifest_uri })]
  for (let index = 0; index < manifest.fragment_count; index++) {
    reads.push(await ask('resources/read', { uri: manifest.fragment_uri_template.replace('{index}', String(index)) }))
  }
  expect(reads.every(({ result }) => result.contents.length === 1)).toBe(true)
  const call = (more: object) => ask('tools/call', { name: 'call_tool', arguments: { name: 'big', ...more } })
  const called = [await call({ schema_sha256: manifest.schema_sha256 }), await call({})]
  expect(called.map(({ result }) => result.isError)).toEqual([undefined, undefined])
  return {
    fragments: manifest.fragment_count,
    search: search.pages,
    reads: reads.map(({ pages }) => pages),
    calls: called.map(({ pages }) => pages),
    total: total(),
  }
}

describe('a tool of 21 fragments among 13 pages', () => {
  it('costs a listing for each read, as far as its page', async () => {
    const { fragments, search, reads, calls } = await walk({})
    expect(fragments).toBe(21)
    expect(search).toBe(PAGES)
    expect(reads).toEqual(Array(22).fill(HOME))
    // A digest is compared live; a call without one goes by what was seen a moment ago.
    expect(calls).toEqual([HOME, 0])
  })

  it('costs two listings with a window: at most four', async () => {
    const { search, reads, calls, total } = await walk({ readWindowMs: 10_000 })
    expect(search).toBe(PAGES)
    expect(reads).toEqual(Array(22).fill(0))
    expect(calls).toEqual([HOME, 0])
    expect(total).toBeLessThanOrEqual(4 * PAGES)
  })
})
