import { afterEach, describe, expect, it, vi } from 'vitest'
import { callTool, readSchema, searchSchemas } from '../../src/consumer/index.ts'
import { RankedSearch, RegexSearch, type SearchReport } from '../../src/provider/index.ts'
import { type Fixture, type MakeFixture, SDKS } from './fixture.ts'
import { call, foundNames, manifestUriOf, read, refusalOf, search } from './helpers.ts'

const ZERO = '0'.repeat(64)
const ALL = ['get_user', 'delete_user', 'ping', 'slow']

/** Admins see everything, others no `delete_user`. */
const byCaller: Fixture['show'] = (tools, clientId) =>
  clientId === 'admin' ? tools : tools.filter(({ name }) => name !== 'delete_user')

afterEach(() => vi.unstubAllGlobals())

describe.each(Object.entries(SDKS))('%s: who may see what', (_, make: MakeFixture) => {
  it('R-A-08, R-A-09: one instance is search and catalog: each step lists once, as whoever asks, interleaved', async () => {
    const fixture = make()
    fixture.show = byCaller
    const caller = await fixture.connect()
    caller.as('admin')
    const uri = await manifestUriOf(caller, 'delete_user')
    fixture.listings.length = 0
    const asked = [0, 1, 2].flatMap(() => {
      caller.as('admin')
      const allowed = Promise.all([read(caller, uri), foundNames(caller)])
      caller.as('guest')
      const refused = Promise.all([refusalOf(read(caller, uri)), foundNames(caller)])
      return [allowed, refused] as const
    })
    for (const [index, answer] of (await Promise.all(asked)).entries()) {
      expect(answer[1]).toEqual(index % 2 === 0 ? ALL : ALL.filter((name) => name !== 'delete_user'))
    }
    expect(fixture.listings.toSorted()).toEqual([...Array(6).fill('admin'), ...Array(6).fill('guest')])
  })

  it('BC-035, R-A-08, R-A-14: what is disabled or hidden is gone from search, reads and calls at once, and back at once', async () => {
    const fixture = make()
    const caller = await fixture.connect()
    const uri = await manifestUriOf(caller, 'delete_user')
    const changes: [() => void, () => void][] = [
      [() => fixture.tools.delete_user.disable(), () => fixture.tools.delete_user.enable()],
      [
        () => {
          fixture.show = byCaller
        },
        () => {
          fixture.show = (tools) => tools
        },
      ],
    ]
    for (const [hide, show] of changes) {
      hide()
      expect(await foundNames(caller)).toEqual(['get_user', 'ping', 'slow'])
      await refusalOf(read(caller, uri))
      const refused = await call(caller, { name: 'delete_user', arguments: { id: '1' } })
      expect(refused).toMatchObject({ isError: true, content: [{ text: 'Unknown tool: "delete_user"' }] })
      expect(fixture.calls).toEqual([])
      show()
      expect(await foundNames(caller)).toEqual(ALL)
      expect(JSON.parse(await read(caller, uri))).toMatchObject({ alias: 'delete_user' })
    }
  })

  it('R-A-15: hidden, disabled, unknown, stale, guessed and malformed are one refusal, for one listing each', async () => {
    const fixture = make()
    fixture.show = byCaller
    const caller = await fixture.connect()
    caller.as('admin')
    const hidden = await manifestUriOf(caller, 'delete_user')
    const disabled = await manifestUriOf(caller, 'slow')
    const visible = await manifestUriOf(caller, 'ping')
    fixture.tools.slow.disable()
    caller.as('guest')
    const digest = visible.split('/')[4] as string
    const uris = {
      hidden,
      'hidden, a fragment': hidden.replace('manifest', 'fragments/0'),
      disabled,
      unknown: visible.replace('ping', 'nobody'),
      'guessed digest of a hidden tool': hidden.replace(hidden.split('/')[4] as string, ZERO),
      'stale digest of a visible tool': visible.replace(digest, ZERO),
      "another tool's digest": visible.replace(digest, hidden.split('/')[4] as string),
      'fragment beyond the last': visible.replace('manifest', 'fragments/1'),
      'an index that is none': visible.replace('manifest', 'fragments/00'),
      'a digest that is none': visible.replace(digest, 'F'.repeat(64)),
      'a name of Object.prototype': visible.replace('ping', 'constructor'),
      'an escaped name': visible.replace('ping', 'pin%67'),
    }
    const [first, ...others] = await Promise.all(
      Object.entries(uris).map(async ([name, uri]) => {
        const { data, ...refusal } = await refusalOf(read(caller, uri))
        expect(data, name).toEqual({ uri })
        return refusal
      }),
    )
    expect(first?.message).toBe('Resource not found')
    expect(first?.code === -32002 || first?.code === -32602).toBe(true)
    for (const refusal of others) expect(refusal).toEqual(first)
    fixture.listings.length = 0
    for (const [name, uri] of Object.entries(uris)) {
      await refusalOf(read(caller, uri))
      expect(fixture.listings.splice(0), name).toEqual(['guest'])
    }
  })

  it('R-A-15: calls by name tell as little: one text but for the name, one listing', async () => {
    const fixture = make()
    fixture.show = byCaller
    fixture.tools.slow.disable()
    const caller = await fixture.connect()
    caller.as('guest')
    for (const name of ['delete_user', 'slow', 'nobody', 'constructor', 'call_tool', 'search_tools', '']) {
      fixture.listings.length = 0
      const answer = await call(caller, { name, arguments: {}, schema_sha256: ZERO })
      expect(answer).toEqual({ isError: true, content: [{ type: 'text', text: `Unknown tool: "${name}"` }] })
      expect(fixture.listings).toEqual(['guest'])
    }
    expect(fixture.calls).toEqual([])
  })

  it('R-A-66, REQ-P-33: where the server refuses to list, its own refusal is the answer to everything', async () => {
    const fixture = make()
    const caller = await fixture.connect()
    const uri = await manifestUriOf(caller, 'ping')
    fixture.show = () => {
      throw Object.assign(new Error('no scope for tools'), { code: -32099, data: { scope: 'tools' } })
    }
    const asked = [
      () => caller.listTools(),
      () => search(caller, { query: 'ping' }),
      () => call(caller, { name: 'ping' }),
      () => read(caller, uri),
      () => read(caller, uri.replace('manifest', 'fragments/x')),
    ]
    for (const ask of asked) {
      expect(await refusalOf(ask())).toEqual({ code: -32099, message: 'no scope for tools', data: { scope: 'tools' } })
    }
    expect(fixture.calls).toEqual([])
  })

  it('BC-025, R-A-11, R-A-12: schemas are hashed as they are now: a changed one is another manifest, the old one is gone', async () => {
    const fixture = make()
    const caller = await fixture.connect()
    const before = await manifestUriOf(caller, 'ping')
    fixture.show = (tools) =>
      tools.map((tool) => (tool.name === 'ping' ? { ...tool, outputSchema: { type: 'object' } } : tool))
    const after = await manifestUriOf(caller, 'ping')
    expect(after).not.toBe(before)
    await refusalOf(read(caller, before))
    expect(JSON.parse(await read(caller, after)).manifest_uri).toBe(after)
    const stale = await call(caller, { name: 'ping', schema_sha256: before.split('/')[4] })
    expect(stale.isError).toBe(true)
    expect(stale.content[0]?.text).toContain(before.split('/')[4])
    expect(stale.content[0]?.text).toContain(after.split('/')[4])
    expect(fixture.calls).toEqual([])
  })

  it.each<[string, unknown]>([
    ['a schema that cannot be spelled', { name: 'bad', inputSchema: { type: 'object', maximum: 1n } }],
    ['a schema that is no object', { name: 'bad', inputSchema: ['x'] }],
    ['no input schema', { name: 'bad' }],
    ['a lone surrogate', { name: 'bad', inputSchema: { type: 'object', title: '\ud800' } }],
    ['a name that is none', { name: 7, inputSchema: {} }],
    ['no object', 'bad'],
    ['the name of another tool', { name: 'ping', inputSchema: { type: 'object', title: 'other' } }],
    ['a manifest copied from elsewhere', { name: 'bad', inputSchema: {}, _meta: { openapi_schema: { version: 1 } } }],
  ])('a broken tool is left out and counted, its neighbours are not: %s', async (what, bad) => {
    const reports: SearchReport[] = []
    const fixture = make({ onSearch: (report) => reports.push(report) })
    const caller = await fixture.connect()
    fixture.show = (tools) => [bad as never, ...tools]
    const isTwin = what === 'the name of another tool'
    expect(await foundNames(caller)).toEqual(isTwin ? ['get_user', 'delete_user', 'slow'] : ALL)
    expect(reports).toEqual([{ entries: isTwin ? 3 : 4, omitted: 0, skipped: isTwin ? 2 : 1 }])
    if (isTwin) {
      fixture.show = (tools) => tools
      const uri = await manifestUriOf(caller, 'ping')
      fixture.show = (tools) => [...tools, bad as never]
      await refusalOf(read(caller, uri))
      expect((await call(caller, { name: 'ping' })).isError).toBe(true)
    }
  })

  it('a listing without end is refused, in words where a tool was called', async () => {
    const fixture = make({ limits: { maxTools: 3 } })
    const caller = await fixture.connect()
    const text = 'Cannot list tools: more than 3 tools'
    expect(await search(caller, { query: 'ping' })).toMatchObject({ isError: true, content: [{ text }] })
    expect(await call(caller, { name: 'ping' })).toMatchObject({ isError: true, content: [{ text }] })
    const uri = `openapi-schema://v1/ping/${ZERO}/manifest`
    expect(await refusalOf(read(caller, uri))).toMatchObject({ code: -32603, message: text })
  })

  it('follows the pages of a server that has pages', async () => {
    const fixture = make({ pin: ['*user'] })
    const caller = await fixture.connect()
    let asked = 0
    fixture.show = (tools) => {
      const page = tools.slice(asked, asked + 2)
      asked += 2
      return Object.assign(page, { next: asked < tools.length ? String(asked) : undefined })
    }
    expect((await caller.listTools()).map(({ name }) => name)).toEqual([
      'get_user',
      'delete_user',
      'search_tools',
      'call_tool',
    ])
    asked = 0
    expect(await foundNames(caller)).toEqual(ALL)
  })

  it.each([
    ['patterns', new RegexSearch(), { pattern: '^(ping|slow) ' }],
    ['words', new RankedSearch(), { query: 'ping pong' }],
    ['words beside patterns', new RegexSearch(), { query: 'ping pong' }],
    ['patterns beside words', new RankedSearch(), { pattern: '^ping ' }],
  ])('finds by %s', async (_name, engine, args) => {
    const caller = await make({ search: engine }).connect()
    expect((await foundNames(caller, args))[0]).toBe('ping')
  })

  it.each(['00', '+1', '-0', '1.0', '%30', '\uff10', '1e0', ' 1', '3', '99999999999999999999', '0?x', '0#x'])(
    'BC-031: the one fragment has one spelling, and %j is none',
    async (index) => {
      const caller = await make().connect()
      const uri = (await manifestUriOf(caller, 'ping')).replace('manifest', 'fragments/')
      expect(JSON.parse(await read(caller, `${uri}0`)).index).toBe(0)
      const { code, message } = await refusalOf(read(caller, `${uri}${index}`))
      expect([code, message.replace(/ openapi.*/, '')]).toEqual([
        expect.any(Number),
        expect.stringMatching(/^Resource/),
      ])
    },
  )

  it.each(['..%2F..%2Fping', 'ping%2F..%2Fping', 'ping%00', 'ping%252F', 'x/../ping%2F', 'PING', 'ping.'])(
    'BC-032: no alias is decoded or resolved: %s',
    async (alias) => {
      const caller = await make().connect()
      const uri = await manifestUriOf(caller, 'ping')
      await refusalOf(read(caller, uri.replace('ping', alias)))
    },
  )

  it.each([
    ['the scheme in capitals', (uri: string) => uri.replace('openapi-schema', 'OPENAPI-schema')],
    ['dots for no segment', (uri: string) => uri.replace('/manifest', '/./manifest')],
    ['a step back', (uri: string) => uri.replace('/manifest', '/x/../manifest')],
    ['a tab inside', (uri: string) => uri.replace('manifest', 'mani\tfest')],
  ])('DEV-P-10: what the SDK mends in a URI is answered, under the URI it was mended to: %s', async (_what, spell) => {
    const caller = await make().connect()
    const uri = await manifestUriOf(caller, 'ping')
    const { contents } = await caller.request('resources/read', { uri: spell(uri) })
    expect(contents).toMatchObject([{ uri }])
  })

  it('R-A-17: no session, no HTTP client, no credential of its own', async () => {
    const caught: string[] = []
    const refuse = (name: string) => () => {
      caught.push(name)
      throw new Error(`${name} is not to be used`)
    }
    for (const name of ['fetch', 'WebSocket', 'EventSource']) vi.stubGlobal(name, refuse(name))
    const fixture = make()
    const caller = await fixture.connect()
    const [selected] = (await searchSchemas(caller.session, 'fetch a user')).entries
    if (selected === undefined) throw new Error('not found')
    const { manifest } = await readSchema(caller.session, selected.manifest)
    const { isError } = await callTool(caller.session, {
      name: selected.name,
      arguments: { id: '1' },
      schemaSha256: manifest.schema_sha256,
    })
    expect(isError).toBe(false)
    expect(caught).toEqual([])
  })
})
