/**
 * Ids of requests that are under way over one connection.
 * @module
 */

import { JsonError, JsonReader } from '../../json/index.ts'
import { encodeUtf8 } from '../bytes.ts'

const INTEGER = /^-?[0-9]+$/

/** One key for all spellings of an id. Texts and numbers never share one, and integers keep all their digits. REQ-P-14. */
export function idKey(text: string): string {
  if (!text.startsWith('"')) return INTEGER.test(text) && text !== '-0' ? text : String(Number(text))
  try {
    return `"${new JsonReader(encodeUtf8(text)).string()}`
  } catch (error) {
    // Half a character has no second spelling.
    if (JsonError.is(error)) return text
    throw error
  }
}

/** What is known of requests by the key of their id; forgets its oldest entries, for a connection may live for weeks. */
export class IdMap<Value> {
  readonly #most: number
  readonly #values = new Map<string, Value>()

  constructor(most = Number.POSITIVE_INFINITY) {
    this.#most = most
  }

  get size(): number {
    return this.#values.size
  }

  /** True for this very id. */
  has(key: string): boolean {
    return this.#values.has(key)
  }

  set(key: string, value: Value): void {
    this.#values.delete(key)
    this.#values.set(key, value)
    for (const oldest of this.#values.keys()) {
      if (this.#values.size <= this.#most) return
      this.#values.delete(oldest)
    }
  }

  /** What an answer with this id is about. */
  get(key: string): Value | undefined {
    return this.#values.get(this.#keyOf(key))
  }

  delete(key: string): boolean {
    return this.#values.delete(key)
  }

  /** Takes out what an answer with this id is about. */
  take(key: string): Value | undefined {
    const kept = this.#keyOf(key)
    const value = this.#values.get(kept)
    this.#values.delete(kept)
    return value
  }

  values(): readonly Value[] {
    return [...this.#values.values()]
  }

  /** A server that reads numbers as doubles gives 9007199254740993 back as …992: it is meant where nothing else is. REQ-P-14. */
  #keyOf(key: string): string {
    const number = key.startsWith('"') ? 0 : Number(key)
    if (this.#values.has(key) || Number.isSafeInteger(number)) return key
    return [...this.#values.keys()].find((other) => !other.startsWith('"') && Number(other) === number) ?? key
  }
}
