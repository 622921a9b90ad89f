/**
 * Fragments kept from earlier reads. A store saves fragment reads only: the manifest is read every time, and what a store gives
 * is verified like everything else.
 * @module
 */

import { fragmentUri, type SchemaManifest, sha256Hex } from '../core/index.ts'
import { inTime } from './in-time.ts'

/** Milliseconds a store has for one fragment: reading it from the server is the other way. */
const STORE_TIMEOUT_MS = 2_000

/**
 * Where fragments are kept, by URI. A URI holds the digest of its document, so what it names never changes. A store that fails
 * is a store that has nothing, and one that does not answer within two seconds is not asked again during the read.
 *
 * @example
 * ```ts
 * const kept = new Map<string, string>()
 * const store: FragmentStore = {
 *   get: async (uri) => kept.get(uri),
 *   set: async (uri, text) => void kept.set(uri, text),
 * }
 * await readSchema(client, selected.manifest, { store })
 * ```
 */
export interface FragmentStore {
  /** The text that was kept for a fragment's URI. */
  get(uri: string): Promise<string | undefined>
  /** Keeps a fragment's text: at most 4,096 bytes of a document that was verified. */
  set(uri: string, text: string): Promise<void>
}

/** The fragments of one document in a store. */
export class StoredFragments {
  readonly #store: FragmentStore
  readonly #manifest: SchemaManifest
  readonly #signal: AbortSignal | undefined
  #isSilent = false
  /** True once a fragment came from the store. */
  wasUsed = false

  constructor(store: FragmentStore, manifest: SchemaManifest, signal: AbortSignal | undefined) {
    this.#store = store
    this.#manifest = manifest
    this.#signal = signal
  }

  /** A fragment made of the kept text: as the wire would give it, if the text is right. */
  async get(index: number): Promise<object | undefined> {
    if (this.#isSilent) return undefined
    const ask = { timeoutMs: STORE_TIMEOUT_MS, signal: this.#signal }
    const answered = await inTime(() => this.#store.get(this.#uri(index)), ask)
    if (answered.kind === 'timeout') this.#isSilent = true
    if (answered.kind !== 'value' || typeof answered.value !== 'string') return undefined
    const text = answered.value
    this.wasUsed = true
    return { ...this.#manifest, index, fragment_sha256: await sha256Hex(text), text }
  }

  /**
   * Keeps fragments of a document that has been verified, by index, from their wire texts: one after the other, as long as the
   * store answers. The schema is read; keeping it is a favour, which may fail.
   */
  async keep(wires: ReadonlyMap<number, string>): Promise<void> {
    for (const [index, wire] of wires) {
      const { text } = JSON.parse(wire) as { text: string }
      const ask = { timeoutMs: STORE_TIMEOUT_MS, signal: undefined }
      const kept = await inTime(() => this.#store.set(this.#uri(index), text), ask)
      if (kept.kind === 'timeout') return
    }
  }

  #uri(index: number): string {
    const { alias, schema_sha256 } = this.#manifest
    return fragmentUri(alias, schema_sha256, index)
  }
}
