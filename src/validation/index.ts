/**
 * JSON Schema validation for schemas and values from strangers: bounded in depth, steps and time, exact in numbers, without
 * network and without generated code.
 * @module
 */

export type { CompiledSchema, SchemaValidator, ValidationIssue } from '../core/ports.ts'
export { loadPatternEngine, type PatternEngine } from '../pattern/index.ts'
export type { Dialect } from './dialect.ts'
export {
  type AnySchemaValidationError,
  SchemaValidationError,
  type SchemaValidationErrorCode,
  type SchemaValidationErrorData,
} from './errors.ts'
export { inspectSchema, type SchemaProblem, type SchemaReport } from './inspect.ts'
export type { ValidatorOptions } from './limits.ts'
export type { PatternKind } from './pattern/pattern.ts'
export { jsonSchemaValidator } from './validator.ts'
