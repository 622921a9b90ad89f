import { describe, expect, it } from 'vitest'
import type { ListedTool } from '../../src/listing/index.ts'
import {
  ProviderError,
  RankedSearch,
  RegexSearch,
  type SearchEngine,
  searchTools,
  toolText,
} from '../../src/provider/index.ts'
import { createDisclosureProxy, ProxyError, type ProxySettings } from '../../src/proxy/index.ts'
import { fakeUpstream, post } from '../proxy/fake-upstream.ts'

const listed = (name: string, description: string): ListedTool => ({
  name,
  json: new TextEncoder().encode(JSON.stringify({ name, description, inputSchema: { type: 'object' } })),
})
const TOOLS = [listed('ping', 'Says pong'), listed('chart', 'Draws a chart'), listed('mail', 'Sends an e-mail')]
const engineOf = (search: SearchEngine['search']): SearchEngine => ({ search })
const failed = (error: unknown) => ProviderError.is(error) && error.code === 'search-failed'

/** Stands for a model: how often each letter occurs. */
const embed = async (text: string) => Array.from('etaoinshr', (letter) => text.split(letter).length / (text.length + 1))
const embedding = engineOf(async (query, tools, limit) => {
  const wanted = await embed(query)
  const scored = await Promise.all(
    tools.map(async (tool) => {
      const { name = tool.name, description = '' } = toolText(tool) ?? {}
      const vector = await embed(`${name} ${description}`)
      return { tool, score: vector.reduce((sum, value, index) => sum + value * (wanted[index] ?? 0), 0) }
    }),
  )
  return scored
    .toSorted((left, right) => right.score - left.score)
    .slice(0, limit)
    .map(({ tool }) => tool)
})

describe('searchTools', () => {
  it.each([
    ['words', new RankedSearch(), 'charts', ['chart']],
    ['patterns', new RegexSearch(), '^(ping|mail)', ['ping', 'mail']],
    ['embeddings', embedding, 'chart chart', ['chart', 'mail', 'ping']],
  ])('navigates what an engine for %s finds', async (_, engine, query, expected) => {
    const { entries } = await searchTools(query, TOOLS, { engine })
    expect(entries.map(({ name }) => name).toSorted()).toEqual(expected.toSorted())
    expect(entries[0]?.name).toBe(expected[0])
    expect(entries[0]?.manifest.alias).toBe(expected[0])
  })

  it('takes only tools of the listing, each once, as many as wanted', async () => {
    const [ping, chart] = TOOLS as [ListedTool, ListedTool]
    const stranger = { ...chart }
    const engine = engineOf(async () => [stranger, chart, chart, listed('secret', 'Hidden'), ping])
    const names = async (limit?: number) =>
      (await searchTools('x', TOOLS, { engine, limit })).entries.map(({ name }) => name)
    expect(await names()).toEqual(['chart', 'ping'])
    expect(await names(1)).toEqual(['chart'])
  })

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '3' as never])('refuses the limit %o', async (limit) => {
    const searching = searchTools('x', TOOLS, { engine: engineOf(async () => TOOLS), limit })
    await expect(searching).rejects.toMatchObject({ code: 'option-invalid', data: { option: 'limit' } })
  })

  it.each<[string, SearchEngine['search']]>([
    [
      'throws',
      () => {
        throw new Error('secret')
      },
    ],
    ['rejects', async () => Promise.reject(new Error('secret'))],
    ['answers with no list', async () => ({ length: 1 }) as never],
  ])('an engine that %s fails the search with a code', async (_, search) => {
    const error = await searchTools('x', TOOLS, { engine: engineOf(search) }).catch((thrown: unknown) => thrown)
    expect(failed(error)).toBe(true)
    expect((error as Error).message).not.toContain('secret')
  })

  it('ends with its signal, also where the engine does not', async () => {
    const stop = new AbortController()
    let seen: AbortSignal | undefined
    const engine = engineOf((_query, _tools, _limit, options) => {
      seen = options?.signal
      return new Promise(() => {})
    })
    const searching = searchTools('x', TOOLS, { engine, signal: stop.signal })
    stop.abort(new Error('enough'))
    await expect(searching).rejects.toThrow('enough')
    expect(seen?.aborted).toBe(true)
    await expect(searchTools('x', TOOLS, { engine, signal: stop.signal })).rejects.toThrow('enough')
  })
})

describe('the proxy’s engines', () => {
  const call = (args: string) =>
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_tools","arguments":${args}}}`
  const upstream = () => {
    const tools = TOOLS.map(({ json }) => new TextDecoder().decode(json)).join()
    return fakeUpstream({ 'tools/list': `{"tools":[${tools}]}` }).fetch
  }
  async function search(engines: ProxySettings['engines'], args: string, settings: Partial<ProxySettings> = {}) {
    const proxy = createDisclosureProxy({ ...settings, upstream: upstream(), engines })
    const response = await proxy.fetch(post(call(args)))
    const { result } = (await response.json()) as {
      result: { isError?: boolean; content: { text: string }[]; structuredContent?: { result: { name: string }[] } }
    }
    return result
  }
  const names = (result: Awaited<ReturnType<typeof search>>) => result.structuredContent?.result.map(({ name }) => name)

  it('are those of the settings, each for its argument', async () => {
    const last = engineOf(async (_query, tools, limit) => tools.toReversed().slice(0, limit))
    expect(names(await search({ query: last }, '{"query":"ping","limit":2}'))).toEqual(['mail', 'chart'])
    expect(names(await search({ query: last }, '{"pattern":"ping"}'))).toEqual(['ping'])
    expect(names(await search({ pattern: last }, '{"pattern":"ping","limit":1}'))).toEqual(['mail'])
    expect(names(await search(undefined, '{"query":"ping"}'))).toEqual(['ping'])
  })

  it('show nothing that the caller cannot list', async () => {
    const engine = engineOf(async (_query, tools) => [listed('secret', 'Hidden'), ...tools.slice(0, 1)])
    expect(names(await search({ query: engine }, '{"query":"x"}'))).toEqual(['ping'])
  })

  it.each<[string, SearchEngine['search'], number]>([
    ['fails', async () => Promise.reject(new Error('SECRET')), 60_000],
    ['never answers', () => new Promise(() => {}), 50],
  ])('one that %s is an error a model can read, without its words', async (_, find, timeoutMs) => {
    const result = await search({ query: engineOf(find) }, '{"query":"x"}', { timeoutMs })
    expect(result.isError).toBe(true)
    expect(result.content[0]?.text).toContain('engine for query failed')
    expect(JSON.stringify(result)).not.toContain('SECRET')
  })

  it.each([null, {}, { search: 1 }, () => []])('%j is none', (engine) => {
    const make = () => createDisclosureProxy({ upstream: upstream(), engines: { query: engine as never } })
    expect(make).toThrow(
      expect.objectContaining({
        code: 'settings',
        data: { setting: 'engines.query', expected: 'a search engine' },
      }),
    )
    expect(make).toThrow(ProxyError)
  })
})
