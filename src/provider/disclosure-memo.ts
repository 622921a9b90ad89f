/**
 * Disclosures that were built before, by the exact bytes they were built from.
 * @module
 */

import { type SchemaDisclosure, type SchemaManifest, sha256Hex } from '../core/index.ts'
import type { ListedTool } from '../listing/index.ts'
import { discloseTool } from './disclose.ts'

const MAX_DISCLOSURES = 64
/** No more than a quarter of what an isolate has. */
const MAX_BYTES = 32 * 1024 * 1024

/**
 * Keeps up to 64 disclosures, 32 MiB in all. The key is the digest of the tool's entry as it is listed now: every use hashes the
 * current entry again, and only the same bytes find what was made from them.
 */
export class DisclosureMemo {
  readonly #kept = new Map<string, SchemaDisclosure>()
  readonly #building = new Map<string, Promise<SchemaDisclosure>>()
  #bytes = 0
  /** The same tool object may come again: hashing a megabyte for each of its fragments is saved. */
  readonly #digests = new WeakMap<ListedTool, Promise<string>>()
  readonly #sourceDigests: ReadonlyMap<string, string>

  /** @param sourceDigests digests of what tools were made from, by tool name, where that is known */
  constructor(sourceDigests: ReadonlyMap<string, string> = new Map()) {
    this.#sourceDigests = sourceDigests
  }

  /** As `discloseTool`; `registered` is the manifest the tool's author built beforehand. */
  async disclose(tool: ListedTool, registered?: SchemaManifest): Promise<SchemaDisclosure> {
    const digest = await this.#digestOf(tool)
    const key = registered === undefined ? digest : digest + JSON.stringify(registered)
    const known = this.#kept.get(key)
    if (known !== undefined) {
      this.#kept.delete(key)
      this.#kept.set(key, known)
      return known
    }
    // Reads that come together wait for one building.
    let building = this.#building.get(key)
    if (building === undefined) {
      const sourceSha256 = this.#sourceDigests.get(tool.name)
      const options = { ...(registered && { registered }), ...(sourceSha256 && { sourceSha256 }) }
      building = discloseTool(tool, options).finally(() => this.#building.delete(key))
      this.#building.set(key, building)
    }
    const made = await building
    if (!this.#kept.has(key)) this.#keep(key, made)
    return made
  }

  #keep(key: string, made: SchemaDisclosure): void {
    this.#kept.set(key, made)
    this.#bytes += heldBytes(made)
    for (const [oldest, disclosure] of this.#kept) {
      const fits = this.#kept.size <= MAX_DISCLOSURES && this.#bytes <= MAX_BYTES
      if (fits || oldest === key) break
      this.#kept.delete(oldest)
      this.#bytes -= heldBytes(disclosure)
    }
  }

  #digestOf(tool: ListedTool): Promise<string> {
    let digest = this.#digests.get(tool)
    if (digest === undefined) {
      digest = sha256Hex(tool.json)
      this.#digests.set(tool, digest)
    }
    return digest
  }
}

/** Texts beyond Latin-1 take two bytes a unit. */
const heldBytes = ({ manifest }: SchemaDisclosure): number => manifest.schema_bytes * 2
