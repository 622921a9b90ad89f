/**
 * Takes the fragments of one selected manifest, whatever form they arrive in.
 * @module
 */

import { checkFragmentFields, parseEnvelopeText } from './envelope.ts'
import { refuse } from './errors.ts'
import { WIRE_LIMITS } from './limits.ts'
import type { SchemaManifest, Sha256Hex } from './types.ts'
import { SHA256 } from './uri.ts'

/** What is left of a fragment once its identity has been compared. The digest is only claimed, the text not yet measured. */
export interface TakenFragment {
  readonly text: string
  readonly digest: Sha256Hex
}

const TO_DIGEST = ',"fragment_sha256":"'
const TO_TEXT = '","text":'
const DIGEST_LENGTH = 64
/** Fields a fragment has beyond its manifest's. */
const OWN_FIELDS = 3

/**
 * Compares each fragment with what the selected manifest makes us expect. Equal fields are valid fields, so the model is asked
 * only where something differs, to find the code of the refusal.
 */
export class ExpectedFragments {
  readonly #manifest: SchemaManifest
  readonly #names: readonly (keyof SchemaManifest)[]
  /** Wire text of every fragment up to its index. */
  readonly #toIndex: string

  constructor(manifest: SchemaManifest) {
    this.#manifest = manifest
    this.#names = Object.keys(manifest) as (keyof SchemaManifest)[]
    this.#toIndex = `${JSON.stringify(manifest).slice(0, -1)},"index":`
  }

  /**
   * Text and claimed digest of the fragment that belongs at `index`.
   *
   * @throws {SchemaDisclosureError} `text-invalid`, `envelope-size`, `fragment-invalid`, `fragment-index`,
   * `fragment-identity`, `fragment-order`
   */
  take(received: unknown, index: number): TakenFragment {
    if (typeof received !== 'string') return this.#takeValue(received, index) ?? this.#takeOther(received, index)
    return this.#takeText(received, index) ?? this.#takeOther(parseEnvelopeText(received, 'fragment'), index)
  }

  /** Something differs: the model tells whether it is a fragment at all, then each difference has its own code. */
  #takeOther(value: unknown, index: number): TakenFragment {
    const fragment = checkFragmentFields(value)
    for (const field of this.#names) {
      if (fragment[field] !== this.#manifest[field]) refuseIdentity(index, field)
    }
    if (fragment.index !== index) refuseOrder(index, fragment.index)
    return { text: fragment.text, digest: fragment.fragment_sha256 }
  }

  /**
   * A wire text that begins exactly as expected: only the string at its end is parsed. Nothing else can stand there, because
   * what lies between is one JSON string and the closing brace. `undefined` where anything else is found.
   */
  #takeText(wire: string, index: number): TakenFragment | undefined {
    const head = `${this.#toIndex}${index}${TO_DIGEST}`
    // Three bytes a code unit at most: beyond that the slow way counts.
    if (wire.length * 3 > WIRE_LIMITS.envelopeBytes || !wire.startsWith(head) || !wire.endsWith('}')) return undefined
    const digestEnd = head.length + DIGEST_LENGTH
    const digest = wire.slice(head.length, digestEnd)
    if (!SHA256.test(digest) || !wire.startsWith(TO_TEXT, digestEnd)) return undefined
    const text = jsonString(wire.slice(digestEnd + TO_TEXT.length, -1))
    return text === undefined ? undefined : { text, digest: digest as Sha256Hex }
  }

  /** A value with exactly the expected fields, each an own field and read once; `undefined` where anything else is found. */
  #takeValue(value: unknown, index: number): TakenFragment | undefined {
    if (typeof value !== 'object' || value === null) return undefined
    if (Object.keys(value).length !== this.#names.length + OWN_FIELDS) return undefined
    const fields = value as { [name: string]: unknown }
    for (const name of this.#names) {
      if (!Object.hasOwn(fields, name) || fields[name] !== this.#manifest[name]) return undefined
    }
    if (!Object.hasOwn(fields, 'index') || fields.index !== index) return undefined
    if (!Object.hasOwn(fields, 'text') || !Object.hasOwn(fields, 'fragment_sha256')) return undefined
    const { text, fragment_sha256: digest } = fields
    if (typeof text !== 'string' || typeof digest !== 'string' || !SHA256.test(digest)) return undefined
    return { text, digest: digest as Sha256Hex }
  }
}

function jsonString(literal: string): string | undefined {
  try {
    const value: unknown = JSON.parse(literal)
    return typeof value === 'string' ? value : undefined
  } catch {
    return undefined
  }
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
