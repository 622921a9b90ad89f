import { describe, expect, it } from 'vitest'
import type { ListedTool } from '../../src/listing/index.ts'
import {
  attachSearch,
  describeSchemaTools,
  ProviderError,
  RankedSearch,
  RegexSearch,
  registerSchemaResources,
  type ToolCatalog,
} from '../../src/provider/index.ts'

type Message = { [name: string]: unknown }
type OnMessage = (message: Message, extra?: unknown) => void

/** A transport as the SDKs know it, with a field that only its own methods reach. */
class FakeTransport {
  readonly #sent: Message[] = []
  readonly options: unknown[] = []
  readonly sessionId = 's1'
  onmessage: OnMessage | undefined
  onclose: (() => void) | undefined
  onerror: ((error: Error) => void) | undefined
  isStarted = false

  async start(): Promise<void> {
    this.isStarted = this.#sent.length === 0
  }

  async send(message: Message, options?: unknown): Promise<void> {
    this.#sent.push(message)
    this.options.push(options)
  }

  get sent(): readonly Message[] {
    return this.#sent
  }
}

const TOOLS = [
  { name: 'ping', inputSchema: { type: 'object' } },
  { name: 'pong', inputSchema: { type: 'object' } },
]
type Read = (uri: URL, variables: object, extra: unknown) => Promise<{ contents: { text: string }[] }>

/** A server that does what is scripted, in the way both SDKs do: takes messages, answers by `send` of its transport. */
class FakeServer {
  transport: FakeTransport | undefined
  readonly got: { readonly message: Message; readonly extra: unknown }[] = []
  readonly reads = new Map<string, Read>()
  readonly removed: string[] = []
  failing: string | undefined
  /** Answers a request, or leaves it open. */
  run: (message: Message, extra: unknown) => unknown = ({ method }) =>
    method === 'tools/list' ? { result: { tools: TOOLS } } : { result: { content: [] } }

  async connect(transport: FakeTransport): Promise<void> {
    if (this.transport !== undefined) throw new Error('Already connected')
    this.transport = transport
    transport.onclose = () => {
      this.transport = undefined
    }
    transport.onmessage = (message, extra) => {
      this.got.push({ message, extra })
      const { id } = message
      if (id === undefined || message.method === undefined) return
      void Promise.resolve(this.run(message, extra)).then((answer) => {
        if (answer !== undefined) void transport.send({ jsonrpc: '2.0', id, ...(answer as Message) })
      })
    }
    await transport.start()
  }

  isConnected(): boolean {
    return this.transport !== undefined
  }

  registerResource(name: string, _template: unknown, _config: unknown, read: unknown) {
    if (name === this.failing) throw new Error(`${name} is taken`)
    this.reads.set(name, read as Read)
    return { remove: () => void this.removed.push(name) }
  }
}

class ResourceTemplate {
  readonly uriTemplate: string
  constructor(uriTemplate: string) {
    this.uriTemplate = uriTemplate
  }
}

async function attached(options: Parameters<typeof attachSearch>[2] = {}) {
  const server = new FakeServer()
  const search = new RegexSearch()
  const detach = attachSearch(server, search, options)
  registerSchemaResources(server, search, new Map(), { ResourceTemplate })
  const transport = new FakeTransport()
  await server.connect(transport)
  const receive = (message: Message, extra?: unknown) => transport.onmessage?.({ jsonrpc: '2.0', ...message }, extra)
  /** Waits for the answer on the wire. */
  const ask = async (message: Message, extra?: unknown): Promise<Message> => {
    const before = transport.sent.length
    receive(message, extra)
    await expect.poll(() => transport.sent.length).toBeGreaterThan(before)
    return transport.sent.at(-1) as Message
  }
  const read = (extra: unknown) =>
    (server.reads.get('schema_manifest') as Read)(new URL('openapi-schema://v1/x'), {}, extra)
  return { server, search, detach, transport, receive, ask, read }
}

const code = (expected: string) => expect.objectContaining({ code: expected })
const LIST = { id: 1, method: 'tools/list' }
const SEARCH = { id: 1, method: 'tools/call', params: { name: 'search_tools', arguments: { pattern: '.' } } }

describe('attachSearch', () => {
  it.each<[string, unknown, unknown]>([
    ['search', {}, {}],
    ['search', undefined, {}],
    ['pin', new RegexSearch(), { pin: 'ping' }],
    ['pin', new RegexSearch(), { pin: [1] }],
    ['searchTool', new RegexSearch(), { searchTool: 'a b' }],
    ['callTool', new RegexSearch(), { callTool: '' }],
    ['callTool', new RegexSearch(), { searchTool: 'x', callTool: 'x' }],
    ['engines', new RegexSearch(), { engines: { query: {} } }],
    ['searchTool', new RegexSearch(), { searchTool: 123 }],
    ['limits', new RegexSearch(), { limits: { maxTools: Number.NaN } }],
    ['limits', new RegexSearch(), { limits: { maxPages: '5' } }],
    ['limits', new RegexSearch(), { limits: { timeoutMs: -1 } }],
    ['onSearch', new RegexSearch(), { onSearch: 5 }],
    ['options', new RegexSearch(), null],
  ])('refuses the option %s: %j %j', (option, search, options) => {
    const refused = { code: 'option-invalid', data: { option } }
    expect(() => attachSearch(new FakeServer(), search as never, options as never)).toThrow(
      expect.objectContaining(refused),
    )
  })

  it('refuses a second search, a connected server, and a catalog that is not attached', async () => {
    const { server, detach } = await attached()
    expect(() => attachSearch(server, new RegexSearch())).toThrow(code('server-attached'))
    const sdk = { ResourceTemplate }
    expect(() => registerSchemaResources(server, new RegexSearch(), new Map(), sdk)).toThrow(
      code('search-not-attached'),
    )
    detach[Symbol.dispose]()
    expect(() => attachSearch(server, new RegexSearch())).toThrow(code('server-connected'))
    expect(() => registerSchemaResources(new FakeServer(), new RegexSearch(), new Map(), sdk)).toThrow(ProviderError)
  })

  it('gives the server a transport that is the real one but for its messages', async () => {
    const { server, transport } = await attached()
    const given = server.transport as FakeTransport
    expect(given).not.toBe(transport)
    expect(given).toBeInstanceOf(FakeTransport)
    expect(given.constructor).toBe(FakeTransport)
    expect(given.sessionId).toBe('s1')
    expect(given.isStarted).toBe(true)
    expect('setScopeChallengeResolver' in given).toBe(true)
    expect('nothing' in given).toBe(false)
  })

  it('a server that does not connect keeps nothing; detached, it connects as before', async () => {
    const { server, detach } = await attached()
    await expect(server.connect(new FakeTransport())).rejects.toThrow('Already connected')
    server.transport?.onclose?.()
    expect(server.isConnected()).toBe(false)
    detach[Symbol.dispose]()
    const plain = new FakeTransport()
    await server.connect(plain)
    expect(server.transport).toBe(plain)
  })

  it('whoever listens at the transport already hears what the client said, and only that', async () => {
    const server = new FakeServer()
    attachSearch(server, new RegexSearch())
    const transport = new FakeTransport()
    const heard: unknown[] = []
    transport.onmessage = ({ method }) => heard.push(method)
    await server.connect(transport)
    transport.onmessage?.({ jsonrpc: '2.0', ...SEARCH })
    await expect.poll(() => transport.sent.length).toBe(1)
    expect(heard).toEqual(['tools/call'])
    expect(server.got.map(({ message }) => message.method)).toEqual(['tools/list'])
  })

  it('R-A-09: a request in a caller’s name has the very object that says who it is, and its `_meta` but for what is about one request', async () => {
    const { server, ask } = await attached()
    const extra = { authInfo: { clientId: 'a' } }
    const own = { tenant: 't', progressToken: 7, 'io.modelcontextprotocol/related-task': { taskId: 'x' } }
    await ask({ ...SEARCH, params: { ...SEARCH.params, _meta: own } }, extra)
    expect(server.got).toHaveLength(1)
    expect(server.got[0]?.extra).toBe(extra)
    expect(server.got[0]?.message.params).toEqual({ _meta: { tenant: 't' } })
    expect(server.got[0]?.message.id).not.toBe(1)
  })

  it('what a server says while it lists belongs to the client’s request, and inner answers never reach the client', async () => {
    const { server, transport, ask } = await attached()
    server.run = async ({ id }) => {
      const notice = { jsonrpc: '2.0', method: 'notifications/message', params: {} }
      await server.transport?.send(notice, { relatedRequestId: id, other: true } as never)
      await server.transport?.send(notice, { relatedRequestId: 'foreign' } as never)
      await server.transport?.send(notice)
      return { result: { tools: TOOLS } }
    }
    transport.onmessage?.({ jsonrpc: '2.0', ...LIST })
    await expect.poll(() => transport.sent.length).toBe(4)
    expect(transport.options.slice(0, 3)).toEqual([
      { relatedRequestId: 1, other: true },
      { relatedRequestId: 'foreign' },
      undefined,
    ])
    const inner = server.got[0]?.message.id
    await server.transport?.send({ jsonrpc: '2.0', id: inner, result: {} })
    expect(transport.sent).toHaveLength(4)
    expect((await ask({ id: 2, method: 'ping' })).id).toBe(2)
  })

  it('other requests, answers and notifications pass as the very objects they are', async () => {
    const { server, transport, receive } = await attached()
    server.run = () => undefined
    const extra = {}
    const messages: Message[] = [
      { id: 1, method: 'ping' },
      { id: 1, method: 'tools/call', params: { name: 'ping' } },
      { id: 9, result: {} },
      { method: 'notifications/initialized' },
      { id: null, method: 'x' },
      { id: 2, method: 'tools/call' },
    ]
    for (const message of messages) transport.onmessage?.(message, extra)
    receive({ id: 3, method: 'tools/call', params: 'x' })
    expect(server.got.slice(0, -1).map(({ message }) => message)).toEqual(messages)
    for (const [index, message] of messages.entries()) expect(server.got[index]?.message).toBe(message)
    expect(server.got[0]?.extra).toBe(extra)
    const own = { jsonrpc: '2.0', id: 5, method: 'sampling/createMessage' }
    await server.transport?.send(own)
    expect(transport.sent[0]).toBe(own)
  })

  it.each<[string, (of: Awaited<ReturnType<typeof attached>>) => unknown]>([
    ['an id that is not open', () => ({ requestId: 2 })],
    ['an id of another kind', () => ({ requestId: '1' })],
    ['no id', () => ({})],
    ['nothing', () => undefined],
    ['the id of another caller', () => ({ requestId: 1, authInfo: { clientId: 'b' } })],
    ['a copy of who it is', () => ({ requestId: 1, authInfo: { clientId: 'a' } })],
    ['a request that was given up', () => ({ requestId: 1, authInfo: WHO.authInfo, signal: AbortSignal.abort() })],
    ['the same in SDK v2', () => ({ mcpReq: { id: 2 }, http: WHO })],
    ['a copy in SDK v2', () => ({ mcpReq: { id: 1 }, http: { authInfo: { clientId: 'a' } } })],
    [
      'an id that came twice',
      ({ receive }) => {
        receive({ id: 1, method: 'resources/read' }, WHO)
        return { requestId: 1, authInfo: WHO.authInfo }
      },
    ],
    [
      'an id that came twice, and then again when one was answered',
      ({ receive, server }) => {
        receive({ id: 1, method: 'resources/read' }, WHO)
        void server.transport?.send({ jsonrpc: '2.0', id: 1, result: {} })
        receive({ id: 1, method: 'resources/read' }, WHO)
        return { requestId: 1, authInfo: WHO.authInfo }
      },
    ],
    [
      'a request that was answered',
      ({ server }) => {
        void server.transport?.send({ jsonrpc: '2.0', id: 1, result: {} })
        return { requestId: 1, authInfo: WHO.authInfo }
      },
    ],
    [
      'a request that was cancelled',
      ({ receive }) => {
        receive({ method: 'notifications/cancelled', params: { requestId: 1 } })
        return { requestId: 1, authInfo: WHO.authInfo }
      },
    ],
    [
      'a connection that is closed',
      ({ transport }) => {
        transport.onclose?.()
        return { requestId: 1, authInfo: WHO.authInfo }
      },
    ],
  ])('lists for nobody it cannot tell: %s', async (_what, extraOf) => {
    const of = await attached()
    of.server.run = ({ method }) => (method === 'tools/list' ? { result: { tools: TOOLS } } : undefined)
    of.receive({ id: 1, method: 'resources/read' }, WHO)
    const before = of.server.got.length
    const extra = extraOf(of)
    const own = of.server.got.length - before
    await expect(of.read(extra)).rejects.toThrow(code('caller-unknown'))
    expect(of.server.got.length - before).toBe(own)
  })

  it.each([
    ['SDK v1', { requestId: 1, signal: new AbortController().signal }],
    ['SDK v2', { mcpReq: { id: 1, signal: new AbortController().signal } }],
  ])('and for whom it can: %s', async (_sdk, known) => {
    const { server, receive, read } = await attached()
    server.run = ({ method }) => (method === 'tools/list' ? { result: { tools: TOOLS } } : undefined)
    receive({ id: 1, method: 'resources/read' }, WHO)
    const extra = 'mcpReq' in known ? { ...known, http: WHO } : { ...known, ...WHO }
    await expect(read(extra)).rejects.toThrow('Resource not found')
    expect(server.got.at(-1)?.extra).toBe(WHO)
  })

  it.each(['answered', 'cancelled'])('an id that came twice may be used again once both are %s', async (end) => {
    const { server, transport, receive, read } = await attached()
    server.run = ({ method }) => (method === 'tools/list' ? { result: { tools: TOOLS } } : undefined)
    for (const id of [1, 1, 2]) receive({ id, method: 'resources/read' }, WHO)
    const extra = (requestId: number) => ({ requestId, authInfo: WHO.authInfo, signal: new AbortController().signal })
    await expect(read(extra(1))).rejects.toThrow(code('caller-unknown'))
    await expect(read(extra(2)), 'nor do others lose theirs').rejects.toThrow('Resource not found')
    if (end === 'cancelled') receive({ method: 'notifications/cancelled', params: { requestId: 1 } })
    else for (const _ of [1, 2]) void server.transport?.send({ jsonrpc: '2.0', id: 1, result: {} })
    receive({ id: 1, method: 'resources/read' }, WHO)
    await expect(read(extra(1))).rejects.toThrow('Resource not found')
    transport.onclose?.()
  })

  it('closing ends both listings of an id that came twice', async () => {
    const { server, transport, receive } = await attached()
    server.run = () => undefined
    for (const request of [SEARCH, SEARCH]) receive(request)
    await expect.poll(() => server.got.length).toBe(2)
    transport.onclose?.()
    const cancelled = () => server.got.filter(({ message }) => message.method === 'notifications/cancelled').length
    await expect.poll(cancelled).toBe(2)
  })

  it('a caller who gives up or goes ends the listing in the server, and gets nothing', async () => {
    for (const end of ['cancel', 'close'] as const) {
      const { server, transport, receive } = await attached()
      server.run = () => undefined
      receive(SEARCH)
      await expect.poll(() => server.got.length).toBe(1)
      if (end === 'cancel') receive({ method: 'notifications/cancelled', params: { requestId: 1 } })
      else transport.onclose?.()
      await expect
        .poll(() => server.got.map(({ message }) => [message.method, (message.params as Message)?.requestId]))
        .toContainEqual(['notifications/cancelled', server.got[0]?.message.id])
      expect(transport.sent).toEqual([])
    }
  })

  it('a fault of its own is an error without words, and told to the transport’s listener', async () => {
    const { server, transport, ask } = await attached({
      onSearch: () => {
        throw new Error('secret')
      },
    })
    const errors: string[] = []
    transport.onerror = ({ message }) => errors.push(message)
    expect(await ask(SEARCH)).toMatchObject({ id: 1, error: { code: -32603, message: 'Internal error' } })
    await expect.poll(() => errors).toEqual(['secret'])
    server.run = () => ({ result: 'nothing' })
    const text = 'Cannot list tools: page 1 is not a tools/list result (no tools)'
    expect(await ask({ ...LIST, id: 2 })).toMatchObject({ id: 2, error: { code: -32603, message: text } })
  })

  it('a call that is given up while its scopes are judged never gets to the tool; a transport that judges keeps its judge', async () => {
    const server = new FakeServer()
    attachSearch(server, new RegexSearch())
    const resolvers: unknown[] = []
    const judging = Object.assign(new FakeTransport(), {
      setScopeChallengeResolver: (resolver: unknown) => resolvers.push(resolver),
    })
    await server.connect(judging)
    const asked: unknown[] = []
    let decide = (_verdict: unknown): void => {}
    const resolver = (context: unknown) => {
      asked.push(context)
      return new Promise((resolve) => {
        decide = resolve
      })
    }
    ;(server.transport as typeof judging).setScopeChallengeResolver(resolver)
    expect(resolvers).toEqual([resolver])
    const call = { jsonrpc: '2.0', method: 'tools/call', params: { name: 'call_tool', arguments: { name: 'ping' } } }
    const target = { ...call, params: { name: 'ping' } }
    judging.onmessage?.({ ...call, id: 1 }, WHO)
    await expect.poll(() => asked).toEqual([{ request: { ...target, id: 1 }, ...WHO }])
    judging.onmessage?.({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
    decide(undefined)
    judging.onmessage?.({ ...call, id: 2 }, WHO)
    await expect.poll(() => asked.length).toBe(2)
    decide(undefined)
    await expect.poll(() => judging.sent.length).toBe(1)
    const calls = server.got.filter(({ message }) => message.method === 'tools/call')
    expect(calls).toEqual([{ message: { ...target, id: 2 }, extra: WHO }])
  })

  it('a call spells no other tool than its target, and that one only where a digest is to be compared', async () => {
    const { server, ask } = await attached()
    const spelled: string[] = []
    const entry = (name: string) => ({
      name,
      inputSchema: { type: 'object', toJSON: () => spelled.push(name) && { title: name } },
    })
    server.run = ({ method }) =>
      method === 'tools/list' ? { result: { tools: ['a', 'b'].map(entry) } } : { result: { content: [] } }
    const call = (args: Message) => ask({ id: 1, method: 'tools/call', params: { name: 'call_tool', arguments: args } })
    expect(await call({ name: 'a' })).toMatchObject({ result: { content: [] } })
    expect(spelled).toEqual([])
    expect(await call({ name: 'b', schema_sha256: '0'.repeat(64) })).toMatchObject({ result: { isError: true } })
    expect(spelled).toEqual(['b'])
  })

  it('an entry that is too long is no tool for a call', async () => {
    const { server, ask } = await attached({ limits: { maxEntryBytes: 1000 } })
    const entry = (name: string, length: number) => ({ name, inputSchema: { title: 'y'.repeat(length) } })
    server.run = ({ method }) =>
      method === 'tools/list'
        ? { result: { tools: [entry('long', 2000), entry('short', 10)] } }
        : { result: { content: [] } }
    const call = (name: string) =>
      ask({
        id: 1,
        method: 'tools/call',
        params: { name: 'call_tool', arguments: { name, schema_sha256: '0'.repeat(64) } },
      })
    expect(await call('long')).toMatchObject({ result: { isError: true } })
    expect(server.got.filter(({ message }) => message.method === 'tools/call')).toEqual([])
  })

  it('stops spelling a list that is too long', async () => {
    const { server, ask } = await attached({ limits: { maxTotalBytes: 1000 } })
    let spelled = 0
    const toJSON = () => {
      spelled++
      return { name: 'x', inputSchema: { title: 'y'.repeat(300) } }
    }
    server.run = () => ({ result: { tools: Array.from({ length: 50 }, () => ({ toJSON })) } })
    const text = 'Cannot list tools: the pages hold more than 1000 bytes'
    expect(await ask(SEARCH)).toMatchObject({ result: { isError: true, content: [{ text }] } })
    expect(spelled).toBeLessThan(5)
  })

  it('an engine that fails is an error of the tool', async () => {
    const pattern = { search: () => Promise.reject(new Error('secret')) }
    const { ask } = await attached({ engines: { pattern } })
    const text = 'Cannot search with search_tools: its engine for pattern failed'
    expect(await ask(SEARCH)).toMatchObject({ result: { isError: true, content: [{ text }] } })
  })

  it.each<[string, Message | undefined, unknown, boolean]>([
    ['an old one', { protocolVersion: '2025-03-26' }, undefined, false],
    ['one with output schemas', { protocolVersion: '2025-06-18' }, undefined, true],
    ['unknown', undefined, undefined, false],
    ['by header, SDK v1', undefined, { requestInfo: { headers: { 'mcp-protocol-version': '2025-06-18' } } }, true],
    [
      'by header, SDK v2',
      undefined,
      { request: new Request('http://x', { headers: { 'mcp-protocol-version': '2025-11-25' } }) },
      true,
    ],
  ])('REQ-P-26: tells of output schemas to revisions that know them: %s', async (_what, negotiated, extra, rich) => {
    const { server, ask } = await attached()
    if (negotiated !== undefined) {
      server.run = () => ({ result: negotiated })
      await ask({ id: 0, method: 'initialize' })
      server.run = () => ({ result: { tools: TOOLS } })
    }
    const { result } = (await ask(LIST, extra)) as { result: { tools: Message[] } }
    expect(result.tools.map((tool) => 'outputSchema' in tool)).toEqual([rich, false])
  })

  it('keeps what else a list says, but its cursor', async () => {
    const { server, ask } = await attached()
    server.run = () => ({ result: { tools: TOOLS, nextCursor: 'x', ttlMs: 5, _meta: { a: 1 } } })
    const { result } = (await ask(LIST)) as { result: Message }
    expect(Object.keys(result).toSorted()).toEqual(['_meta', 'tools', 'ttlMs'])
  })

  it('R-A-06: the serializer of a search decides what is found; the one of schemas is the default', async () => {
    const plain = await attached()
    const described = new RegexSearch({ serialize: describeSchemaTools })
    const named = new RegexSearch({
      serialize: async (tools: readonly ListedTool[]) => tools.map(({ name }) => ({ tool: name })),
    })
    const results: unknown[] = [((await plain.ask(SEARCH)).result as Message).structuredContent]
    for (const search of [described, named]) {
      const server = new FakeServer()
      attachSearch(server, search)
      const transport = new FakeTransport()
      await server.connect(transport)
      transport.onmessage?.({ jsonrpc: '2.0', ...SEARCH })
      await expect.poll(() => transport.sent.length).toBe(1)
      const [sent] = transport.sent as [{ result: Message }]
      results.push(sent.result.structuredContent)
    }
    expect(results[1]).toEqual(results[0])
    const tools = TOOLS.map((tool) => ({ name: tool.name, json: new TextEncoder().encode(JSON.stringify(tool)) }))
    expect((results[0] as { result: unknown }).result).toEqual(await describeSchemaTools(tools))
    expect(results[2]).toEqual({ result: [{ tool: 'ping' }, { tool: 'pong' }], truncated: false, omitted: 0 })
  })
})

const WHO = { authInfo: { clientId: 'a' } }

describe('registerSchemaResources', () => {
  const catalog = (...tools: Message[]): ToolCatalog<unknown> => ({
    async *listTools() {
      for (const tool of tools)
        yield { name: tool.name as string, json: new TextEncoder().encode(JSON.stringify(tool)) }
    },
  })

  it('takes a catalog of your own, and hands it what the SDK says about the caller', async () => {
    const server = new FakeServer()
    const seen: unknown[] = []
    const signal = new AbortController().signal
    const own: ToolCatalog<unknown> = {
      listTools(extra, options) {
        seen.push(extra, options.signal)
        return catalog(...TOOLS).listTools(extra, options)
      },
    }
    registerSchemaResources(server, own, new Map(), { ResourceTemplate })
    const [first] = await describeSchemaTools([
      { name: 'ping', json: new TextEncoder().encode(JSON.stringify(TOOLS[0])) },
    ])
    const uri = new URL(first?.manifest.manifest_uri as string)
    const extra = { signal }
    const { contents } = await (server.reads.get('schema_manifest') as Read)(uri, {}, extra)
    expect(JSON.parse(contents[0]?.text as string)).toEqual(first?.manifest)
    expect(seen).toEqual([extra, signal])
  })

  it('a catalog of your own without end is a listing without end', async () => {
    const server = new FakeServer()
    let given = 0
    const endless: ToolCatalog<unknown> = {
      async *listTools() {
        for (;;) yield { name: `tool_${given++}`, json: new TextEncoder().encode('{}') }
      },
    }
    registerSchemaResources(server, endless, new Map(), { ResourceTemplate })
    const read = server.reads.get('schema_manifest') as Read
    await expect(read(new URL('openapi-schema://v1/a/b/manifest'), {}, {})).rejects.toThrow(code('tool-limit'))
    expect(given).toBe(4097)
  })

  it.each<[string, readonly unknown[]]>([
    ['server', [null, catalog(), new Map(), { ResourceTemplate }]],
    ['catalog', [new FakeServer(), undefined, new Map(), { ResourceTemplate }]],
    ['disclosures', [new FakeServer(), catalog(), null, { ResourceTemplate }]],
    ['sdk', [new FakeServer(), catalog(), new Map(), undefined]],
  ])('refuses to register without the argument %s', (option, args) => {
    const register = registerSchemaResources as unknown as (...args: readonly unknown[]) => unknown
    expect(() => register(...args)).toThrow(expect.objectContaining({ code: 'option-invalid', data: { option } }))
  })

  it('R-A-60: an object that a catalog of your own gives again is read again', async () => {
    const server = new FakeServer()
    let description = 'before'
    const tool = {
      name: 'ping',
      get json() {
        return new TextEncoder().encode(JSON.stringify({ ...TOOLS[0], inputSchema: { type: 'object', description } }))
      },
    }
    const own: ToolCatalog<unknown> = {
      async *listTools() {
        yield tool
      },
    }
    registerSchemaResources(server, own, new Map(), { ResourceTemplate })
    const read = server.reads.get('schema_manifest') as Read
    const uriNow = async () => {
      const [entry] = await describeSchemaTools([{ name: 'ping', json: tool.json }])
      return new URL(entry?.manifest.manifest_uri as string)
    }
    const before = await uriNow()
    expect((await read(before, {}, {})).contents.length).toBe(1)
    description = 'after'
    await expect(read(before, {}, {})).rejects.toThrow('Resource not found')
    expect((await read(await uriNow(), {}, {})).contents.length).toBe(1)
  })

  it('a name of your own catalog that is no text is passed by', async () => {
    const server = new FakeServer()
    registerSchemaResources(server, catalog({ ...TOOLS[0], name: '\ud800' }, TOOLS[1] as Message), new Map(), {
      ResourceTemplate,
    })
    const alias = `t_-${'0'.repeat(8)}`
    const uri = new URL(`openapi-schema://v1/${alias}/${'0'.repeat(64)}/manifest`)
    const read = server.reads.get('schema_manifest') as Read
    await expect(read(uri, {}, {})).rejects.toThrow('Resource not found')
  })

  it('registers both templates or none, and takes them away once', () => {
    const server = new FakeServer()
    const registered = registerSchemaResources(server, catalog(), new Map(), { ResourceTemplate })
    expect([...server.reads.keys()]).toEqual(['schema_manifest', 'schema_fragment'])
    registered[Symbol.dispose]()
    registered[Symbol.dispose]()
    expect(server.removed).toEqual(['schema_manifest', 'schema_fragment'])
    const taken = new FakeServer()
    taken.failing = 'schema_fragment'
    expect(() => registerSchemaResources(taken, catalog(), new Map(), { ResourceTemplate })).toThrow('is taken')
    expect(taken.removed).toEqual(['schema_manifest'])
  })

  it('an engine of words is a search too', async () => {
    const server = new FakeServer()
    const search = new RankedSearch()
    attachSearch(server, search)
    expect(() => registerSchemaResources(server, search, new Map(), { ResourceTemplate })).not.toThrow()
  })
})
