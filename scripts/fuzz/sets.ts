/**
 * Honest sets of fragments to start from: small documents in many fragments, two versions of each tool.
 * @module
 */

import {
  buildSchemaDisclosure,
  parseSchemaManifest,
  type SchemaFragment,
  type SchemaManifest,
  sha256Hex,
} from '../../src/core/index.ts'
import type { Random } from './random.ts'

/** A manifest and the fragments that belong to it. */
export interface FragmentSet {
  readonly manifest: SchemaManifest
  readonly fragments: readonly SchemaFragment[]
  readonly document: string
}

const TOOLS = ['search', 'fetch', 'render_chart', 'a', 'naïve'].map((name) => ({
  alias: name.replace(/[^a-z_]/g, '_'),
  name,
}))

/** Two versions of every tool: the second one is what the catalog says now, the first one is stale. */
export async function honestSets(random: Random): Promise<readonly FragmentSet[]> {
  const sets: FragmentSet[] = []
  for (const { alias, name } of TOOLS) {
    for (const version of [1, 2]) {
      const inputSchema = {
        type: 'object',
        title: `${name} "${version}" \n é 😀`,
        properties: { query: { type: 'string', maxLength: version * 100 }, 'x/y~z': { enum: [1, 1.5, null, true] } },
        required: ['query'],
      }
      const outputSchema = { type: 'object', properties: { total: { type: 'integer', minimum: version } } }
      const identity = { operation: alias, alias, sourceSha256: await sha256Hex(`${name} ${version}`) }
      const { manifest, parts } = await buildSchemaDisclosure({ inputSchema, outputSchema }, identity)
      sets.push(await cut(manifest, parts.join(''), random))
    }
  }
  return sets
}

/** Any cut of a document is one, as long as the manifest counts it. */
async function cut(whole: SchemaManifest, document: string, random: Random): Promise<FragmentSet> {
  const characters = [...document]
  const texts: string[] = []
  while (characters.length > 0) texts.push(characters.splice(0, 20 + random.below(60)).join(''))
  const manifest = parseSchemaManifest({ ...whole, fragment_count: texts.length })
  const fragments = await Promise.all(
    texts.map(async (text, index) => ({ ...manifest, index, fragment_sha256: await sha256Hex(text), text })),
  )
  return { manifest, fragments, document }
}
