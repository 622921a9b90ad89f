/**
 * From untrusted values and texts to manifests and fragments: the only makers of both.
 * @module
 */

import * as v from 'valibot'
import { JsonError, parseJsonText } from '../json/index.ts'
import { refuse, refuseArgument } from './errors.ts'
import { WIRE_LIMITS } from './limits.ts'
import { disagreeingUri, fragmentModel, manifestModel } from './models.ts'
import { digestHex, utf8 } from './sha256.ts'
import type { SchemaFragment, SchemaManifest } from './types.ts'

/**
 * A manifest from a value: strict, no coercion, no unknown field, both URIs in agreement with alias and digest.
 *
 * @returns a frozen copy, members in wire order
 * @throws {SchemaDisclosureError} `manifest-invalid`
 *
 * @example
 * ```ts
 * const manifest = parseSchemaManifest(selected.manifest)
 * ```
 */
export function parseSchemaManifest(value: unknown): SchemaManifest {
  const result = v.safeParse(manifestModel, ownMembers(value), { abortEarly: true })
  if (!result.success) refuseManifest(issuePath(result.issues[0]), result.issues[0].message)
  const uri = disagreeingUri(result.output)
  if (uri !== undefined) refuseManifest(`/${uri}`, 'the URI of alias and digest')
  return Object.freeze(result.output) as SchemaManifest
}

/**
 * A manifest from its wire text. Lossless: `1.0` or `1e0` where an integer belongs is refused, and so is a repeated name.
 *
 * @param text JSON, at most 32 KiB
 * @throws {SchemaDisclosureError} `argument-invalid`, `text-invalid`, `envelope-size`, `manifest-invalid`
 *
 * @example
 * ```ts
 * parseSchemaManifestText(JSON.stringify(manifest)) // equal to manifest
 * ```
 */
export function parseSchemaManifestText(text: string): SchemaManifest {
  return parseSchemaManifest(parseEnvelopeText(text, 'manifest'))
}

/**
 * A fragment from a value: as `parseSchemaManifest`, and its index is below the count, its text at most 4,096 bytes of UTF-8
 * with the digest it claims.
 *
 * @returns a frozen copy, members in wire order
 * @throws {SchemaDisclosureError} `fragment-invalid`, `fragment-index`, `fragment-digest`, `digest-unavailable`
 *
 * @example
 * ```ts
 * const fragment = await parseSchemaFragment(JSON.parse(wireText))
 * ```
 */
export async function parseSchemaFragment(value: unknown): Promise<SchemaFragment> {
  const fragment = checkFragmentFields(value)
  const actual = await digestHex(utf8(fragment.text, 'text'))
  if (actual !== fragment.fragment_sha256) refuseDigest(fragment.index, fragment.fragment_sha256, actual)
  return fragment
}

/**
 * A fragment from its wire text. Lossless, as `parseSchemaManifestText`.
 *
 * @param text JSON, at most 32 KiB
 * @throws {SchemaDisclosureError} `argument-invalid`, `text-invalid`, `envelope-size`, and what `parseSchemaFragment` throws
 *
 * @example
 * ```ts
 * const fragment = await parseSchemaFragmentText(wireText)
 * ```
 */
export async function parseSchemaFragmentText(text: string): Promise<SchemaFragment> {
  return parseSchemaFragment(parseEnvelopeText(text, 'fragment'))
}

/** Everything about a fragment but its digest. */
export function checkFragmentFields(value: unknown): SchemaFragment {
  const result = v.safeParse(fragmentModel, ownMembers(value), { abortEarly: true })
  if (!result.success) refuseFragment(issuePath(result.issues[0]), result.issues[0].message)
  const fields = result.output
  const uri = disagreeingUri(fields)
  if (uri !== undefined) refuseFragment(`/${uri}`, 'the URI of alias and digest')
  if (fields.index >= fields.fragment_count) {
    const expected = `below ${fields.fragment_count}`
    refuse('fragment-index', { expected }, `Cannot read fragment: index is ${fields.index}, expected ${expected}`)
  }
  checkFragmentText(fields.text)
  // The integer token -0 is 0.
  return Object.freeze({ ...fields, index: fields.index + 0 }) as SchemaFragment
}

/** Demands 1 … 4,096 bytes of UTF-8. */
function checkFragmentText(text: string): void {
  if (!text.isWellFormed()) refuseFragment('/text', 'well-formed Unicode')
  if (utf8Length(text, WIRE_LIMITS.fragmentBytes) > WIRE_LIMITS.fragmentBytes) refuseFragmentSize()
}

/** The value of an envelope's text, at most 32 KiB. */
export function parseEnvelopeText(text: string, what: 'manifest' | 'fragment'): unknown {
  if (typeof text !== 'string') refuseArgument(`read ${what}`, 'text', 'a string')
  const bytes = utf8Length(text, WIRE_LIMITS.envelopeBytes)
  if (bytes > WIRE_LIMITS.envelopeBytes) {
    refuse(
      'envelope-size',
      { bytes, limit: WIRE_LIMITS.envelopeBytes },
      `Cannot read ${what}: its text is longer than ${WIRE_LIMITS.envelopeBytes} bytes`,
    )
  }
  return roundTrip(text) ?? parseExactly(text, what)
}

/**
 * The native parser's value where writing it again gives the same text: then nothing was lost, no number respelled, no name
 * repeated. The usual case by far, and an order of magnitude faster than the exact reader.
 */
function roundTrip(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return JSON.stringify(value) === text ? value : undefined
  } catch {
    return undefined
  }
}

function parseExactly(text: string, what: string): unknown {
  try {
    return parseJsonText(text)
  } catch (cause) {
    if (!JsonError.is(cause)) throw cause
    const at = 'at' in cause.data ? cause.data.at : 0
    refuse('text-invalid', { json: cause.code, at }, `Cannot read ${what}: ${cause.code} at byte ${at}`, { cause })
  }
}

/** The UTF-8 length of a string; once beyond `enough` any larger number may come back. */
function utf8Length(text: string, enough: number): number {
  // Every UTF-16 unit takes at least one byte.
  if (text.length > enough) return text.length
  let bytes = text.length
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    // A surrogate pair is two units and four bytes.
    if (unit >= 0x80) bytes += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2
  }
  return bytes
}

/**
 * The own enumerable members of an object, read once, in an object without prototype: getters cannot answer twice and
 * inherited members do not count.
 */
function ownMembers(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const members: { [name: string]: unknown } = Object.create(null)
  for (const name of Object.keys(value)) members[name] = (value as { [name: string]: unknown })[name]
  return members
}

function issuePath(issue: v.BaseIssue<unknown>): string {
  const path = (issue.path ?? [])
    .map(({ key }) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('')
  return path.length > 200 ? `${path.slice(0, 200)}…` : path
}

export function refuseManifest(path: string, expected: string): never {
  return refuse('manifest-invalid', { path, expected }, `Cannot read manifest at "${path}": expected ${expected}`)
}

export function refuseFragmentSize(): never {
  return refuseFragment('/text', `1 to ${WIRE_LIMITS.fragmentBytes} bytes`)
}

export function refuseFragment(path: string, expected: string): never {
  return refuse('fragment-invalid', { path, expected }, `Cannot read fragment at "${path}": expected ${expected}`)
}

export function refuseDigest(index: number, expected: string, actual: string): never {
  return refuse(
    'fragment-digest',
    { index, expected, actual },
    `Cannot read fragment ${index}: digest of its text is ${actual}, expected ${expected}`,
  )
}
