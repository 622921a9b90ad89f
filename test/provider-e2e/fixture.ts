/**
 * One small server, made with SDK v1 and with v2, and callers of it over in-memory transports.
 * @module
 */

import { Client as ClientV2, InMemoryTransport as MemoryV2 } from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport as MemoryV1 } from '@modelcontextprotocol/sdk/inMemory.js'
import { McpServer as ServerV1, ResourceTemplate as TemplateV1 } from '@modelcontextprotocol/sdk/server/mcp.js'
import { ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { McpServer as ServerV2, ResourceTemplate as TemplateV2 } from '@modelcontextprotocol/server'
import * as z from 'zod'
import type { McpSession, SchemaManifest } from '../../src/core/index.ts'
import {
  type AttachOptions,
  attachSearch,
  RegexSearch,
  registerSchemaResources,
  type SearchEngine,
} from '../../src/provider/index.ts'

type Json = { [name: string]: unknown }
type Disclosures = ReadonlyMap<string, { readonly manifest: SchemaManifest }>

/** What a test may do with a registered tool: both SDKs give back an object like this. */
export interface ToolHandle {
  enabled: boolean
  disable(): void
  enable(): void
  remove(): void
  update(changes: Json): void
}

export interface Caller {
  readonly session: McpSession
  /** A result schema that lets everything through. */
  readonly pass: never
  /** Who sends what is asked from now on. */
  as(clientId: string | undefined): void
  listTools(): Promise<Json[]>
  templates(): Promise<Json[]>
  request(method: string, params?: Json): Promise<Json>
  close(): Promise<void>
}

export interface Fixture {
  readonly tools: Readonly<Record<'get_user' | 'delete_user' | 'ping' | 'slow', ToolHandle>>
  /** What the server got from its client, in order: `method`, or `method name`. */
  readonly log: string[]
  /** How often the server listed its tools, and for whom. */
  readonly listings: (string | undefined)[]
  /** Calls that reached a tool: its name, and who called. */
  readonly calls: string[]
  readonly disposables: { readonly search: Disposable; readonly resources: Disposable }
  /** Changes what this caller is shown; the default shows everything. A member `next` of the list is the cursor. */
  show: (tools: Json[], clientId: string | undefined) => Json[]
  connect(): Promise<Caller>
}

export interface FixtureOptions extends AttachOptions {
  readonly search?: SearchEngine
  readonly disclosures?: Disclosures
  /** Manifests that tools carry. */
  readonly carried?: Readonly<Record<string, unknown>>
}

export type MakeFixture = (options?: FixtureOptions) => Fixture

const USER = { id: z.string().describe('Id of the user'), verbose: z.boolean().optional() }
const INFO = { name: 'fixture', version: '1.0.0' }

/** The part of both SDKs' servers that is used here. */
interface AnyServer {
  registerTool(name: string, config: Json, run: unknown): ToolHandle
  connect(transport: never): Promise<void>
}

const clientIdOf = (extra: Json): string | undefined => {
  const http = extra.http as Json | undefined
  return ((extra.authInfo ?? http?.authInfo) as { clientId: string } | undefined)?.clientId
}

const metaOf = (carried: FixtureOptions['carried'], name: string): Json =>
  carried?.[name] === undefined ? {} : { _meta: { openapi_schema: carried[name] } }

function registerTools(
  server: AnyServer,
  { calls, log }: Pick<Fixture, 'calls' | 'log'>,
  carried: FixtureOptions['carried'],
): Fixture['tools'] {
  const run = (name: string) => async (args: Json, extra: Json) => {
    calls.push(`${name} ${clientIdOf(extra) ?? '-'}`)
    const structuredContent = { name, got: args }
    return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }
  }
  const outputSchema = z.object({
    name: z.string(),
    got: z.object({ id: z.string(), verbose: z.boolean().optional() }),
  })
  const user = z.object(USER)
  return {
    get_user: server.registerTool(
      'get_user',
      { description: 'Fetch a user by id', inputSchema: user, outputSchema, ...metaOf(carried, 'get_user') },
      run('get_user'),
    ),
    delete_user: server.registerTool(
      'delete_user',
      { description: 'Delete a user', inputSchema: user, ...metaOf(carried, 'delete_user') },
      run('delete_user'),
    ),
    ping: server.registerTool('ping', { description: 'Says pong', ...metaOf(carried, 'ping') }, (extra: Json) =>
      run('ping')({}, extra),
    ),
    // Reports progress and ends when its caller gives up.
    slow: server.registerTool(
      'slow',
      { description: 'Takes its time', inputSchema: z.object({ ms: z.number() }), ...metaOf(carried, 'slow') },
      async ({ ms }: { ms: number }, extra: Json) => {
        const part = (extra.mcpReq ?? extra) as { signal: AbortSignal; _meta?: { progressToken?: unknown } } & Json
        const notify = (part.sendNotification ?? part.notify) as (notification: Json) => Promise<void>
        log.push('started slow')
        const progressToken = part._meta?.progressToken
        if (progressToken !== undefined) {
          await notify({ method: 'notifications/progress', params: { progressToken, progress: 1, total: 2 } })
        }
        await new Promise((resolve) => {
          const timer = setTimeout(resolve, ms)
          part.signal.addEventListener('abort', () => {
            clearTimeout(timer)
            calls.push('slow aborted')
            resolve(undefined)
          })
        })
        return { content: [{ type: 'text', text: 'done' }] }
      },
    ),
  }
}

/** Notes each request before the server takes it. */
const noting =
  (log: string[]) =>
  (message: Json): void => {
    if (typeof message.method !== 'string' || message.id === undefined) return
    const { name, uri } = (message.params ?? {}) as { name?: string; uri?: string }
    const target = name ?? uri
    log.push(target === undefined ? message.method : `${message.method} ${target}`)
  }

interface Linked {
  readonly client: { send(message: never, options?: Json): Promise<void> }
  readonly server: unknown
}

/** Everything sent from now on comes from `current`. */
function authenticated({ client }: Linked, current: { authInfo: Json | undefined }): void {
  const send = client.send.bind(client)
  client.send = (message, options) => send(message, { ...options, authInfo: current.authInfo })
}

async function connectCaller(
  linked: Linked,
  client: McpSession & { connect(transport: never): Promise<void>; close(): Promise<void> },
  server: AnyServer,
  log: string[],
): Promise<Caller> {
  const current: { authInfo: Json | undefined } = { authInfo: undefined }
  authenticated(linked, current)
  const serverSide = linked.server as { onmessage?: unknown }
  serverSide.onmessage = noting(log)
  await Promise.all([server.connect(linked.server as never), client.connect(linked.client as never)])
  log.length = 0
  const any = { '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) } }
  const pass = { ...any, parse: (value: unknown) => value, safeParse: (data: unknown) => ({ success: true, data }) }
  const request = (method: string, params: Json = {}) =>
    client.request({ method, params }, pass as never) as Promise<Json>
  return {
    session: client,
    pass: pass as never,
    as(clientId) {
      current.authInfo = clientId === undefined ? undefined : { clientId, token: 't', scopes: [] }
    },
    listTools: async () => (await request('tools/list')).tools as Json[],
    templates: async () => (await request('resources/templates/list')).resourceTemplates as Json[],
    request,
    close: () => client.close(),
  }
}

type Handler = (request: unknown, extra: Json) => unknown

/** A server's own middleware: stands around its list handler, whoever sets it. */
function listThrough(
  server: { setRequestHandler(what: never, handler: never): void },
  isList: (what: unknown) => boolean,
  change: (tools: Json[], clientId: string | undefined) => Json[],
): void {
  const set = server.setRequestHandler.bind(server) as (what: unknown, handler: unknown) => void
  const changed = (what: unknown, handler: Handler): void =>
    set(
      what,
      isList(what)
        ? async (request: unknown, extra: Json) => {
            const result = (await handler(request, extra)) as { tools: Json[] }
            const tools = (await change(result.tools, clientIdOf(extra))) as Json[] & { next?: string }
            return { ...result, tools, ...(tools.next === undefined ? undefined : { nextCursor: tools.next }) }
          }
        : handler,
    )
  server.setRequestHandler = changed as never
}

interface Sdk {
  makeServer(): AnyServer & { readonly server: { setRequestHandler(what: never, handler: never): void } }
  isList(what: unknown): boolean
  readonly ResourceTemplate: new (uriTemplate: string, callbacks: { list: undefined }) => never
  makeLink(): Linked
  makeClient(): unknown
}

const V1: Sdk = {
  makeServer: () => new ServerV1(INFO) as never,
  isList: (what) => what === ListToolsRequestSchema,
  ResourceTemplate: TemplateV1 as never,
  makeLink: () => {
    const [client, server] = MemoryV1.createLinkedPair()
    return { client, server }
  },
  makeClient: () => new ClientV1(INFO),
}

const V2: Sdk = {
  makeServer: () => new ServerV2(INFO) as never,
  isList: (what) => what === 'tools/list',
  ResourceTemplate: TemplateV2 as never,
  makeLink: () => {
    const [client, server] = MemoryV2.createLinkedPair()
    return { client, server }
  },
  makeClient: () => new ClientV2(INFO),
}

function makeFixture(sdk: Sdk, options: FixtureOptions = {}): Fixture {
  const log: string[] = []
  const calls: string[] = []
  const listings: (string | undefined)[] = []
  const server = sdk.makeServer()
  listThrough(server.server, sdk.isList, (listed, clientId) => {
    listings.push(clientId)
    return fixture.show(listed, clientId)
  })
  const tools = registerTools(server, { calls, log }, options.carried)
  const search = options.search ?? new RegexSearch()
  const { ResourceTemplate } = sdk
  const disposables = {
    search: attachSearch(server, search, options),
    resources: registerSchemaResources(server as never, search, options.disclosures ?? new Map(), { ResourceTemplate }),
  }
  const connect = () => connectCaller(sdk.makeLink(), sdk.makeClient() as never, server, log)
  const fixture: Fixture = { tools, log, listings, calls, disposables, show: (listed) => listed, connect }
  return fixture
}

/** The server by the SDK it is made with. */
export const SDKS: Readonly<Record<string, MakeFixture>> = {
  'SDK v1': (options) => makeFixture(V1, options),
  'SDK v2': (options) => makeFixture(V2, options),
}
