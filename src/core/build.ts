/**
 * The producer's side: schemas to manifest and fragments.
 * @module
 */

import { decodeUtf8, OBJECT_END } from '../json/bytes.ts'
import { CanonicalWriter } from '../json/canonical-writer.ts'
import { JsonError, parseJsonText } from '../json/index.ts'
import { BEFORE_INPUT, BEFORE_OUTPUT } from './document.ts'
import { checkFragmentFields, parseSchemaManifest, refuseManifest } from './envelope.ts'
import { refuse, refuseArgument } from './errors.ts'
import { WIRE_LIMITS } from './limits.ts'
import { digestHex, utf8 } from './sha256.ts'
import type { JsonObject, SchemaDisclosure, SchemaFragment } from './types.ts'
import { uriBase } from './uri.ts'

/** A schema as a JavaScript object, or as JSON text (exact): a string, or UTF-8 bytes. */
export type SchemaInput = JsonObject | string | Uint8Array

type Part = 'inputSchema' | 'outputSchema'

const AFTER_OUTPUT = Uint8Array.of(OBJECT_END)

/**
 * Makes the disclosure of one tool: the canonical document of its two schemas, cut into fragments, and the manifest that
 * identifies it. Values are read before the first `await`. Give JSON text where numbers must be exact: a JavaScript value
 * cannot tell `1.0` from `1`.
 *
 * @param schemas both schemas, objects each
 * @param identity `operation` and `alias` as the wire contract spells them, `sourceSha256` of the bytes the tool came from
 * @throws {SchemaDisclosureError} `schema-invalid`, `schema-not-object`, `document-size`, `manifest-invalid` (an identity
 * field), `argument-invalid`, `digest-unavailable`
 *
 * @example
 * ```ts
 * const disclosure = await buildSchemaDisclosure(
 *   { inputSchema: { type: 'object' }, outputSchema: { type: 'object' } },
 *   { operation: 'search', alias: 'search', sourceSha256: await sha256Hex(source) },
 * )
 * ```
 */
export async function buildSchemaDisclosure(
  schemas: { readonly inputSchema: SchemaInput; readonly outputSchema: SchemaInput },
  identity: { readonly operation: string; readonly alias: string; readonly sourceSha256: string },
): Promise<SchemaDisclosure> {
  if (typeof schemas !== 'object' || schemas === null) refuseArgument('disclose', 'schemas', 'an object')
  if (typeof identity !== 'object' || identity === null) refuseArgument('disclose', 'identity', 'an object')
  const { operation, alias, sourceSha256 } = identity
  for (const [name, value] of Object.entries({ operation, alias, source_sha256: sourceSha256 })) {
    if (typeof value !== 'string') refuseManifest(`/${name}`, 'a string')
  }
  const writer = new CanonicalWriter(WIRE_LIMITS.documentBytes)
  writer.raw(BEFORE_INPUT)
  writeSchema(writer, schemas.inputSchema, 'inputSchema')
  const inputEnd = writer.length
  writer.raw(BEFORE_OUTPUT)
  const outputStart = writer.length
  writeSchema(writer, schemas.outputSchema, 'outputSchema')
  const outputEnd = writer.length
  writer.raw(AFTER_OUTPUT)
  const document = writer.bytes()
  if (document.length > WIRE_LIMITS.documentBytes) refuseSize()

  const digests = Promise.all([
    digestHex(document),
    digestHex(document.subarray(BEFORE_INPUT.length, inputEnd)),
    digestHex(document.subarray(outputStart, outputEnd)),
  ])
  const parts = Object.freeze(splitDocument(document))
  const [schemaSha256, inputSha256, outputSha256] = await digests
  const manifest = parseSchemaManifest({
    version: 1,
    operation,
    alias,
    source_sha256: sourceSha256,
    schema_sha256: schemaSha256,
    input_schema_sha256: inputSha256,
    output_schema_sha256: outputSha256,
    schema_bytes: document.length,
    fragment_count: parts.length,
    manifest_uri: `${uriBase(alias, schemaSha256)}/manifest`,
    fragment_uri_template: `${uriBase(alias, schemaSha256)}/fragments/{index}`,
  })
  return Object.freeze({ manifest, parts })
}

/**
 * One fragment of a disclosure, as the wire carries it.
 *
 * @param index 0 … `fragment_count` - 1
 * @param options `expectedSha256`: the `schema_sha256` the caller asks for; another one is stale and refused
 * @throws {SchemaDisclosureError} `stale-identity`, `fragment-index`, `manifest-invalid`, `fragment-invalid`,
 * `lone-surrogate`, `argument-invalid`, `digest-unavailable`
 *
 * @example
 * ```ts
 * const fragment = await readSchemaFragment(disclosure, 0, { expectedSha256: disclosure.manifest.schema_sha256 })
 * const wireText = JSON.stringify(fragment)
 * ```
 */
export async function readSchemaFragment(
  disclosure: SchemaDisclosure,
  index: number,
  options: { readonly expectedSha256: string },
): Promise<SchemaFragment> {
  const manifest = parseSchemaManifest(disclosure?.manifest)
  const given: unknown = options?.expectedSha256
  const expected = typeof given === 'string' ? given : ''
  if (expected !== manifest.schema_sha256) {
    refuse(
      'stale-identity',
      { expected: expected.slice(0, 64), actual: manifest.schema_sha256 },
      `Cannot read fragment of "${manifest.alias}": the schema is ${manifest.schema_sha256} now`,
    )
  }
  if (!Number.isInteger(index) || index < 0 || index >= manifest.fragment_count) {
    const below = `an integer below ${manifest.fragment_count}`
    refuse('fragment-index', { expected: below }, `Cannot read fragment of "${manifest.alias}": expected ${below}`)
  }
  const text: unknown = Array.isArray(disclosure.parts) ? disclosure.parts[index] : undefined
  if (typeof text !== 'string') refuseArgument('disclose', 'disclosure', 'a manifest and its parts')
  const digest = await digestHex(utf8(text, 'text'))
  return checkFragmentFields({ ...manifest, index, fragment_sha256: digest, text })
}

function writeSchema(writer: CanonicalWriter, schema: SchemaInput, part: Part): void {
  try {
    const value = typeof schema === 'string' || schema instanceof Uint8Array ? parseJsonText(schema) : schema
    if (typeof value !== 'object' || value === null || Array.isArray(value)) refuseKind(part)
    writer.value(value)
  } catch (cause) {
    if (!JsonError.is(cause)) throw cause
    if (cause.code === 'too-large') refuseSize()
    const place = 'at' in cause.data ? `byte ${cause.data.at}` : cause.data.path.slice(0, 200)
    refuse(
      'schema-invalid',
      { part, json: cause.code, place },
      `Cannot disclose ${part}: ${cause.code} at ${place || 'its root'}`,
      { cause },
    )
  }
}

function refuseKind(part: Part): never {
  return refuse('schema-not-object', { part }, `Cannot disclose ${part}: expected an object`)
}

function refuseSize(): never {
  const expected = WIRE_LIMITS.documentBytes
  const actual = expected + 1
  return refuse('document-size', { expected, actual }, `Cannot disclose: document is longer than ${expected} bytes`)
}

/** Cuts a document into texts of at most 4,096 bytes, as long as they can be, never inside a character. */
export function splitDocument(document: Uint8Array): string[] {
  const parts: string[] = []
  for (let start = 0; start < document.length; ) {
    let end = Math.min(start + WIRE_LIMITS.fragmentBytes, document.length)
    // Continuation bytes are 10xxxxxx.
    while (end < document.length && ((document[end] as number) & 0xc0) === 0x80) end--
    parts.push(decodeUtf8(document.subarray(start, end)))
    start = end
  }
  return parts
}
