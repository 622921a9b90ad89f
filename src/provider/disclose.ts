/**
 * From a listed tool to its disclosure.
 * @module
 */

import {
  buildSchemaDisclosure,
  canonicalizeJsonText,
  parseSchemaManifestText,
  type SchemaDisclosure,
  SchemaDisclosureError,
  type SchemaManifest,
  sha256Hex,
} from '../core/index.ts'
import { decodeUtf8 } from '../json/bytes.ts'
import type { ListedTool } from '../listing/index.ts'
import { readEntry, type ToolEntry } from './entry.ts'
import { ProviderError } from './errors.ts'
import { toolAlias, toolOperation } from './names.ts'

/** `{}` also stands for "no output schema published": answers are then unchecked. */
const NO_SCHEMA = '{}'

/** How a listed tool becomes a disclosure. Handed in where one can be reused. */
export type DiscloseTool = (tool: ListedTool) => Promise<SchemaDisclosure>

/**
 * The disclosure of a tool as it is listed now, from the exact bytes of its schemas. `source_sha256` is the digest of the
 * canonical text of the complete entry, unless one is given. A tool that carries its own manifest keeps that one, but only
 * where alias and all digests agree with the schemas as they are now.
 *
 * @param options `sourceSha256`: digest of the immutable source the tool was made from; `registered`: the manifest that the tool's
 * author built beforehand, which the tool, and what it carries, must then agree with in every field
 * @throws {ProviderError} `tool-malformed`, `manifest-mismatch`
 * @throws {SchemaDisclosureError} see `buildSchemaDisclosure`
 * @throws {JsonError} where the entry has no exact canonical text
 *
 * @example
 * ```ts
 * const { manifest, parts } = await discloseTool({ name: 'a', json: encode({ name: 'a', inputSchema: { type: 'object' } }) })
 * ```
 */
export async function discloseTool(
  tool: ListedTool,
  options: { readonly sourceSha256?: string; readonly registered?: SchemaManifest } = {},
): Promise<SchemaDisclosure> {
  const entry = readEntry(tool)
  const { inputSchema, outputSchema = NO_SCHEMA } = entry
  if (inputSchema === undefined) {
    throw new ProviderError(
      'tool-malformed',
      { tool: tool.name, expected: 'inputSchema' },
      `Cannot disclose "${tool.name}": it has no input schema, expected an object`,
    )
  }
  const carried = ownManifest(tool, entry)
  const { registered, sourceSha256 } = options
  if (carried !== undefined && registered !== undefined) checkOwn(tool, carried, registered)
  const own = registered ?? carried
  const source = own === undefined && sourceSha256 === undefined ? canonicalizeJsonText(tool.json) : undefined
  // Copies: the bytes are the caller's, and may change while the digests are waited for.
  const schemas = { inputSchema: inputSchema.slice(), outputSchema: outputSchema.slice() }
  const disclosure = await buildSchemaDisclosure(schemas, {
    operation: own?.operation ?? toolOperation(tool.name),
    alias: own?.alias ?? (await toolAlias(tool.name)),
    sourceSha256: own?.source_sha256 ?? sourceSha256 ?? (await sha256Hex(source ?? '')),
  })
  if (own !== undefined) checkOwn(tool, own, disclosure.manifest)
  // An alias is a function of the tool's name: a manifest registered under another tool's name is none of this one.
  if (registered !== undefined && registered.alias !== (await toolAlias(tool.name))) refuseMismatch(tool, 'alias')
  return disclosure
}

/** The manifest a tool carries, where it carries one. Its alias must be the tool's name: a copy from another tool is none. */
function ownManifest(tool: ListedTool, { ownManifest: json }: ToolEntry): SchemaManifest | undefined {
  if (json === undefined) return undefined
  try {
    const manifest = parseSchemaManifestText(decodeUtf8(json))
    return manifest.alias === tool.name ? manifest : refuseMismatch(tool, 'alias')
  } catch (error) {
    if (SchemaDisclosureError.is(error) || error instanceof TypeError) return refuseMismatch(tool, 'openapi_schema')
    throw error
  }
}

/** Copied metadata authorises nothing: every field must be what the current schemas give. */
function checkOwn(tool: ListedTool, own: SchemaManifest, current: SchemaManifest): void {
  for (const field of Object.keys(current) as (keyof SchemaManifest)[]) {
    if (own[field] !== current[field]) refuseMismatch(tool, field)
  }
}

function refuseMismatch(tool: ListedTool, field: string): never {
  throw new ProviderError(
    'manifest-mismatch',
    { tool: tool.name, field },
    `Cannot disclose "${tool.name}": ${field} of its own manifest does not agree with the tool`,
  )
}
