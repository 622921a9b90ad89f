/**
 * The bounds of this folder, in one place.
 * @module
 */

import type { PatternEngine } from '../pattern/index.ts'
import { DIALECTS, type Dialect } from './dialect.ts'
import { SchemaValidationError } from './errors.ts'

/** Bounds and settings of a validator; every bound has a default that keeps one call below some 200 ms. */
export interface ValidatorOptions {
  /** Steps of one `validate`, some 100–300 ns each; default 500,000, about 80,000 JSON values. Beyond: `too-many-steps`. */
  readonly maxSteps?: number
  /** Levels of nesting, of a schema and of a value; default 1,024, at most 4,096. Beyond: `schema-too-deep`, `value-too-deep`. */
  readonly maxDepth?: number
  /** Milliseconds of one `validate` by the clock; default 1,000. A backstop: in a Worker the clock stands still, steps count. */
  readonly maxMilliseconds?: number
  /** JSON values of a schema; default 100,000. Beyond: `schema-too-large`. */
  readonly maxSchemaValues?: number
  /** What a schema without `$schema` is written in; default `'2020-12'`, as MCP says. */
  readonly defaultDialect?: Dialect
  /** From `loadPatternEngine()`. Without it, patterns that need it are refused with `pattern-engine-missing`. */
  readonly patternEngine?: PatternEngine
  /** Milliseconds of a monotone or wall clock; default `Date.now`. */
  readonly clock?: () => number
}

/** The options with nothing left open. */
export interface Settings {
  readonly maxSteps: number
  readonly maxDepth: number
  readonly maxMilliseconds: number
  readonly maxSchemaValues: number
  readonly defaultDialect: Dialect
  readonly patternEngine: PatternEngine | undefined
  readonly clock: () => number
}

/** Options checked and completed. */
export function settingsOf(options: ValidatorOptions): Settings {
  if (typeof options !== 'object' || options === null) refuseOption('options')
  const { patternEngine, clock = Date.now } = options
  if (patternEngine !== undefined && typeof patternEngine?.compile !== 'function') refuseOption('patternEngine')
  if (typeof clock !== 'function') refuseOption('clock')
  return {
    maxSteps: bounded(options, 'maxSteps', 500_000, 1_000_000_000),
    maxDepth: bounded(options, 'maxDepth', 1024, 4096),
    maxMilliseconds: bounded(options, 'maxMilliseconds', 1000, 3_600_000),
    maxSchemaValues: bounded(options, 'maxSchemaValues', 100_000, 10_000_000),
    defaultDialect: dialectOption(options.defaultDialect),
    patternEngine,
    clock,
  }
}

type NumericOption = 'maxSteps' | 'maxDepth' | 'maxMilliseconds' | 'maxSchemaValues'

function bounded(options: ValidatorOptions, name: NumericOption, standard: number, most: number): number {
  const value = options[name] ?? standard
  return Number.isSafeInteger(value) && value >= 1 && value <= most ? value : refuseOption(name)
}

function dialectOption(value: Dialect = '2020-12'): Dialect {
  return DIALECTS.includes(value) ? value : refuseOption('defaultDialect')
}

function refuseOption(option: string): never {
  throw new SchemaValidationError('option-invalid', { option }, `Option "${option}" is outside its range`)
}
