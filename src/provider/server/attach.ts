/**
 * A search attached to a server: what its clients see is the search.
 * @module
 */

import type { SchemaManifest } from '../../core/index.ts'
import type { ListedTool } from '../../listing/index.ts'
import type { DiscloseTool } from '../disclose.ts'
import { ProviderError } from '../errors.ts'
import type { SearchEngine } from '../search/engine.ts'
import { findableAs, type ToolCatalog } from './catalog.ts'
import { Connection, type OpenRequest } from './connection.ts'
import { disposable } from './disposable.ts'
import { callerOf, own } from './messages.ts'
import { type AttachOptions, type AttachSettings, completeOptions } from './settings.ts'
import { interpose, type MessageTransport } from './transport.ts'

/** A server that a search can be attached to: the `McpServer` of the MCP SDK, v1 and v2, is one as it is. */
export interface ConnectableServer<Transport> {
  /** The one way to a transport. `attachSearch` stands between the two. */
  connect(transport: Transport): Promise<void>
  isConnected?(): boolean
}

const attachments = new WeakMap<object, Attachment>()

/** The attachment of this search to this server. @throws {ProviderError} `search-not-attached` */
export function attachmentOf(server: object, search: object): Attachment {
  const attachment = attachments.get(server)
  if (attachment?.search === search) return attachment
  throw new ProviderError(
    'search-not-attached',
    {},
    'Cannot register schema resources: the search is not attached to this server',
  )
}

/** One search at one server, as the catalog of whoever asks. */
export class Attachment implements ToolCatalog<unknown> {
  readonly #settings: AttachSettings
  readonly #connections = new Set<Connection>()
  #registered: ReadonlyMap<string, SchemaManifest> = new Map()
  #isAttached = true

  constructor(search: SearchEngine, options: AttachOptions) {
    this.#settings = completeOptions(search, options, () => this.#registered)
  }

  get search(): SearchEngine {
    return this.#settings.search
  }

  get disclose(): DiscloseTool {
    return this.#settings.disclose
  }

  /** From now on these are the manifests that the server's author built. */
  register(manifests: ReadonlyMap<string, SchemaManifest>): void {
    this.#registered = manifests
  }

  detach(): void {
    this.#isAttached = false
  }

  /** A connection over this transport that the search stands in. */
  open(transport: MessageTransport): Connection {
    const connection = new Connection(
      transport,
      (request) => (this.#isAttached && isAnswered(request, this.#settings) ? this.#answer(request) : undefined),
      () => this.#connections.delete(connection),
    )
    this.#connections.add(connection)
    return connection
  }

  /** What answers is loaded with the first request that wants it: whoever uses the engine alone never does. */
  async #answer(request: OpenRequest): Promise<void> {
    const { answer } = await import('./answers.ts')
    await answer(request, this.#settings)
  }

  /** @throws {ProviderError} `caller-unknown` */
  async *listTools(extra: unknown, { signal }: { readonly signal: AbortSignal }): AsyncGenerator<ListedTool> {
    const { limits } = this.#settings
    yield* await findableAs(this.#requestOf(extra), { limits, signal })
  }

  /** The open request that `extra` belongs to: by its id, and by the very object that says who sent it. */
  #requestOf(extra: unknown): OpenRequest {
    const { id, authInfo, signal } = callerOf(extra)
    const found = signal.aborted ? [] : [...this.#connections].flatMap((connection) => connection.find(id) ?? [])
    const [only] = found
    if (only !== undefined && found.length === 1 && own(only.extra, 'authInfo') === authInfo) return only
    throw new ProviderError('caller-unknown', {}, 'Cannot list tools: the request of this caller is not open')
  }
}

/** True for what is answered in the server's place. */
function isAnswered({ message }: OpenRequest, { searchTool, callTool }: AttachSettings): boolean {
  if (message.method !== 'tools/call') return message.method === 'tools/list'
  const name = own(message.params, 'name')
  return name === searchTool || name === callTool
}

/**
 * Attaches a search to a server, before it connects. Its clients then list the searching and the calling tool in place of the
 * catalog (and what is pinned), search as themselves, and call through it; everything else passes as it is. The catalog is the
 * server's own answer to `tools/list`, asked anew in the name of whoever searches, calls or reads: what a tool's author disables
 * or hides is gone at once.
 *
 * The same search may be attached to many servers, such as one made for each request: what it keeps is shared, and nothing in it
 * depends on who asks.
 *
 * @param server an `McpServer` of the MCP SDK, v1 or v2, not connected yet
 * @param search finds by pattern where it is a `RegexSearch`, else by words
 * @returns takes the search away again: open connections then pass everything as it is, and what `registerSchemaResources` registered
 * with it is not readable on later ones
 * @throws {ProviderError} `option-invalid`, `server-attached`, `server-connected`
 *
 * @example
 * ```ts
 * const search = new RegexSearch()
 * attachSearch(server, search, { pin: ['ping'] })
 * registerSchemaResources(server, search, new Map(), { ResourceTemplate })
 * await server.connect(transport)
 * ```
 */
export function attachSearch<Transport>(
  server: ConnectableServer<Transport>,
  search: SearchEngine,
  options: AttachOptions = {},
): Disposable {
  if (attachments.has(server)) {
    throw new ProviderError('server-attached', {}, 'Cannot attach search: this server has one already')
  }
  if (server.isConnected?.() === true) {
    throw new ProviderError('server-connected', {}, 'Cannot attach search: the server is connected already')
  }
  const attachment = new Attachment(search, options)
  const { connect } = server
  const between = async (transport: Transport): Promise<void> => {
    const target = transport as MessageTransport
    const connection = attachment.open(target)
    try {
      await connect.call(server, interpose(target, connection) as Transport)
    } catch (error) {
      connection.closed()
      throw error
    }
  }
  server.connect = between
  attachments.set(server, attachment)
  return disposable(() => {
    attachment.detach()
    attachments.delete(server)
    // Whoever came between since then is left where it is.
    if (server.connect === between) server.connect = connect
  })
}
