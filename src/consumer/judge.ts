/**
 * Judging arguments and answers against the verified schemas.
 * @module
 */

import type { CompiledSchema, JsonObject, SchemaValidator, ValidationIssue } from '../core/index.ts'
import { ConsumerError } from './errors.ts'

/** What a validator says of one value. `unjudged`: it cannot tell, and that is allowed. */
export type Verdict =
  | { readonly kind: 'valid' }
  | { readonly kind: 'invalid'; readonly issues: readonly [ValidationIssue, ...ValidationIssue[]] }
  | { readonly kind: 'unjudged' }

/** One side of a tool: its arguments or its answers. */
export class Judge {
  readonly #tool: string
  readonly #part: 'input' | 'output'
  readonly #mayBeUnjudged: boolean
  readonly #compiled: CompiledSchema | undefined

  /** @throws {ConsumerError} `cannot-judge` where the schema cannot be compiled and that is not allowed */
  constructor(
    tool: string,
    part: 'input' | 'output',
    validator: SchemaValidator,
    schema: JsonObject,
    mayBeUnjudged: boolean,
  ) {
    this.#tool = tool
    this.#part = part
    this.#mayBeUnjudged = mayBeUnjudged
    try {
      this.#compiled = validator.compile(schema)
    } catch (cause) {
      this.#compiled = undefined
      this.#unjudged(cause)
    }
  }

  /** @throws {ConsumerError} `cannot-judge` where the validator cannot tell and that is not allowed */
  judge(value: unknown): Verdict {
    if (this.#compiled === undefined) return { kind: 'unjudged' }
    try {
      const verdict = this.#compiled.validate(value)
      const { issues } = verdict
      // A promise, a list of no issues, or an object that says something else beside, such as `valid: false`, is no verdict.
      const isOther = 'then' in verdict || Object.keys(verdict).some((name) => name !== 'issues')
      if (isOther || (issues !== undefined && !(Array.isArray(issues) && issues.length > 0))) {
        throw new TypeError('the validator gave no verdict')
      }
      return issues === undefined ? { kind: 'valid' } : { kind: 'invalid', issues }
    } catch (cause) {
      return this.#unjudged(cause)
    }
  }

  #unjudged(cause: unknown): { readonly kind: 'unjudged' } {
    if (this.#mayBeUnjudged) return { kind: 'unjudged' }
    throw new ConsumerError(
      'cannot-judge',
      { tool: this.#tool, part: this.#part },
      `Cannot judge the ${this.#part} of "${this.#tool}": the validator gives no verdict`,
      { cause },
    )
  }
}
