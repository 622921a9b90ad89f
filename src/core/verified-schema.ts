/**
 * What a successful reconstruction gives.
 * @module
 */

import { decodeUtf8 } from '../json/bytes.ts'
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
export interface DocumentLayout {
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
    this.#inputSchema ??= deepFreeze(parsed(this.inputSchemaText))
    return this.#inputSchema
  }

  get outputSchema(): JsonObject {
    this.#outputSchema ??= deepFreeze(parsed(this.outputSchemaText))
    return this.#outputSchema
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

/**
 * The value of a canonical text, numbers as JavaScript has them. V8's own parser may take an escaped name for another one it
 * has seen before (nodejs/node#63785), so texts with such names, which are rare, are read by ours.
 */
function parsed(text: string): JsonObject {
  return (hasEscapedName(text) ? plain(parseJsonText(text)) : JSON.parse(text)) as JsonObject
}

/** In a canonical text a string in front of a colon is a name, and an escape is inside a string. */
function hasEscapedName(text: string): boolean {
  for (let at = text.indexOf('\\'); at >= 0; at = text.indexOf('\\', at)) {
    while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1
    if (text[++at] === ':') return true
  }
  return false
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
    // Values of the native parser have no inherited enumerable members, and for…in makes no arrays.
    for (const name in value) {
      const member = (value as { [name: string]: unknown })[name]
      if (typeof member === 'object' && member !== null) open.push(member)
    }
    Object.freeze(value)
  }
  return root
}
