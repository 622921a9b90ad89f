import { describe, expect, it } from 'vitest'
import { parseSchemaManifest, reconstructSchema } from '../../src/core/index.ts'
import { createDisclosureProxy, type ProxySettings } from '../../src/proxy/index.ts'
import { type Answers, fakeUpstream, post } from './fake-upstream.ts'

type Settings = Omit<ProxySettings, 'upstream'>
interface Answer {
  readonly isError?: true
  readonly content: readonly { readonly text: string }[]
  readonly structuredContent: { readonly result: readonly never[]; readonly next?: number }
}

const TOOL = { name: 'big', inputSchema: { type: 'object', description: 'é'.repeat(60_000), x: 1.5 } }
const LIST = JSON.stringify({ tools: [{ name: 'small', inputSchema: {} }, TOOL] })
const calling = (name: string, args: unknown) =>
  post(JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name, arguments: args } }))

function client(answers: Answers = { 'tools/list': LIST }, settings: Settings = {}) {
  const upstream = fakeUpstream(answers)
  const proxy = createDisclosureProxy({ upstream: upstream.fetch, ...settings })
  const call = async (name: string, args: unknown): Promise<Answer> =>
    ((await (await proxy.fetch(calling(name, args))).json()) as { result: Answer }).result
  return { upstream, proxy, call, read: (args: unknown) => call('read_schema', args) }
}

async function find() {
  const { result } = (await client().call('search_tools', { query: 'big' })).structuredContent
  return parseSchemaManifest((result[0] as unknown as { manifest: unknown }).manifest)
}

describe('read_schema', () => {
  it('R-A-60: gives the manifest, then fragments up to 32 KiB at a time, and they are what the resources hold', async () => {
    const manifest = await find()
    const { schema_sha256 } = manifest
    const { read } = client()
    const first = await read({ name: 'big', schema_sha256 })
    expect(first.structuredContent).toEqual({ result: [manifest], next: 0 })
    expect(JSON.parse(first.content[0]?.text as string)).toEqual(first.structuredContent)
    const fragments: unknown[] = []
    let answers = 0
    for (let next: number | undefined = 0; next !== undefined; answers++) {
      const { structuredContent }: Answer = await read({ name: 'big', schema_sha256, index: next })
      const sizes = structuredContent.result.map((fragment) => Buffer.byteLength(JSON.stringify(fragment)))
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(32_768)
      fragments.push(...structuredContent.result)
      next = structuredContent.next
    }
    expect(answers).toBeLessThan(manifest.fragment_count)
    expect((await reconstructSchema(manifest, fragments)).inputSchema).toEqual(TOOL.inputSchema)
  })

  it('lists once a read; within a window, not again', async () => {
    const { schema_sha256 } = await find()
    for (const [settings, listings] of [
      [{}, 2],
      [{ readWindowMs: 10_000 }, 1],
    ] as const) {
      const { upstream, read } = client(undefined, settings)
      await read({ name: 'big', schema_sha256, index: 3 })
      await read({ name: 'big', schema_sha256, index: 4 })
      expect(upstream.count('tools/list')).toBe(listings)
    }
  })

  it.each([
    ['an unknown tool', { name: 'gone' }, 'Unknown tool: "gone"'],
    ['another digest', { schema_sha256: '0'.repeat(64) }, 'its schema is'],
    ['what is behind the last fragment', { index: 99 }, 'there is no fragment 99'],
    ['a fraction', { index: 1.5 }, 'index'],
    ['a negative index', { index: -1 }, 'index'],
    ['an index in words', { index: '1' }, 'index'],
    ['no digest', { schema_sha256: undefined }, 'schema_sha256'],
    ['a digest in upper case', { schema_sha256: 'A'.repeat(64) }, 'schema_sha256'],
    ['no name', { name: 5 }, 'name'],
    ['more', { more: 1 }, '"more"'],
  ])('REQ-P-28: refuses %s in words a model can read', async (_name, changed, words) => {
    const { schema_sha256 } = await find()
    const { isError, content } = await client().read({ name: 'big', schema_sha256, ...changed })
    expect(isError).toBe(true)
    expect(content[0]?.text).toContain(words)
  })

  it('REQ-P-33: says what the upstream says to a caller it does not know', async () => {
    const challenge = 'Bearer realm="x"'
    const refusal = () => new Response('no', { status: 401, headers: { 'www-authenticate': challenge } })
    const { proxy } = client({ 'tools/list': refusal })
    const response = await proxy.fetch(calling('read_schema', { name: 'big', schema_sha256: '0'.repeat(64) }))
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, challenge])
  })

  it('without a name is a tool like any other', async () => {
    const { upstream, read } = client({ '*': '{"content":[]}' }, { readTool: '' })
    await read({})
    expect(upstream.log.map(({ rpc }) => rpc)).toEqual(['tools/call'])
  })

  it.each([
    [{ readTool: 'call_tool' }, 'callTool'],
    [{ readTool: 'search_tools' }, 'readTool'],
    [{ searchTool: 'a', callTool: 'a' }, 'callTool'],
    [{ readTool: 'a b' }, 'readTool'],
  ])('names that cannot be are refused: %j', (settings, setting) => {
    expect(() => createDisclosureProxy({ upstream: 'https://x.example/mcp', ...settings })).toThrow(`"${setting}"`)
  })
})
