/**
 * Schemas read for people: source order kept, numbers exact, depth bounded.
 * @module
 */

import type { JsonNumber, JsonReader } from '../core/index.ts'

/** A JSON value whose objects are Maps in source order: JavaScript objects would reorder integer-like names. */
export type Ordered = string | number | boolean | null | JsonNumber | readonly Ordered[] | OrderedObject
export type OrderedObject = ReadonlyMap<string, Ordered>

/** Deeper levels are of no use in a summary and read as null. */
const MAX_DEPTH = 32

/** The next value of the reader. @throws {JsonError} */
export function orderedValue(reader: JsonReader, depth = 0): Ordered {
  const kind = reader.kind()
  if (kind === 'object' || kind === 'array') {
    if (depth >= MAX_DEPTH) {
      reader.span()
      return null
    }
    if (kind === 'array') {
      const items: Ordered[] = []
      reader.array(() => items.push(orderedValue(reader, depth + 1)))
      return items
    }
    const members = new Map<string, Ordered>()
    reader.object((name) => members.set(name, orderedValue(reader, depth + 1)))
    return members
  }
  return reader.value() as Ordered
}

export const isObject = (value: Ordered | undefined): value is OrderedObject => value instanceof Map
export const isList = (value: Ordered | undefined): value is readonly Ordered[] => Array.isArray(value)
