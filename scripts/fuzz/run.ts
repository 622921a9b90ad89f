/**
 * Hands mutated sets to a verifier and counts what comes of them.
 * @module
 */

import type { reconstructSchema } from '../../src/core/index.ts'
import { MUTATIONS } from './mutations.ts'
import { Random } from './random.ts'
import { honestSets } from './sets.ts'

/** What became of the sets. */
export interface FuzzReport {
  readonly sets: number
  readonly refused: number
  /** Mutated into a spelling of the same document, and verified as that document. */
  readonly same: number
  /** Accepted as something else: by name of the mutation and number of the set. */
  readonly accepted: readonly string[]
  /** Refused with an error that has no code. */
  readonly uncoded: readonly string[]
  readonly codes: ReadonlyMap<string, number>
}

/**
 * Runs `count` sets. The same seed gives the same sets.
 *
 * @param verify what is tried
 */
export async function fuzz(count: number, seed: number, verify: typeof reconstructSchema): Promise<FuzzReport> {
  const random = new Random(seed)
  const sets = await honestSets(random)
  const names = Object.keys(MUTATIONS)
  const codes = new Map<string, number>()
  const accepted: string[] = []
  const uncoded: string[] = []
  let same = 0
  for (let number = 0; number < count; number++) {
    const set = random.pick(sets)
    const name = random.pick(names)
    const others = sets.filter((other) => other !== set)
    const delivery = await MUTATIONS[name]?.(set, others, random)
    try {
      const { text, manifest } = await verify(set.manifest, delivery ?? [])
      // What the selected manifest names is right however it came; anything else is a breach.
      if (text === set.document && manifest.schema_sha256 === set.manifest.schema_sha256) same++
      else accepted.push(`${name}, set ${number}`)
    } catch (error) {
      const { code } = error as { code?: unknown }
      if (typeof code !== 'string') uncoded.push(`${name}, set ${number}: ${error}`)
      else codes.set(code, (codes.get(code) ?? 0) + 1)
    }
  }
  return { sets: count, refused: count - same - accepted.length, same, accepted, uncoded, codes }
}
