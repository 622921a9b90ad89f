/**
 * Checks values against a JSON Schema without eval, and says in few words what is wrong.
 * @module
 */
import { type OutputUnit, type Schema, Validator } from '@cfworker/json-schema'
import type { JsonObject } from './tool.ts'

/** One finding: where in the value (a JSON Pointer, empty for the whole), and what is wrong there. */
export interface Finding {
  readonly path: string
  readonly message: string
}

/** Keywords that only say "something below failed"; the findings below say what. */
const SUMMARIES = new Set(['$ref', 'allOf', 'anyOf', 'oneOf', 'if', 'then', 'else', 'not', 'properties', 'items'])
SUMMARIES.add('patternProperties').add('additionalProperties').add('additionalItems').add('propertyNames')

/**
 * Makes a check for one schema, compiled on first use. Answers nothing where the value keeps the schema, else at most
 * `limit` findings, the most specific (deepest) first.
 */
export const schemaCheck = (schema: JsonObject, limit: number): ((value: unknown) => readonly Finding[]) => {
  const draft = String(schema.$schema).includes('draft-07') ? '7' : '2020-12'
  let validator: Validator | undefined
  return (value) => {
    // A copy: the engine writes its own names into the schema it is given, and ours is what tools/list serves.
    validator ??= new Validator(structuredClone(schema) as Schema, draft, false)
    const { valid, errors } = validator.validate(value)
    return valid ? [] : pickFindings(errors, limit)
  }
}

/** Drops the summaries (unless nothing else is left) and repeats, deepest first. */
const pickFindings = (errors: readonly OutputUnit[], limit: number): readonly Finding[] => {
  const leaves = errors.filter((error) => !SUMMARIES.has(error.keyword))
  const findings = new Map<string, Finding>()
  for (const { instanceLocation, error } of leaves.length > 0 ? leaves : errors) {
    const path = instanceLocation.replace(/^#/, '')
    const message = error === 'False boolean schema.' ? 'Is not allowed here.' : error
    findings.set(`${path} ${message}`, { path, message })
  }
  const depth = (finding: Finding): number => finding.path.split('/').length
  return [...findings.values()].sort((a, b) => depth(b) - depth(a)).slice(0, limit)
}
