/**
 * What a successful reconstruction gives.
 * @module
 */

import { decodeUtf8 } from '../json/bytes.ts'
import type { CanonicalNotes } from '../json/canonical-check.ts'
import { JsonNumber, parseJsonText } from '../json/index.ts'
import type { JsonObject, SchemaManifest, VerifiedSchema } from './types.ts'

// Holds every instance made here: a look-alike is not in it.
const made = new WeakSet<object>()

/**
 * True for what `reconstructSchema` returned and nothing else.
 *
 * @example
 * ```ts
 * isVerifiedSchema({ ...verified }) // false: a copy was not verified
 * ```
 */
export const isVerifiedSchema = (value: unknown): value is VerifiedSchema =>
  typeof value === 'object' && value !== null && made.has(value)

/** Where both schemas stand in the document's bytes; ends are exclusive. */
export interface DocumentLayout extends CanonicalNotes {
  readonly inputStart: number
  readonly inputEnd: number
  readonly outputStart: number
  readonly outputEnd: number
}

/** Holds the verified bytes and nothing made of them, until a value is asked for. */
class Verified {
  readonly #manifest: SchemaManifest
  readonly #document: Uint8Array
  readonly #layout: DocumentLayout
  #inputSchema: JsonObject | undefined
  #outputSchema: JsonObject | undefined

  constructor(manifest: SchemaManifest, document: Uint8Array, layout: DocumentLayout) {
    this.#manifest = manifest
    this.#document = document
    this.#layout = layout
    made.add(this)
    Object.freeze(this)
  }

  get manifest(): SchemaManifest {
    return this.#manifest
  }

  get text(): string {
    return decodeUtf8(this.#document)
  }

  get inputSchemaText(): string {
    return decodeUtf8(this.#document.subarray(this.#layout.inputStart, this.#layout.inputEnd))
  }

  get outputSchemaText(): string {
    return decodeUtf8(this.#document.subarray(this.#layout.outputStart, this.#layout.outputEnd))
  }

  get inputSchema(): JsonObject {
    this.#inputSchema ??= this.#parsed(this.inputSchemaText)
    return this.#inputSchema
  }

  get outputSchema(): JsonObject {
    this.#outputSchema ??= this.#parsed(this.outputSchemaText)
    return this.#outputSchema
  }

  /**
   * The value of a canonical text, numbers as JavaScript has them. V8's own parser may take an escaped name for another one it
   * has seen before (nodejs/node#63785), so documents with such names, which are rare, are read by ours.
   */
  #parsed(text: string): JsonObject {
    const value: unknown = this.#layout.hasEscapedName ? plain(parseJsonText(text)) : JSON.parse(text)
    return deepFreeze(value as JsonObject)
  }
}

/** Called by `reconstructSchema` alone, with bytes that have passed every check and that nobody else holds. */
export function makeVerifiedSchema(
  manifest: SchemaManifest,
  document: Uint8Array,
  layout: DocumentLayout,
): VerifiedSchema {
  return new Verified(manifest, document, layout) as unknown as VerifiedSchema
}

/** At most as deep as the reader goes. */
function plain(value: unknown): unknown {
  if (value instanceof JsonNumber) return Number(value.text)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(plain)
  // From entries, so that `__proto__` is a name like any other.
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]))
}

function deepFreeze<Value extends object>(root: Value): Value {
  const open: object[] = [root]
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length; index++) if (isObject(value[index])) open.push(value[index])
    } else {
      // Values of the native parser have no inherited enumerable members, and for…in makes no arrays.
      const members = value as { readonly [name: string]: unknown }
      for (const name in members) if (isObject(members[name])) open.push(members[name] as object)
    }
    Object.freeze(value)
  }
  return root
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
