/**
 * Set-ups of bug cases: disclosures, honest digests around any text, deliveries, bodies in chunks, filled-in results.
 * @module
 */

import { createHash } from 'node:crypto'
import { splitDocument } from '../../src/core/build.ts'
import {
  buildSchemaDisclosure,
  fragmentUri,
  manifestUri,
  readSchemaFragment,
  type SchemaFragment,
  sha256Hex,
} from '../../src/core/index.ts'
import { toolAlias, toolOperation } from '../../src/provider/index.ts'
import { type Json, mutated, schemaText } from './run-bug-cases-syntax.ts'

export const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

/** The same JSON with everything beyond ASCII escaped: the other way producers serialise. */
export const asciiOnly = (json: string): string =>
  json.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

export async function disclose(tool: Json) {
  const name = String(tool.name ?? 'tool')
  const disclosure = await buildSchemaDisclosure(
    { inputSchema: schemaText(tool, 'inputSchema'), outputSchema: schemaText(tool, 'outputSchema') },
    { operation: toolOperation(name), alias: await toolAlias(name), sourceSha256: await sha256Hex(name) },
  )
  const { manifest, parts } = disclosure
  const fragments: SchemaFragment[] = []
  for (let index = 0; index < parts.length; index++) {
    fragments.push(await readSchemaFragment(disclosure, index, { expectedSha256: manifest.schema_sha256 }))
  }
  return { disclosure, manifest, fragments }
}

/** A manifest and fragments around any text, all digests honest. Written without the code under test. */
export async function around(document: string, alias = 'tool') {
  const digest = (text: string | Uint8Array) => createHash('sha256').update(text).digest('hex')
  const schemaSha256 = digest(document)
  const split = Math.max(document.lastIndexOf(',"outputSchema":'), 0)
  const parts = splitDocument(utf8(document))
  const manifest = {
    version: 1,
    operation: 'op',
    alias,
    source_sha256: schemaSha256,
    schema_sha256: schemaSha256,
    input_schema_sha256: digest(document.slice('{"inputSchema":'.length, split)),
    output_schema_sha256: digest(document.slice(split + ',"outputSchema":'.length, -1)),
    schema_bytes: utf8(document).length,
    fragment_count: parts.length,
    manifest_uri: manifestUri(alias, schemaSha256),
    fragment_uri_template: fragmentUri(alias, schemaSha256, '{index}'),
  }
  const fragments = parts.map((text, index) => ({ ...manifest, index, fragment_sha256: digest(text), text }))
  return { manifest, fragments }
}

/** The sets of fragments a case delivers: changed, reordered, or mixed with those of another tool. */
export async function deliveries(input: Json, fragments: readonly SchemaFragment[]): Promise<(readonly unknown[])[]> {
  if (input.order !== undefined) return [(input.order as number[]).map((index) => fragments[index])]
  if (input.mix !== undefined) {
    const mix = (Array.isArray(input.mix) ? (input.mix[0] ?? {}) : input.mix) as Json
    const base = input.base_tool as Json
    const named = Object.values(mix).find((value) => typeof value === 'object' && value !== null)
    const foreign = await disclose((named as Json | undefined) ?? { ...base, name: 'another.tool' })
    const index = Number(mix.index ?? Math.min(1, fragments.length - 1))
    return [fragments.with(index, (foreign.fragments[index] ?? foreign.fragments[0]) as SchemaFragment)]
  }
  const changes = [input.mutate].flat() as readonly { readonly index: number; readonly set: Json }[]
  return changes.map(({ index, set }) =>
    fragments.map((fragment, at) => (at === index ? mutated({ ...fragment }, set) : fragment)),
  )
}

/** The body's bytes as they arrive: lists of bytes, texts of hex digits, or the offsets of the cuts. */
export function chunksOf(chunks: readonly unknown[], body: unknown): Uint8Array[] | undefined {
  if (chunks.every((chunk) => Array.isArray(chunk))) return chunks.map((chunk) => Uint8Array.from(chunk as number[]))
  if (chunks.every((chunk) => typeof chunk === 'string' && /^(?:[0-9a-f]{2})*$/i.test(chunk))) {
    return chunks.map((chunk) => Uint8Array.from(Buffer.from(chunk as string, 'hex')))
  }
  if (!chunks.every((chunk) => Number.isInteger(chunk))) return undefined
  const bytes = utf8(typeof body === 'string' ? body : JSON.stringify(body))
  const cuts = [0, ...(chunks as number[]), bytes.length]
  return cuts.slice(1).map((cut, index) => bytes.slice(cuts[index], cut))
}

export function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : []
}

/** A result with `<… manifest …>`, `<… fragment …>` and `<… uri …>` replaced by right ones: what is left is what is wrong. */
export function filled(value: unknown, right: { manifest: string; fragment: string; uri: string }): unknown {
  if (Array.isArray(value)) return value.map((element) => filled(element, right))
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, filled(member, right)]))
  }
  const word =
    typeof value === 'string' ? /^<.*(manifest|fragment|uri).*>$/is.exec(value)?.[1]?.toLowerCase() : undefined
  if (word === undefined) return value
  const asked = right.uri.endsWith('/manifest') ? right.manifest : right.fragment
  return word === 'uri' ? right.uri : asked
}
