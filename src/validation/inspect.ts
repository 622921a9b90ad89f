/**
 * What a schema is made of, without judging by it.
 * @module
 */

import type { Dialect } from './dialect.ts'
import { settingsOf, type ValidatorOptions } from './limits.ts'
import { pointerOf } from './path.ts'
import type { PatternKind } from './pattern/pattern.ts'
import { type Problem, prepareSchema } from './prepare.ts'
import { privateCopy, withCode } from './validator.ts'

/** A report on a schema. All paths are JSON Pointers into it. */
export interface SchemaReport {
  /** What it is read as; the default where it names none, or one that is not known. */
  readonly dialect: Dialect
  /** What `compile` would refuse it for, at most 100 places; empty where it would not. */
  readonly problems: readonly SchemaProblem[]
  /** Members that are no keyword of the dialect and say nothing here, for example `nullable`. */
  readonly unknownKeywords: readonly string[]
  /** Its patterns and how they are matched: by the runtime, by RE2, or by the runtime on at most 256 UTF-16 units. */
  readonly patterns: readonly { readonly path: string; readonly engine: PatternKind }[]
}

/** A reason to refuse a schema: a code of `SchemaValidationError` and the place. */
export type SchemaProblem = Problem

/** Most places reported of one kind. */
const MAX_PLACES = 1000

/**
 * Reports on a schema what `compile` would refuse, and what it would pass over without a word.
 *
 * @throws {SchemaValidationError} `schema-not-json`, `schema-too-deep`, `schema-too-large`, `option-invalid`
 *
 * @example
 * ```ts
 * inspectSchema({ type: 'string', nullable: true }).unknownKeywords // ['/nullable']
 * ```
 */
export function inspectSchema(schema: unknown, options: ValidatorOptions = {}): SchemaReport {
  const settings = settingsOf(options)
  const { dialect, problems, unknownKeywords, patterns } = withCode('schema', settings.maxDepth, () =>
    prepareSchema(privateCopy(schema, settings), settings),
  )
  return {
    dialect,
    problems,
    unknownKeywords: unknownKeywords.slice(0, MAX_PLACES).map(pointerOf),
    patterns: patterns
      .slice(0, MAX_PLACES)
      .map(({ path, pattern }) => ({ path: pointerOf(path), engine: pattern.kind })),
  }
}
