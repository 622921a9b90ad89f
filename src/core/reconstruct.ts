/**
 * The consumer's side: fragments to a verified document. Verifies the received bytes and re-encodes nothing.
 * @module
 */

import { decodeUtf8 } from '../json/bytes.ts'
import { canonicalEnd } from '../json/canonical-check.ts'
import { JsonError } from '../json/index.ts'
import {
  checkFragmentFields,
  checkFragmentText,
  parseEnvelopeText,
  parseSchemaManifest,
  refuseDigest,
} from './envelope.ts'
import { refuse } from './errors.ts'
import { digestHex } from './sha256.ts'
import type { SchemaManifest, Sha256Hex, VerifiedSchema } from './types.ts'
import { SHA256 } from './uri.ts'
import { makeVerifiedSchema } from './verified-schema.ts'

const encoder = new TextEncoder()
const BEFORE_INPUT = encoder.encode('{"inputSchema":')
const BEFORE_OUTPUT = encoder.encode(',"outputSchema":')
const OBJECT_START = 0x7b
const OBJECT_END = 0x7d
/** Fields a fragment has beyond its manifest's. */
const OWN_FIELDS = 3

/**
 * Joins the fragments of one document and verifies it against the manifest that was selected. Everything is checked at run
 * time: number, order and identity of the fragments, their digests, length and digest of the document, its shape, its
 * canonical form, both schema digests. Stops at the first refusal.
 *
 * @param selected the manifest from authenticated discovery; a fragment's own fields never replace it
 * @param fragments in index order, values or wire texts (strings); sync or async
 * @param options `signal` ends it: the promise rejects with the signal's reason
 * @throws {SchemaDisclosureError} `manifest-invalid`, `text-invalid`, `envelope-size`, `fragment-invalid`, `fragment-count`,
 * `fragment-order`, `fragment-identity`, `fragment-digest`, `document-size`, `document-digest`, `document-shape`,
 * `not-canonical`, `schema-digest`, `argument-invalid`, `digest-unavailable`
 *
 * @example
 * ```ts
 * const verified = await reconstructSchema(selected, wireTexts)
 * verified.inputSchema // parsed on first use, deeply frozen
 * ```
 */
export async function reconstructSchema(
  selected: SchemaManifest,
  fragments: Iterable<unknown> | AsyncIterable<unknown>,
  options: { readonly signal?: AbortSignal | undefined } = {},
): Promise<VerifiedSchema> {
  const manifest = parseSchemaManifest(selected)
  const { signal } = options
  signal?.throwIfAborted()
  const document = new Uint8Array(manifest.schema_bytes)
  const digests: Promise<void>[] = []
  try {
    await joinFragments(manifest, fragments, document, digests, signal)
    // Started before the pass below, so that both run side by side.
    const documentDigest = digestHex(document)
    digests.push(documentDigest.then((actual) => checkDocument(manifest, actual)))
    const layout = readLayout(document)
    await Promise.all(digests)
    // A wrong digest is the clearer reason, so a wrong form is reported only behind them.
    if (layout instanceof Error) throw layout
    const { inputStart, inputEnd, outputStart, outputEnd } = layout
    const output = document.subarray(outputStart, outputEnd)
    const [inputActual, outputActual] = await Promise.all([
      digestHex(document.subarray(inputStart, inputEnd)),
      digestHex(output),
    ])
    checkSchema('inputSchema', manifest.input_schema_sha256, inputActual)
    checkSchema('outputSchema', manifest.output_schema_sha256, outputActual)
    const text = decodeUtf8(document)
    return makeVerifiedSchema(manifest, text, text.length - 1 - decodeUtf8(output).length)
  } catch (error) {
    // What is still being hashed is of no interest any more.
    void Promise.allSettled(digests)
    throw error
  }
}

/** Fills `document` with the fragments' bytes, in order, and starts one digest each. */
async function joinFragments(
  manifest: SchemaManifest,
  fragments: Iterable<unknown> | AsyncIterable<unknown>,
  document: Uint8Array,
  digests: Promise<void>[],
  signal: AbortSignal | undefined,
): Promise<void> {
  let count = 0
  let length = 0
  const accept = (fragment: unknown): void => {
    signal?.throwIfAborted()
    if (count === manifest.fragment_count) refuseCount(manifest.fragment_count, count + 1)
    const { text, digest } = takeFragment(manifest, fragment, count)
    const bytes = checkFragmentText(text)
    if (length + bytes > document.length) refuseLength(document.length, length + bytes)
    const range = document.subarray(length, length + bytes)
    encoder.encodeInto(text, range)
    const index = count
    digests.push(
      digestHex(range).then((actual) => (actual === digest ? undefined : refuseDigest(index, digest, actual))),
    )
    length += bytes
    count++
  }
  if (isIterable(fragments)) for (const fragment of fragments) accept(fragment)
  else if (isAsyncIterable(fragments)) for await (const fragment of fragments) accept(fragment)
  else {
    refuse(
      'argument-invalid',
      { argument: 'fragments', expected: 'an iterable' },
      'Cannot reconstruct schema: fragments are not iterable, expected an iterable of fragments',
    )
  }
  if (count !== manifest.fragment_count) refuseCount(manifest.fragment_count, count)
  if (length !== document.length) refuseLength(document.length, length)
}

/** Text and claimed digest of the fragment that belongs at `index`. */
function takeFragment(manifest: SchemaManifest, received: unknown, index: number): { text: string; digest: Sha256Hex } {
  const value = typeof received === 'string' ? parseEnvelopeText(received, 'fragment') : received
  const quick = takeExpected(manifest, value, index)
  if (quick !== undefined) return quick
  // Something differs: the model tells whether it is a fragment at all, then each difference has its own code.
  const fragment = checkFragmentFields(value)
  for (const field of Object.keys(manifest) as (keyof SchemaManifest)[]) {
    if (fragment[field] !== manifest[field]) refuseIdentity(index, field)
  }
  if (fragment.index !== index) refuseOrder(index, fragment.index)
  return { text: fragment.text, digest: fragment.fragment_sha256 }
}

/**
 * A fragment whose identity equals the selected manifest's needs no model: equal fields are valid fields. Each field is read
 * once. Gives `undefined` where anything is unexpected.
 */
function takeExpected(
  manifest: SchemaManifest,
  value: unknown,
  index: number,
): { text: string; digest: Sha256Hex } | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const names = Object.keys(manifest) as (keyof SchemaManifest)[]
  if (Object.keys(value).length !== names.length + OWN_FIELDS) return undefined
  const fields = value as { [name: string]: unknown }
  for (const name of names) if (!Object.hasOwn(fields, name) || fields[name] !== manifest[name]) return undefined
  if (!Object.hasOwn(fields, 'index') || fields.index !== index) return undefined
  if (!Object.hasOwn(fields, 'text') || !Object.hasOwn(fields, 'fragment_sha256')) return undefined
  const { text, fragment_sha256: digest } = fields
  if (typeof text !== 'string' || typeof digest !== 'string' || !SHA256.test(digest)) return undefined
  return { text, digest: digest as Sha256Hex }
}

interface Layout {
  readonly inputStart: number
  readonly inputEnd: number
  readonly outputStart: number
  readonly outputEnd: number
}

/**
 * One pass over the document: canonical form, exactly the two names, and where both schemas stand. In a canonical document a
 * schema's own bytes are its canonical encoding. Returns its refusal instead of throwing it.
 */
function readLayout(document: Uint8Array): Layout | Error {
  try {
    const inputStart = passBytes(document, 0, BEFORE_INPUT)
    const inputEnd = passObject(document, inputStart)
    const outputStart = passBytes(document, inputEnd, BEFORE_OUTPUT)
    const outputEnd = passObject(document, outputStart)
    if (document[outputEnd] !== OBJECT_END || outputEnd + 1 !== document.length) refuseShape(outputEnd)
    return { inputStart, inputEnd, outputStart, outputEnd }
  } catch (error) {
    return error as Error
  }
}

function passBytes(document: Uint8Array, start: number, expected: Uint8Array): number {
  for (let index = 0; index < expected.length; index++) {
    if (document[start + index] !== expected[index]) refuseShape(start + index)
  }
  return start + expected.length
}

function passObject(document: Uint8Array, start: number): number {
  if (document[start] !== OBJECT_START) refuseShape(start)
  try {
    return canonicalEnd(document, start)
  } catch (cause) {
    if (!JsonError.is(cause)) throw cause
    const at = 'at' in cause.data ? cause.data.at : start
    return refuse('not-canonical', { at }, `Cannot reconstruct schema: document is not canonical at byte ${at}`, {
      cause,
    })
  }
}

function checkDocument(manifest: SchemaManifest, actual: Sha256Hex): void {
  const expected = manifest.schema_sha256
  if (actual === expected) return
  refuse(
    'document-digest',
    { expected, actual },
    `Cannot reconstruct schema "${manifest.alias}": document digest is ${actual}, manifest says ${expected}`,
  )
}

function checkSchema(part: 'inputSchema' | 'outputSchema', expected: Sha256Hex, actual: Sha256Hex): void {
  if (actual === expected) return
  refuse(
    'schema-digest',
    { part, expected, actual },
    `Cannot reconstruct schema: ${part} digest is ${actual}, manifest says ${expected}`,
  )
}

function refuseShape(at: number): never {
  return refuse(
    'document-shape',
    { at },
    `Cannot reconstruct schema: document differs at byte ${at}, expected exactly inputSchema and outputSchema, both objects`,
  )
}

function refuseCount(expected: number, actual: number): never {
  return refuse(
    'fragment-count',
    { expected, actual },
    `Cannot reconstruct schema: ${actual} fragments, manifest says ${expected}`,
  )
}

function refuseOrder(expected: number, actual: number): never {
  return refuse(
    'fragment-order',
    { expected, actual },
    `Cannot reconstruct schema: fragment ${actual} where fragment ${expected} belongs`,
  )
}

function refuseIdentity(index: number, field: string): never {
  return refuse(
    'fragment-identity',
    { index, field },
    `Cannot reconstruct schema: ${field} of fragment ${index} differs from the selected manifest`,
  )
}

function refuseLength(expected: number, actual: number): never {
  return refuse(
    'document-size',
    { expected, actual },
    `Cannot reconstruct schema: ${actual} bytes, manifest says ${expected}`,
  )
}

const isIterable = (value: unknown): value is Iterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.iterator in value

const isAsyncIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value
