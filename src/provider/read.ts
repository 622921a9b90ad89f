/**
 * One read of one of our URIs, against the catalog as it is now.
 * @module
 */

import { parseFragmentIndex, parseSchemaUri, readSchemaFragment } from '../core/index.ts'
import type { ListedTool } from '../listing/index.ts'
import { type DiscloseTool, discloseTool } from './disclose.ts'
import { isToolFault, ProviderError } from './errors.ts'
import { hasAlias } from './names.ts'

/** The one content a read answers with. */
export interface SchemaResource {
  readonly uri: string
  readonly mimeType: 'application/json'
  readonly text: string
}

/** Finds the one tool this caller may see now that `matches`; undefined where there is none, or more than one. */
export type FindTool = (matches: (tool: ListedTool) => boolean | Promise<boolean>) => Promise<ListedTool | undefined>

/**
 * Reads a manifest or fragment. The tool is looked up as this caller and its schemas are hashed again; hidden, disabled, unknown,
 * stale and malformed are one and the same refusal, and a well-formed URI always costs a look-up, so nothing can be told apart.
 *
 * @param options `disclose`: how a tool is disclosed, default `discloseTool`
 * @throws {ProviderError} `not-found`; what `find` throws passes through
 *
 * @example
 * ```ts
 * const content = await readSchemaUri(uri, async (matches) => (await collectTools(fetchPage, { until: matches })).found)
 * ```
 */
export async function readSchemaUri(
  uri: string,
  find: FindTool,
  options: { readonly disclose?: DiscloseTool } = {},
): Promise<SchemaResource> {
  const { disclose = discloseTool } = options
  const parsed = parseSchemaUri(uri)
  if (parsed === undefined) return refuse(uri)
  const tool = await find((candidate) => hasAlias(candidate.name, parsed.alias))
  if (tool === undefined) return refuse(uri)
  try {
    const disclosure = await disclose(tool)
    const { manifest } = disclosure
    if (manifest.alias !== parsed.alias || manifest.schema_sha256 !== parsed.schemaSha256) return refuse(uri)
    if (parsed.kind === 'manifest') return content(uri, JSON.stringify(manifest))
    const index = parseFragmentIndex(parsed.indexText, manifest.fragment_count)
    const fragment = await readSchemaFragment(disclosure, index, { expectedSha256: parsed.schemaSha256 })
    return content(uri, JSON.stringify(fragment))
  } catch (error) {
    if (isToolFault(error)) return refuse(uri)
    throw error
  }
}

const content = (uri: string, text: string): SchemaResource =>
  Object.freeze({ uri, mimeType: 'application/json', text })

function refuse(uri: string): never {
  throw new ProviderError('not-found', { uri }, 'Cannot read resource: no such schema resource')
}
