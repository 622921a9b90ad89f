/**
 * The consumer's side: fragments to a verified document. Verifies the received bytes and re-encodes nothing.
 * @module
 */

import { encoder, OBJECT_END, OBJECT_START } from '../json/bytes.ts'
import { type CanonicalNotes, canonicalEnd } from '../json/canonical-check.ts'
import { JsonError } from '../json/index.ts'
import { BEFORE_INPUT, BEFORE_OUTPUT } from './document.ts'
import { parseSchemaManifest, refuseDigest, refuseFragment, refuseFragmentSize } from './envelope.ts'
import { refuse, refuseArgument } from './errors.ts'
import { ExpectedFragments } from './expected-fragments.ts'
import { WIRE_LIMITS } from './limits.ts'
import { digestHex } from './sha256.ts'
import type { SchemaManifest, Sha256Hex, VerifiedSchema } from './types.ts'
import { type DocumentLayout, makeVerifiedSchema } from './verified-schema.ts'

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
 * const verified = await reconstructSchema(manifest, wireTexts)
 * verified.inputSchema // parsed on first use, deeply frozen
 * ```
 */
export async function reconstructSchema(
  selected: SchemaManifest,
  fragments: Iterable<unknown> | AsyncIterable<unknown>,
  options: { readonly signal?: AbortSignal | undefined } = {},
): Promise<VerifiedSchema> {
  const manifest = parseSchemaManifest(selected)
  const signal = options?.signal ?? undefined
  if (signal !== undefined && typeof signal.throwIfAborted !== 'function')
    refuseArgument('reconstruct schema', 'signal', 'an AbortSignal')
  signal?.throwIfAborted()
  const document = new Uint8Array(manifest.schema_bytes)
  const claims = await joinFragments(manifest, fragments, document, signal)
  // All digests are started before the pass over the document, so that they run beside it, and in one go: a hash that is
  // handed over alone costs more in waking its thread than in hashing.
  const fragmentDigests = Promise.all(claims.map(({ start, end }) => digestHex(document.subarray(start, end))))
  const documentDigest = digestHex(document)
  const layout = readLayout(document)
  const schemaDigests = layout instanceof Error ? undefined : digestSchemas(document, layout)
  const [actual, documentActual, schemasActual] = await Promise.all([fragmentDigests, documentDigest, schemaDigests])
  for (const [index, { digest }] of claims.entries()) {
    if (actual[index] !== digest) refuseDigest(index, digest, String(actual[index]))
  }
  checkDocument(manifest, documentActual)
  signal?.throwIfAborted()
  // A wrong digest is the clearer reason, so a wrong form is reported only behind it.
  if (layout instanceof Error) throw layout
  const [inputActual, outputActual] = schemasActual as [Sha256Hex, Sha256Hex]
  checkSchema('inputSchema', manifest.input_schema_sha256, inputActual)
  checkSchema('outputSchema', manifest.output_schema_sha256, outputActual)
  return makeVerifiedSchema(manifest, document, layout)
}

/** Where a fragment's bytes stand in the document, and the digest it claims for them. */
interface FragmentClaim {
  readonly start: number
  readonly end: number
  readonly digest: Sha256Hex
}

/** Fills `document` with the fragments' bytes, in order. */
async function joinFragments(
  manifest: SchemaManifest,
  fragments: Iterable<unknown> | AsyncIterable<unknown>,
  document: Uint8Array,
  signal: AbortSignal | undefined,
): Promise<readonly FragmentClaim[]> {
  const expected = new ExpectedFragments(manifest)
  const claims: FragmentClaim[] = []
  let length = 0
  const accept = (fragment: unknown): void => {
    if (claims.length === manifest.fragment_count) refuseCount(manifest.fragment_count, claims.length + 1)
    const { text, digest } = expected.take(fragment, claims.length)
    const end = writeText(text, document, length)
    claims.push({ start: length, end, digest })
    length = end
  }
  const source = (typeof fragments === 'object' && fragments) as Iterable<unknown> & AsyncIterable<unknown>
  if (typeof source?.[Symbol.iterator] === 'function') {
    for (const fragment of source) {
      signal?.throwIfAborted()
      accept(fragment)
    }
  } else if (typeof source?.[Symbol.asyncIterator] === 'function') await forEachUntil(source, accept, signal)
  else refuseSource()
  if (claims.length !== manifest.fragment_count) refuseCount(manifest.fragment_count, claims.length)
  if (length !== document.length) refuseLength(document.length, length)
  return claims
}

/** Writes one fragment's text at `start` and returns the offset behind it. Bounded by the fragment's limit and the document. */
function writeText(text: string, document: Uint8Array, start: number): number {
  if (!text.isWellFormed()) refuseFragment('/text', 'well-formed Unicode')
  // The code-unit test keeps a huge string from the encoder; the byte test decides.
  if (text === '' || text.length > WIRE_LIMITS.fragmentBytes) refuseFragmentSize()
  const room = Math.min(WIRE_LIMITS.fragmentBytes, document.length - start)
  const { read, written } = encoder.encodeInto(text, document.subarray(start, start + room))
  if (read === text.length) return start + written
  const { length } = encoder.encode(text)
  if (length > WIRE_LIMITS.fragmentBytes) refuseFragmentSize()
  return refuseLength(document.length, start + length)
}

function digestSchemas(document: Uint8Array, layout: DocumentLayout): Promise<[Sha256Hex, Sha256Hex]> {
  const { inputStart, inputEnd, outputStart, outputEnd } = layout
  return Promise.all([
    digestHex(document.subarray(inputStart, inputEnd)),
    digestHex(document.subarray(outputStart, outputEnd)),
  ])
}

/**
 * One pass over the document: canonical form, exactly the two names, and where both schemas stand. In a canonical document a
 * schema's own bytes are its canonical encoding. Returns its refusal instead of throwing it.
 */
function readLayout(document: Uint8Array): DocumentLayout | Error {
  try {
    const notes = { hasEscapedName: false }
    const inputStart = passBytes(document, 0, BEFORE_INPUT)
    const inputEnd = passObject(document, inputStart, notes)
    const outputStart = passBytes(document, inputEnd, BEFORE_OUTPUT)
    const outputEnd = passObject(document, outputStart, notes)
    if (document[outputEnd] !== OBJECT_END || outputEnd + 1 !== document.length) refuseShape(outputEnd)
    return { inputStart, inputEnd, outputStart, outputEnd, ...notes }
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

function passObject(document: Uint8Array, start: number, notes: CanonicalNotes): number {
  if (document[start] !== OBJECT_START) refuseShape(start)
  try {
    return canonicalEnd(document, start, notes)
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
    `Cannot reconstruct schema: document differs at byte ${at}, expected inputSchema and outputSchema, both objects`,
  )
}

function refuseCount(expected: number, actual: number): never {
  return refuse(
    'fragment-count',
    { expected, actual },
    `Cannot reconstruct schema: ${actual} fragments, manifest says ${expected}`,
  )
}

function refuseLength(expected: number, actual: number): never {
  return refuse(
    'document-size',
    { expected, actual },
    `Cannot reconstruct schema: ${actual} bytes, manifest says ${expected}`,
  )
}

const refuseSource = (): never => refuseArgument('reconstruct schema', 'fragments', 'an iterable')

/** As `for await`, but an abort is heeded while the next one is waited for. A source that never answers is left behind. */
async function forEachUntil(
  source: AsyncIterable<unknown>,
  accept: (value: unknown) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  const iterator = source[Symbol.asyncIterator]()
  let onAbort = (): void => {}
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal?.reason)
    signal?.addEventListener('abort', onAbort)
  })
  aborted.catch(() => {})
  let isDone = false
  try {
    while (!isDone) {
      signal?.throwIfAborted()
      const next: IteratorResult<unknown> | undefined = await Promise.race([iterator.next(), aborted])
      if (typeof next !== 'object') refuseSource()
      isDone = next.done === true
      if (!isDone) accept(next.value)
    }
  } finally {
    signal?.removeEventListener('abort', onAbort)
    // Its clean-up may never end, and how it ends is its own affair.
    if (!isDone) void (async () => iterator.return?.())().catch(() => {})
  }
}
