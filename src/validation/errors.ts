/**
 * The error of this folder: a schema that is not judged with, or a value that cannot be judged.
 * @module
 */

/** What each code carries. `path` is a JSON Pointer, into the schema for refusals of `compile`, else into the value. */
export interface SchemaValidationErrorData {
  /** `compile`: a member of the schema is no JSON: a function, `undefined`, a class instance, NaN, a getter that throws. */
  'schema-not-json': { readonly path: string }
  /** `compile`: the schema is nested deeper than `limit` levels; a schema inside itself, too. */
  'schema-too-deep': { readonly limit: number }
  /** `compile`: the schema holds more than `limit` JSON values (or characters, counted by the hundred). */
  'schema-too-large': { readonly limit: number }
  /** `compile`: `$schema` names a dialect that is not read here, or another one than the document's. */
  'dialect-unknown': { readonly path: string; readonly dialect: string }
  /** `compile`: a keyword's value has a wrong type or range, for example `required: true` or a misspelt `type`. */
  'keyword-invalid': { readonly path: string }
  /** `compile`: `$ref`, `$id` or an anchor is no URI reference that can be read, or one of more than 2,048 characters. */
  'reference-invalid': { readonly path: string }
  /** `compile`: a reference leaves the document. Nothing is ever fetched. */
  'reference-remote': { readonly path: string }
  /** `compile`: a reference into the document meets nothing, or no schema. */
  'reference-missing': { readonly path: string }
  /** `compile`: a schema that applies itself to the same value without end. */
  'reference-loop': { readonly path: string }
  /** `compile`: two places of the document claim one identifier or anchor. */
  'identifier-duplicate': { readonly path: string }
  /** `compile`: a pattern that is no ECMA-262 regular expression with flag `u`. */
  'pattern-invalid': { readonly path: string }
  /** `compile`: a pattern that no engine here can match in bounded time. */
  'pattern-unsupported': { readonly path: string }
  /** `compile`: a pattern that needs the RE2 engine, and `patternEngine` was not given. */
  'pattern-engine-missing': { readonly path: string }
  /** `validate`: the value, or a part of it, is no JSON: `undefined`, a function, a class instance, NaN, a getter that throws. */
  'value-not-json': { readonly path: string }
  /** `validate`: the value is nested deeper than `limit` levels, or schema and value together lead too deep. */
  'value-too-deep': { readonly limit: number }
  /** `validate`: a number of more digits, or with a larger exponent, than is compared here. */
  'number-too-long': { readonly path: string }
  /** `validate`: a string longer than `limit` UTF-16 units, which is as far as its pattern is matched in bounded time. */
  'string-too-long': { readonly limit: number }
  /** `validate`: no verdict within `limit` steps. */
  'too-many-steps': { readonly limit: number }
  /** `validate`: no verdict within `limit` milliseconds. */
  'too-slow': { readonly limit: number }
  /** An option outside its range, named. */
  'option-invalid': { readonly option: string }
}

/** All codes of `SchemaValidationError`; their meaning stands at `SchemaValidationErrorData`. */
export type SchemaValidationErrorCode = keyof SchemaValidationErrorData

/** A `SchemaValidationError` discriminated by its code: a switch on `code` types `data`. */
export type AnySchemaValidationError = {
  [Code in SchemaValidationErrorCode]: SchemaValidationError<Code>
}[SchemaValidationErrorCode]

/**
 * Thrown by `compile` for a schema that is refused, and by `validate` for a value that cannot be judged. Never means
 * "invalid": that is said by `issues`. `code` is the contract, `data` is typed by it; messages may change and hold no values.
 *
 * @example
 * ```ts
 * try {
 *   jsonSchemaValidator().compile({ required: true })
 * } catch (error) {
 *   if (SchemaValidationError.is(error) && error.code === 'keyword-invalid') console.log(error.data.path) // '/required'
 * }
 * ```
 */
export class SchemaValidationError<Code extends SchemaValidationErrorCode = SchemaValidationErrorCode> extends Error {
  override readonly name = 'SchemaValidationError'
  readonly code: Code
  readonly data: Readonly<SchemaValidationErrorData[Code]>

  constructor(code: Code, data: SchemaValidationErrorData[Code], message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.data = Object.freeze({ ...data })
  }

  /** Tells a `SchemaValidationError` from every other thrown value. */
  static is(value: unknown): value is AnySchemaValidationError {
    return value instanceof SchemaValidationError
  }
}

/** Throws the refusal of a schema; `what` completes "Cannot compile the schema:". */
export function refuseSchema<Code extends SchemaValidationErrorCode>(
  code: Code,
  data: SchemaValidationErrorData[Code],
  what: string,
): never {
  throw new SchemaValidationError(code, data, `Cannot compile the schema: ${what}`)
}

/** Throws that a value cannot be judged; `what` completes "Cannot judge the value:". */
export function cannotJudge<Code extends SchemaValidationErrorCode>(
  code: Code,
  data: SchemaValidationErrorData[Code],
  what: string,
): never {
  throw new SchemaValidationError(code, data, `Cannot judge the value: ${what}`)
}
