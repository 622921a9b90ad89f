/**
 * What a successful reconstruction gives.
 * @module
 */

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

const BEFORE_INPUT = '{"inputSchema":'
const BEFORE_OUTPUT = ',"outputSchema":'

/** Holds the document's text only; the parts are views of it, the values are parsed when first asked for. */
class Verified {
  readonly #manifest: SchemaManifest
  readonly #text: string
  readonly #outputStart: number
  #inputSchema: JsonObject | undefined
  #outputSchema: JsonObject | undefined

  constructor(manifest: SchemaManifest, text: string, outputStart: number) {
    this.#manifest = manifest
    this.#text = text
    this.#outputStart = outputStart
    made.add(this)
    Object.freeze(this)
  }

  get manifest(): SchemaManifest {
    return this.#manifest
  }

  get text(): string {
    return this.#text
  }

  get inputSchemaText(): string {
    return this.#text.slice(BEFORE_INPUT.length, this.#outputStart - BEFORE_OUTPUT.length)
  }

  get outputSchemaText(): string {
    return this.#text.slice(this.#outputStart, -1)
  }

  get inputSchema(): JsonObject {
    this.#inputSchema ??= deepFreeze(JSON.parse(this.inputSchemaText) as JsonObject)
    return this.#inputSchema
  }

  get outputSchema(): JsonObject {
    this.#outputSchema ??= deepFreeze(JSON.parse(this.outputSchemaText) as JsonObject)
    return this.#outputSchema
  }
}

/** Called by `reconstructSchema` alone, with a text that has passed every check. `outputStart` counts UTF-16 units. */
export function makeVerifiedSchema(manifest: SchemaManifest, text: string, outputStart: number): VerifiedSchema {
  return new Verified(manifest, text, outputStart) as unknown as VerifiedSchema
}

function deepFreeze<Value extends object>(root: Value): Value {
  const open: object[] = [root]
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    for (const member of Object.values(value)) {
      if (typeof member === 'object' && member !== null) open.push(member)
    }
    Object.freeze(value)
  }
  return root
}
