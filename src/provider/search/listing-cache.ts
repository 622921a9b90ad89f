/**
 * What is made from a listing, kept for as long as the listing stays the same.
 * @module
 */

import { sha256Hex } from '../../core/index.ts'
import type { ListedTool } from '../../listing/index.ts'

const MAX_LISTINGS = 8
const MAX_BYTES = 64 * 1024 * 1024
/** Bytes hashed at once: a listing is never copied as a whole. */
const CHUNK_BYTES = 1024 * 1024

/** Something made from a listing that knows about how much memory it takes. */
export interface Kept {
  readonly bytes: number
}

/**
 * Keeps up to eight things, 64 MiB in all, by the SHA-256 of the listing they were made from. A listing is fetched and hashed for
 * each search: whoever finds something here holds every byte it was made from, so nothing passes from one caller to another.
 */
export class ListingCache<Made extends Kept> {
  readonly #make: (tools: readonly ListedTool[]) => Made
  readonly #kept = new Map<string, Made>()
  #bytes = 0

  /** @param make pure: the same listing gives the same thing */
  constructor(make: (tools: readonly ListedTool[]) => Made) {
    this.#make = make
  }

  /** What was made from these very bytes, now or before. */
  async of(tools: readonly ListedTool[]): Promise<Made> {
    // The caller's array may change while its digest is awaited.
    const listed = [...tools]
    const key = await listingDigest(listed)
    const known = this.#kept.get(key)
    // Behind all others: the first one is always the longest unused.
    this.#drop(key)
    const made = known ?? this.#make(listed)
    this.#kept.set(key, made)
    this.#bytes += made.bytes
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MAX_LISTINGS && this.#bytes <= MAX_BYTES) break
      this.#drop(oldest)
    }
    return made
  }

  #drop(key: string): void {
    this.#bytes -= this.#kept.get(key)?.bytes ?? 0
    this.#kept.delete(key)
  }
}

const encoder = new TextEncoder()

/** SHA-256 of names, lengths and entries; over digests of its parts where it is long. No two listings spell alike. */
export async function listingDigest(tools: readonly ListedTool[]): Promise<string> {
  const head = encoder.encode(JSON.stringify(tools.map(({ name, json }) => [name, json.length])))
  const parts = [head, ...tools.map(({ json }) => json)]
  const total = parts.reduce((sum, { length }) => sum + length, 0)
  const chunk = new Uint8Array(Math.min(total, CHUNK_BYTES))
  const digests: Promise<string>[] = []
  let used = 0
  for (const part of parts) {
    for (let at = 0; at < part.length; ) {
      const piece = part.subarray(at, at + chunk.length - used)
      chunk.set(piece, used)
      used += piece.length
      at += piece.length
      if (used < chunk.length) continue
      // A digest copies what it reads before it is awaited: the chunk is free again.
      digests.push(sha256Hex(chunk))
      used = 0
    }
  }
  if (used > 0) digests.push(sha256Hex(chunk.subarray(0, used)))
  const [only, ...others] = await Promise.all(digests)
  return others.length === 0 ? (only as string) : sha256Hex([only, ...others].join(''))
}
