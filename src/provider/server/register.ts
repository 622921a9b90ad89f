/**
 * Manifests and fragments as resources of a server.
 * @module
 */

import {
  FRAGMENT_URI_TEMPLATE,
  MANIFEST_URI_TEMPLATE,
  parseSchemaManifest,
  type SchemaManifest,
} from '../../core/index.ts'
import { DEFAULT_LISTING_LIMITS, type ListedTool, ListingError } from '../../listing/index.ts'
import { DisclosureMemo } from '../disclosure-memo.ts'
import { ProviderError, refuseOption } from '../errors.ts'
import { readSchemaUri, type SchemaResource } from '../read.ts'
import type { SearchEngine } from '../search/engine.ts'
import { attachmentOf } from './attach.ts'
import type { ToolCatalog } from './catalog.ts'
import { disposable } from './disposable.ts'
import { callerOf } from './messages.ts'
import { discloseRegistered } from './settings.ts'

/** A server that resources can be registered with: the `McpServer` of the MCP SDK, v1 and v2, is one as it is. */
export interface ResourceHost<Template, Extra> {
  registerResource(
    name: string,
    template: Template,
    config: { title?: string; description?: string; mimeType?: string },
    read: (
      uri: URL,
      variables: { [name: string]: string | string[] },
      extra: Extra,
    ) => Promise<{ contents: { uri: string; mimeType: string; text: string }[] }>,
  ): { remove(): void }
}

/** The SDK's own class, handed in: nothing here imports an SDK. */
export interface ServerSdk<Template> {
  readonly ResourceTemplate: new (uriTemplate: string, callbacks: { list: undefined }) => Template
}

/** Also of a catalog that is not ours: what it lists is held for the time of a read. */
const { maxTools } = DEFAULT_LISTING_LIMITS
const MIME_TYPE = 'application/json'
const TEMPLATES = [
  ['schema_manifest', MANIFEST_URI_TEMPLATE],
  ['schema_fragment', FRAGMENT_URI_TEMPLATE],
] as const
/** The SDK's v2 spells it as the caller's revision does. */
const RESOURCE_NOT_FOUND = -32002

/**
 * Registers the two resource templates, `schema_manifest` and `schema_fragment`. Each read lists the tools again as its caller,
 * hashes the tool's schemas as they are now, and answers only where all agrees. What is hidden, disabled, unknown, stale or guessed
 * is one and the same refusal by the same steps.
 *
 * A tool with an entry in `disclosures` must agree with it in every field; a tool that carries a manifest in `_meta.openapi_schema`
 * without being there has none; every other tool is disclosed as it is listed. The map is copied.
 *
 * @param server an `McpServer` of the MCP SDK, v1 or v2
 * @param catalog the search attached to this server by `attachSearch`, or a catalog of your own
 * @param disclosures what the author built beforehand with `buildSchemaDisclosure`, by tool name; may be empty
 * @param sdk the SDK's class `ResourceTemplate`
 * @returns removes both templates again
 * @throws {ProviderError} `search-not-attached`, `option-invalid`: an argument that is none
 * @throws {SchemaDisclosureError} `manifest-invalid`: of a disclosure that is none
 *
 * @example
 * ```ts
 * const search = new RegexSearch()
 * attachSearch(server, search)
 * registerSchemaResources(server, search, new Map([['get_user', disclosure]]), { ResourceTemplate })
 * ```
 */
export function registerSchemaResources<Template, Extra>(
  server: ResourceHost<Template, Extra>,
  catalog: ToolCatalog<NoInfer<Extra>> | SearchEngine,
  disclosures: ReadonlyMap<string, { readonly manifest: SchemaManifest }>,
  sdk: ServerSdk<Template>,
): Disposable {
  for (const [name, value] of Object.entries({ server, catalog, disclosures, sdk })) {
    if (typeof value !== 'object' || value === null) refuseOption('register schema resources', name)
  }
  const manifests = new Map(
    [...disclosures].map(([name, disclosure]) => [name, parseSchemaManifest(disclosure?.manifest)]),
  )
  const attachment = isCatalog(catalog) ? undefined : attachmentOf(server, catalog)
  const source: ToolCatalog<Extra> = attachment ?? (catalog as ToolCatalog<Extra>)
  const disclose = attachment?.disclose ?? discloseRegistered(new DisclosureMemo(), () => manifests)
  const read = async (uri: string, extra: Extra): Promise<SchemaResource> => {
    const { signal } = callerOf(extra)
    const tools: ListedTool[] = []
    // Also for a URI that is none: whoever may not list is refused alike, and nobody can tell which of the two it was.
    for await (const tool of source.listTools(extra, { signal })) {
      signal?.throwIfAborted()
      if (tools.length === maxTools)
        throw new ListingError('tool-limit', { limit: maxTools }, `more than ${maxTools} tools`)
      // A catalog of somebody else's may give the same object again and mean another schema by it.
      tools.push(attachment === undefined ? { name: tool.name, json: tool.json.slice() } : tool)
    }
    const find = async (matches: (tool: ListedTool) => boolean | Promise<boolean>) => {
      const found: ListedTool[] = []
      for (const tool of tools) if (tool.name.isWellFormed() && (await matches(tool))) found.push(tool)
      return found.length === 1 ? found[0] : undefined
    }
    try {
      return await readSchemaUri(uri, find, { disclose })
    } catch (error) {
      throw ProviderError.is(error) && error.code === 'not-found' ? notFound(uri) : error
    }
  }
  const registered: { remove(): void }[] = []
  const remove = (): void => {
    for (const resource of registered.splice(0)) resource.remove()
  }
  try {
    for (const [name, uriTemplate] of TEMPLATES) {
      const template = new sdk.ResourceTemplate(uriTemplate, { list: undefined })
      registered.push(
        server.registerResource(name, template, { mimeType: MIME_TYPE }, async (uri, _variables, extra) => {
          return { contents: [{ ...(await read(uri.href, extra)) }] }
        }),
      )
    }
  } catch (error) {
    // Both templates or none.
    remove()
    throw error
  }
  attachment?.register(manifests)
  return disposable(() => {
    remove()
    attachment?.register(new Map())
  })
}

const isCatalog = (value: object): boolean => typeof (value as { listTools?: unknown }).listTools === 'function'

/** The one refusal of a resource, as both SDKs put an error on the wire: by its number, message and data. */
const notFound = (uri: string): Error =>
  Object.assign(new Error('Resource not found'), { code: RESOURCE_NOT_FOUND, data: { uri } })
