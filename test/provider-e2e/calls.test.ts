import { describe, expect, it } from 'vitest'
import { type Fixture, type MakeFixture, SDKS } from './fixture.ts'
import { call, manifestUriOf, read, refusalOf, search } from './helpers.ts'

type Json = { [name: string]: unknown }

describe.each(Object.entries(SDKS))('%s: calls', (_, make: MakeFixture) => {
  it.each<[string, Json, Json]>([
    ['arguments', { arguments: { id: '1' } }, { id: '1' }],
    ['arguments the tool does not know', { arguments: { id: '1', more: true } }, { id: '1' }],
  ])('are answered as a direct call of the tool, as this caller: %s', async (_name, args, got) => {
    const fixture = make()
    const caller = await fixture.connect()
    caller.as('admin')
    const answer = await call(caller, { name: 'get_user', ...args })
    expect(answer).toEqual(await caller.request('tools/call', { name: 'get_user', ...args }))
    expect(answer.structuredContent).toEqual({ name: 'get_user', got })
    expect(fixture.calls).toEqual(['get_user admin', 'get_user admin'])
  })

  it.each<[string, Json]>([
    ['no arguments', {}],
    ['null for none', { arguments: null }],
    ['an empty object', { arguments: {} }],
  ])('the tool judges its own arguments: %s', async (_name, args) => {
    const caller = await make().connect()
    const wrong = await call(caller, { name: 'get_user', ...args })
    expect(wrong).toEqual(await caller.request('tools/call', { name: 'get_user', arguments: {} }))
    expect(wrong.isError).toBe(true)
    expect(await call(caller, { name: 'ping', ...args })).toMatchObject({
      structuredContent: { name: 'ping', got: {} },
    })
  })

  it.each<[string, unknown, string]>([
    ['no arguments', undefined, 'arguments is not an object'],
    ['a list', [], 'arguments is not an object'],
    ['no name', {}, 'name is not a string'],
    ['a name that is no string', { name: 1 }, 'name is not a string'],
    ['arguments that are no object', { name: 'ping', arguments: 'x' }, 'arguments.arguments is not an object'],
    ['arguments that are a list', { name: 'ping', arguments: [] }, 'arguments.arguments is not an object'],
    ['a digest that is none', { name: 'ping', schema_sha256: 'A' }, 'schema_sha256 is not 64 lower-case hex digits'],
    ['another member', { name: 'ping', tool: 'x' }, '"tool" is not an argument'],
  ])('a call tool that was asked wrongly says how: %s', async (_name, args, problem) => {
    const fixture = make()
    const caller = await fixture.connect()
    const request = { name: 'call_tool', ...(args === undefined ? {} : { arguments: args }) }
    const text = `Cannot call with call_tool: ${problem}`
    expect(await caller.request('tools/call', request)).toEqual({ isError: true, content: [{ type: 'text', text }] })
    expect(fixture.listings).toEqual([])
  })

  it.each<[string, Json, string]>([
    ['neither', {}, 'give exactly one of query and pattern'],
    ['both', { query: 'a', pattern: 'b' }, 'give exactly one of query and pattern'],
    ['a number', { query: 1 }, 'query is not a string'],
    ['a limit of none', { query: 'a', limit: 0 }, 'limit is not an integer from 1 to 20'],
    ['another member', { query: 'a', sort: 'b' }, '"sort" is not an argument'],
  ])('REQ-P-28: so does the search tool: %s', async (_name, args, problem) => {
    const caller = await make().connect()
    const text = `Cannot search with search_tools: ${problem}`
    expect(await search(caller, args)).toEqual({ isError: true, content: [{ type: 'text', text }] })
  })

  it('a search gives structured content and the same as text; no text where nothing is found', async () => {
    const caller = await make().connect()
    const found = await search(caller, { pattern: '^(ping|slow) ', limit: 1 })
    expect(found.structuredContent.result).toHaveLength(1)
    expect(found.content.map(({ text }) => JSON.parse(text))).toEqual([found.structuredContent])
    expect(await search(caller, { pattern: 'nothing like it' })).toEqual({
      content: [],
      structuredContent: { result: [], truncated: false, omitted: 0 },
    })
  })

  it('R-A-16: what belongs to the call reaches its caller: progress by its token', async () => {
    const caller = await make().connect()
    const seen: unknown[] = []
    const answer = await caller.session.request(
      { method: 'tools/call', params: { name: 'call_tool', arguments: { name: 'slow', arguments: { ms: 1 } } } },
      caller.pass,
      { onprogress: (progress: unknown) => seen.push(progress) } as never,
    )
    expect(answer).toMatchObject({ content: [{ text: 'done' }] })
    expect(seen).toEqual([{ progress: 1, total: 2 }])
  })

  it('a call that is given up ends in its tool; one given up before that never gets there', async () => {
    const fixture = make()
    const caller = await fixture.connect()
    const giveUp = async (name: string, args: Json, when: () => Promise<unknown>) => {
      const ended = new AbortController()
      const asked = caller.session
        .request(
          { method: 'tools/call', params: { name: 'call_tool', arguments: { name, arguments: args } } },
          caller.pass,
          {
            signal: ended.signal,
          },
        )
        .then(
          () => 'answered',
          () => 'given up',
        )
      await when()
      ended.abort()
      return asked
    }
    const reached = () => expect.poll(() => fixture.log.includes('started slow')).toBe(true)
    expect(await giveUp('slow', { ms: 5_000 }, reached)).toBe('given up')
    await expect.poll(() => fixture.calls).toEqual(['slow aborted'])
    let release = (): void => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    fixture.show = ((tools: Json[]) => held.then(() => tools)) as unknown as Fixture['show']
    fixture.listings.length = 0
    expect(await giveUp('ping', {}, () => expect.poll(() => fixture.listings.length).toBe(1))).toBe('given up')
    release()
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(fixture.calls).toEqual(['slow aborted'])
  })

  it("a server's own tool with a meta-tool's name is listed as ours, and called through the calling tool", async () => {
    const fixture = make({ searchTool: 'ping', callTool: 'slow', pin: ['*'] })
    const caller = await fixture.connect()
    const tools = await caller.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['get_user', 'delete_user', 'ping', 'slow'])
    expect(tools[2]).toMatchObject({ title: 'Search tools' })
    const answer = await caller.request('tools/call', { name: 'slow', arguments: { name: 'ping' } })
    expect(answer).toMatchObject({ structuredContent: { name: 'ping', got: {} } })
  })

  it('a hidden tool stays as callable as its server makes it: only the name through the calling tool is guarded', async () => {
    const fixture = make()
    fixture.show = () => []
    const caller = await fixture.connect()
    expect(await caller.request('tools/call', { name: 'ping' })).toMatchObject({ structuredContent: { name: 'ping' } })
    expect((await call(caller, { name: 'ping' })).isError).toBe(true)
  })

  it('no cursor was handed out, so none is known', async () => {
    const caller = await make().connect()
    expect(await refusalOf(caller.request('tools/list', { cursor: '1' }))).toMatchObject({ code: -32602 })
  })

  it('taken away, it leaves the server as it was: open connections, new ones, and its resources', async () => {
    const fixture = make()
    const caller = await fixture.connect()
    const uri = await manifestUriOf(caller, 'ping')
    const names = async () => (await caller.listTools()).map(({ name }) => name)
    expect(await names()).toEqual(['search_tools', 'call_tool'])
    fixture.disposables.resources[Symbol.dispose]()
    fixture.disposables.resources[Symbol.dispose]()
    await refusalOf(read(caller, uri))
    expect(await caller.templates()).toEqual([])
    fixture.disposables.search[Symbol.dispose]()
    expect(await names()).toEqual(['get_user', 'delete_user', 'ping', 'slow'])
    expect(await caller.request('tools/call', { name: 'ping' })).toMatchObject({ structuredContent: { name: 'ping' } })
    await caller.close()
    const again = await fixture.connect()
    expect((await again.listTools()).map(({ name }) => name)).toEqual(['get_user', 'delete_user', 'ping', 'slow'])
  })

  it('a server that connects again lists as the new connection’s callers', async () => {
    const fixture = make()
    const first = await fixture.connect()
    first.as('admin')
    const uri = await manifestUriOf(first, 'ping')
    await first.close()
    const second = await fixture.connect()
    second.as('guest')
    fixture.listings.length = 0
    expect(JSON.parse(await read(second, uri)).alias).toBe('ping')
    expect(fixture.listings).toEqual(['guest'])
  })
})
