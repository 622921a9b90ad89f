/**
 * @cfworker/json-schema, made safe.
 * @module
 */

import { validate } from '@cfworker/json-schema'
import type { Prepared } from '../prepare.ts'
import type { Sizes } from '../scan.ts'
import { Meter } from './meter.ts'
import { writeEngineSchema } from './write-schema.ts'

/** The engine with one schema. */
export interface Engine {
  /** Its verdict, or undefined where it came to none within its bounds. */
  judge(value: unknown, sizes: Sizes): boolean | undefined
}

/** Levels of a value it is given: its frames are large, and the stack's end is unknown. */
const MAX_DEPTH = 64

/**
 * The engine for a schema, or undefined where it would judge wrongly or at too high a price: dynamic references, unevaluated
 * members (it counts those a schema around has looked at), patterns that are not native, numbers no double holds, huge lists.
 */
export function engineFor(prepared: Prepared): Engine | undefined {
  if (prepared.isDynamic || prepared.tracksEvaluation) return undefined
  if (prepared.patterns.some(({ pattern }) => pattern.kind !== 'native')) return undefined
  const meter = new Meter()
  const schema = writeEngineSchema(prepared, meter)
  if (schema === undefined) return undefined
  return {
    judge(value, sizes) {
      if (sizes.hasExactNumbers || sizes.depth > MAX_DEPTH) return undefined
      meter.start(sizes)
      try {
        return validate(value, schema.root, '2020-12', schema.targets, false).valid
      } catch {
        // Out of units, out of stack, or a name it cannot spell. It keeps no state, so nothing is left behind.
        return undefined
      } finally {
        meter.stop()
      }
    },
  }
}
