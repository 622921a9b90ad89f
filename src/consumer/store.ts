/**
 * Fragments kept from earlier reads. A store saves fragment reads only: the manifest is read every time, and what a store gives
 * is verified like everything else.
 * @module
 */

import { fragmentUri, type SchemaManifest, sha256Hex } from '../core/index.ts'

/**
 * Where fragments are kept, by URI. A URI holds the digest of its document, so what it names never changes. A store that fails
 * is a store that has nothing.
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
  /** True once a fragment came from the store. */
  wasUsed = false

  constructor(store: FragmentStore, manifest: SchemaManifest) {
    this.#store = store
    this.#manifest = manifest
  }

  /** A fragment made of the kept text: as the wire would give it, if the text is right. */
  async get(index: number): Promise<object | undefined> {
    try {
      const text = await this.#store.get(this.#uri(index))
      if (typeof text !== 'string') return undefined
      const fragment = { ...this.#manifest, index, fragment_sha256: await sha256Hex(text), text }
      this.wasUsed = true
      return fragment
    } catch {
      return undefined
    }
  }

  /** Keeps fragments of a document that has been verified, by index, from their wire texts. */
  async keep(wires: ReadonlyMap<number, string>): Promise<void> {
    await Promise.all(
      [...wires].map(async ([index, wire]) => {
        try {
          const { text } = JSON.parse(wire) as { text: string }
          await this.#store.set(this.#uri(index), text)
        } catch {
          // The schema is read and verified; keeping it is a favour.
        }
      }),
    )
  }

  #uri(index: number): string {
    const { alias, schema_sha256 } = this.#manifest
    return fragmentUri(alias, schema_sha256, index)
  }
}
