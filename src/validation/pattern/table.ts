/**
 * The patterns of one schema: each compiled once, all of them within one bound.
 * @module
 */

import type { PatternEngine } from '../../pattern/index.ts'
import { refuseSchema } from '../errors.ts'
import type { Path } from '../path.ts'
import { compilePattern, type Pattern, type PatternProblem } from './pattern.ts'

/** Characters and instructions of all patterns of a schema together. */
const MAX_COST = 100_000

/** Compiles patterns as they are met and remembers where. */
export class PatternTable {
  readonly #engine: PatternEngine | undefined
  readonly #compiled = new Map<string, Pattern | PatternProblem>()
  readonly #uses: { readonly path: Path; readonly pattern: Pattern }[] = []
  #cost = 0

  constructor(engine: PatternEngine | undefined) {
    this.#engine = engine
  }

  get uses(): readonly { readonly path: Path; readonly pattern: Pattern }[] {
    return this.#uses
  }

  /**
   * The pattern at a place of the schema, or why there is none.
   *
   * @throws {SchemaValidationError} `schema-too-large`
   */
  compile(source: string, path: Path): Pattern | PatternProblem {
    let compiled = this.#compiled.get(source)
    if (compiled === undefined) {
      compiled = compilePattern(source, this.#engine)
      this.#compiled.set(source, compiled)
      this.#cost += Math.max(source.length, typeof compiled === 'string' ? 0 : compiled.cost)
      if (this.#cost > MAX_COST) refuseSchema('schema-too-large', { limit: MAX_COST }, 'its patterns are too large')
    }
    if (typeof compiled !== 'string') this.#uses.push({ path, pattern: compiled })
    return compiled
  }
}
