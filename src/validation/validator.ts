/**
 * The validator: compile once, judge often.
 * @module
 */

import type { CompiledSchema, SchemaValidator, ValidationIssue } from '../core/ports.ts'
import type { JsonObject } from '../core/types.ts'
import { Budget } from './budget.ts'
import { type CopiedObject, copySchema, isObject } from './copy.ts'
import { type Engine, engineFor } from './engine/engine.ts'
import { refuseSchema, SchemaValidationError, type SchemaValidationErrorCode } from './errors.ts'
import { evaluate } from './evaluate/evaluate.ts'
import { Issues } from './evaluate/issues.ts'
import { drive } from './evaluate/run.ts'
import { type Settings, settingsOf, type ValidatorOptions } from './limits.ts'
import { type Prepared, type Problem, prepareSchema } from './prepare.ts'
import { scanValue } from './scan.ts'

/** What `validate` says: nothing, or why not. */
export type Verdict = { readonly issues?: readonly [ValidationIssue, ...ValidationIssue[]] }

/** Where both engines are asked and only the other one says no. */
const UNEXPLAINED: ValidationIssue = Object.freeze({
  message: 'Does not satisfy the schema',
  instancePath: '',
  schemaPath: '',
})

/**
 * A validator for schemas and values from strangers: drafts 04, 06, 07, 2019-09 and 2020-12, `format` as annotation, references
 * inside the document only. `compile` copies the schema and refuses with a `SchemaValidationError` what it will not judge by;
 * `validate` gives `{}` or `{ issues }`, and throws the same error where it cannot judge within its bounds. Neither throws
 * anything else, changes what it is given, fetches, or generates code.
 *
 * Values may be what `JSON.parse` gives, or what `parseJsonText` gives: its `JsonNumber`s are compared exactly.
 *
 * @throws {SchemaValidationError} `option-invalid`
 *
 * @example
 * ```ts
 * const validator = jsonSchemaValidator({ patternEngine: await loadPatternEngine() })
 * const compiled = validator.compile({ type: 'object', required: ['id'], properties: { id: { type: 'integer' } } })
 * compiled.validate({ id: 1 }) // {}
 * compiled.validate({ id: 'x' }).issues // [{ message: 'Has another type', instancePath: '/id', schemaPath: '/properties/id/type' }]
 * ```
 */
export function jsonSchemaValidator(options: ValidatorOptions = {}): SchemaValidator {
  const settings = settingsOf(options)
  return Object.freeze({
    compile: (schema: JsonObject) =>
      // The copy goes as deep as the schema does, on whatever stack the caller left.
      withCode('schema', settings.maxDepth, () => {
        const prepared = prepareSchema(privateCopy(schema, settings), settings)
        const [problem] = prepared.problems
        if (problem !== undefined) refuse(problem)
        return compiledSchema(prepared, settings)
      }),
  })
}

/** The private copy of what is a schema at all. */
export function privateCopy(schema: unknown, settings: Settings): CopiedObject | boolean {
  const copy = copySchema(schema, settings)
  if (typeof copy === 'boolean' || isObject(copy)) return copy
  refuseSchema('keyword-invalid', { path: '' }, 'it is neither an object nor a boolean')
}

function compiledSchema(prepared: Prepared, settings: Settings): CompiledSchema {
  let engine: Engine | undefined
  let isEngineBuilt = false
  return Object.freeze({
    validate: (value: unknown): Verdict =>
      withCode('value', settings.maxDepth, () => {
        const budget = new Budget(settings)
        const sizes = scanValue(value, settings.maxDepth, budget)
        if (!isEngineBuilt) {
          engine = engineFor(prepared)
          isEngineBuilt = true
        }
        const verdict = engine?.judge(value, sizes)
        if (verdict === true) return {}
        const issues = new Issues()
        const run = { budget, issues, tracksEvaluation: prepared.tracksEvaluation }
        const root = { node: prepared.root, value, place: undefined, scope: undefined, marks: undefined }
        const holds = drive(root, run, evaluate)
        if (holds && verdict === undefined) return {}
        const [first = UNEXPLAINED, ...rest] = holds ? [] : issues.spell()
        return { issues: [first, ...rest] }
      }),
  })
}

/** Runs what reads a stranger's objects: they may use up the stack, or throw where they are read. Both are said with a code. */
export function withCode<Result>(what: 'schema' | 'value', limit: number, run: () => Result): Result {
  try {
    return run()
  } catch (cause) {
    if (SchemaValidationError.is(cause)) throw cause
    const action = what === 'schema' ? 'compile the schema' : 'judge the value'
    throw cause instanceof RangeError
      ? new SchemaValidationError(`${what}-too-deep`, { limit }, `Cannot ${action}: the stack does not reach that deep`)
      : new SchemaValidationError(`${what}-not-json`, { path: '' }, `Cannot ${action}: it cannot be read`, { cause })
  }
}

function refuse({ code, path, dialect }: Problem): never {
  const data = dialect === undefined ? { path } : { path, dialect }
  throw new SchemaValidationError<SchemaValidationErrorCode>(
    code,
    data,
    `Cannot compile the schema: ${code} at "${path.slice(0, 200)}"${code === 'pattern-engine-missing' ? ': hand in loadPatternEngine()' : ''}`,
  )
}
