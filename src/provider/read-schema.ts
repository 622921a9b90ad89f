/**
 * The reading tool: the same envelopes as the resources, for clients that give a model no resources.
 * @module
 */

import {
  readSchemaFragment,
  type SchemaDisclosure,
  type SchemaFragment,
  type SchemaManifest,
  WIRE_LIMITS,
} from '../core/index.ts'
import { isSchemaDigest } from './call-guard.ts'

/** What the reading tool was asked, or what is wrong with its arguments. */
export type ReadArguments =
  | { readonly name: string; readonly schemaSha256: string; readonly index: number | undefined }
  | { readonly problem: string }

/** Arguments as the listed schema says, nothing coerced. */
export function readReadArguments(value: unknown): ReadArguments {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { problem: 'arguments is not an object' }
  const { name, schema_sha256: schemaSha256, index, ...others } = value as { [name: string]: unknown }
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) return { problem: `"${unknown.slice(0, 100)}" is not an argument` }
  if (typeof name !== 'string') return { problem: 'name is not a string' }
  if (!isSchemaDigest(schemaSha256)) return { problem: 'schema_sha256 is not 64 lower-case hex digits' }
  if (index !== undefined && !(typeof index === 'number' && Number.isSafeInteger(index) && index >= 0))
    return { problem: 'index is not an integer from 0 on' }
  return { name, schemaSha256, index }
}

/** One answer of the reading tool. */
export interface SchemaReading {
  /** The manifest, or fragments one after another. */
  readonly result: readonly (SchemaManifest | SchemaFragment)[]
  /** Where to read on; absent behind the last fragment. */
  readonly next?: number
}

const encoder = new TextEncoder()

/**
 * The manifest where no `index` is given, else as many fragments from there on as fit into 32 KiB, one at least. Undefined where
 * there is no such fragment.
 */
export async function readingOf(disclosure: SchemaDisclosure, index?: number): Promise<SchemaReading | undefined> {
  const { manifest } = disclosure
  if (index === undefined) return { result: [manifest], next: 0 }
  if (index >= manifest.fragment_count) return undefined
  const result: SchemaFragment[] = []
  let next = index
  for (let bytes = 0; next < manifest.fragment_count; next++) {
    const fragment = await readSchemaFragment(disclosure, next, { expectedSha256: manifest.schema_sha256 })
    bytes += encoder.encode(JSON.stringify(fragment)).length
    if (bytes > WIRE_LIMITS.navigationBytes && result.length > 0) break
    result.push(fragment)
  }
  return next < manifest.fragment_count ? { result, next } : { result }
}
