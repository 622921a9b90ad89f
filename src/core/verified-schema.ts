/**
 * What a successful reconstruction gives.
 * @module
 */

import { decodeUtf8 } from '../json/bytes.ts'
import type { CanonicalNotes } from '../json/canonical-check.ts'
import { JsonNumber, parseJsonText } from '../json/index.ts'
import type { JsonObject, SchemaManifest, VerifiedSchema } from './types.ts'

// Holds everything made here: a look-alike is not in it.
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

/**
 * Called by `reconstructSchema` alone, with bytes that have passed every check and that nobody else holds. Holds those bytes and
 * nothing made of them, until a value is asked for. Own members of a frozen object: there is no prototype to change and no
 * constructor to call.
 */
export function makeVerifiedSchema(
  manifest: SchemaManifest,
  document: Uint8Array,
  layout: DocumentLayout,
): VerifiedSchema {
  const { inputStart, inputEnd, outputStart, outputEnd, hasEscapedName } = layout
  const inputText = () => decodeUtf8(document.subarray(inputStart, inputEnd))
  const outputText = () => decodeUtf8(document.subarray(outputStart, outputEnd))
  /** V8's own parser may take an escaped name for another one it has seen before (nodejs/node#63785). Such names are rare. */
  const parse = (text: string) =>
    deepFreeze((hasEscapedName ? plain(parseJsonText(text)) : JSON.parse(text)) as JsonObject)
  let inputSchema: JsonObject | undefined
  let outputSchema: JsonObject | undefined
  const schema = Object.freeze({
    manifest,
    get text() {
      return decodeUtf8(document)
    },
    get inputSchemaText() {
      return inputText()
    },
    get outputSchemaText() {
      return outputText()
    },
    get inputSchema() {
      inputSchema ??= parse(inputText())
      return inputSchema
    },
    get outputSchema() {
      outputSchema ??= parse(outputText())
      return outputSchema
    },
  })
  made.add(schema)
  return schema as unknown as VerifiedSchema
}

/** At most as deep as the reader goes. */
function plain(value: unknown): unknown {
  if (value instanceof JsonNumber) return Number(value.text)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(plain)
  // From entries, so that `__proto__` is a name like any other.
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]))
}

export function deepFreeze<Value extends object>(root: Value): Value {
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
