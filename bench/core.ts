/**
 * Build, reconstruct and canonical encoding against their floors.
 * @module
 */

import canonicalize from 'canonicalize'
import fastStable from 'fast-json-stable-stringify'
import { canonicalize as jsonCanonicalize } from 'json-canonicalize'
import stable from 'json-stable-stringify'
import { stringify as safeStable } from 'safe-stable-stringify'
import {
  buildSchemaDisclosure,
  canonicalJson,
  canonicalJsonBytes,
  readSchemaFragment,
  reconstructSchema,
} from '../src/core/index.ts'
import { schemaOfSize } from './documents.ts'
import { medians, ms, printTable, ratio } from './measure.ts'

export const SIZES: Readonly<Record<string, number>> = {
  '10 KB': 10_000,
  '100 KB': 100_000,
  '1 MB': 1_000_000,
  '8 MB': 8_000_000,
}
const IDENTITY = { operation: 'op', alias: 'tool', sourceSha256: 'a'.repeat(64) }

const digest = (bytes: Uint8Array<ArrayBuffer>) => crypto.subtle.digest('SHA-256', bytes)

/** One size; each is best run in a process of its own, so that one does not shape the machine code of the next. */
export async function benchCore(label: string, size: number): Promise<void> {
  const rows = [
    ['', 'build', '/ floor', 'from values', '/ floor', 'and read', 'from wire texts', '/ floor', 'and read'],
  ]
  const canonRows = [
    ['', 'ours', 'canonicalize', 'safe-stable', 'fast-stable', 'json-stable', 'json-canonicalize', 'ours / fastest'],
  ]
  const inputSchema = schemaOfSize(size)
  const outputSchema = schemaOfSize(size / 20)
  const schemas = { inputSchema, outputSchema } as { inputSchema: { type: string }; outputSchema: { type: string } }
  const disclosure = await buildSchemaDisclosure(schemas, IDENTITY)
  const { manifest, parts } = disclosure
  const wire: string[] = []
  for (let index = 0; index < parts.length; index++) {
    wire.push(JSON.stringify(await readSchemaFragment(disclosure, index, { expectedSha256: manifest.schema_sha256 })))
  }
  const values = wire.map((envelope) => JSON.parse(envelope) as unknown)
  const text = parts.join('')
  const bytes = new TextEncoder().encode(text)
  const cuts = Array.from({ length: parts.length }, (_, index) => bytes.subarray(index * 4096, (index + 1) * 4096))
  const input = bytes.subarray(15, 15 + Buffer.byteLength(canonicalJson(inputSchema)))
  const output = bytes.subarray(-1 - Buffer.byteLength(canonicalJson(outputSchema)), -1)
  // The same passes the code makes: whole document, both schemas, and for a consumer each fragment.
  const passes = () => [digest(bytes), digest(input), digest(output)]
  const t = await medians({
    buildFloor: async () => {
      JSON.stringify(schemas)
      await Promise.all(passes())
    },
    build: () => buildSchemaDisclosure(schemas, IDENTITY),
    reconstructFloor: async () => {
      const digests = [...cuts.map(digest), ...passes()]
      JSON.parse(text)
      await Promise.all(digests)
    },
    reconstruct: () => reconstructSchema(manifest, values),
    reconstructRead: async () => {
      const verified = await reconstructSchema(manifest, values)
      return [verified.inputSchema, verified.outputSchema]
    },
    wireFloor: async () => {
      const digests = [...cuts.map(digest), ...passes()]
      for (const envelope of wire) JSON.parse(envelope)
      JSON.parse(text)
      await Promise.all(digests)
    },
    wire: () => reconstructSchema(manifest, wire),
    wireRead: async () => {
      const verified = await reconstructSchema(manifest, wire)
      return [verified.inputSchema, verified.outputSchema]
    },
  })
  const at = (name: string) => t[name] as number
  const over = (name: string, floor: string) => ratio(at(name) / at(floor))
  rows.push([
    label,
    ms(at('build')),
    over('build', 'buildFloor'),
    ms(at('reconstruct')),
    over('reconstruct', 'reconstructFloor'),
    over('reconstructRead', 'reconstructFloor'),
    ms(at('wire')),
    over('wire', 'wireFloor'),
    over('wireRead', 'wireFloor'),
  ])
  const parsed = JSON.parse(text) as object
  const encoder = new TextEncoder()
  const peers = { canonicalize, safeStable, fastStable, stable, jsonCanonicalize }
  const asText: Record<string, () => unknown> = { ours: () => canonicalJson(parsed) }
  const asBytes: Record<string, () => unknown> = { ours: () => canonicalJsonBytes(parsed) }
  for (const [name, encode] of Object.entries(peers)) {
    asText[name] = () => encode(parsed)
    // Most peers return a rope whose characters are first copied together when somebody reads them.
    asBytes[name] = () => encoder.encode(encode(parsed))
  }
  const asFlatText = Object.fromEntries(
    Object.entries(asText).map(([name, encode]) => [name, () => (encode() as string).charCodeAt(0)]),
  )
  for (const [form, candidates] of Object.entries({ text: asText, 'flat text': asFlatText, bytes: asBytes })) {
    const c = await medians(candidates)
    const { ours, ...others } = c as { ours: number }
    const figures = Object.values(others as Record<string, number>)
    canonRows.push([`${label} ${form}`, ms(ours), ...figures.map(ms), ratio(ours / Math.min(...figures))])
  }
  printTable(
    'Build and reconstruct; floor = JSON.stringify or JSON.parse + the same SHA-256 passes, started together; for wire texts + JSON.parse of each',
    rows,
  )
  printTable('Canonical encoding of parsed values', canonRows)
  if (size >= 1_000_000) await benchMemory(label, size)
}

/** Heap held by one verified schema, as multiples of its document. */
async function benchMemory(label: string, size: number): Promise<void> {
  const collect = (globalThis as { gc?: () => void }).gc
  if (collect === undefined) {
    console.log('\nMemory: not measured, needs node --expose-gc')
    return
  }
  const rows = [['', 'document', 'before values', 'after values']]
  const schemas = { inputSchema: schemaOfSize(size) as { type: string }, outputSchema: { type: 'object' } }
  const disclosure = await buildSchemaDisclosure(schemas, IDENTITY)
  const { manifest } = disclosure
  const held = () => {
    collect()
    collect()
    const { heapUsed, external, arrayBuffers } = process.memoryUsage()
    return heapUsed + Math.max(external, arrayBuffers)
  }
  const fragments = async function* () {
    for (let index = 0; index < manifest.fragment_count; index++) {
      yield JSON.stringify(await readSchemaFragment(disclosure, index, { expectedSha256: manifest.schema_sha256 }))
    }
  }
  const start = held()
  const verified = await reconstructSchema(manifest, fragments())
  const before = held() - start
  const values = [verified.inputSchema, verified.outputSchema]
  const after = held() - start
  rows.push([
    label,
    `${manifest.schema_bytes} B`,
    ratio(before / manifest.schema_bytes),
    ratio(after / manifest.schema_bytes),
  ])
  if (values.length !== 2) throw new Error('unreachable')
  printTable('Held by a VerifiedSchema after GC, × document', rows)
}
