/**
 * The micro-syntax of bug-cases.json: built strings, members by dotted path, outcomes, and what its suggested error names mean
 * here. Written from the description of the syntax, so that it also reads cases that are not in this repository.
 * @module
 */

import { isDeepStrictEqual } from 'node:util'
import { ConsumerError } from '../../src/consumer/index.ts'
import { JsonError, SchemaDisclosureError } from '../../src/core/index.ts'
import { ProviderError } from '../../src/provider/index.ts'
import { SchemaValidationError } from '../../src/validation/index.ts'

export type Json = { readonly [name: string]: unknown }
/** Runs one case; the problem, or undefined where all is as the case says. */
export type Runner = (input: Json, expect: Json) => Promise<string | undefined>
type Pairs = readonly (readonly [string, number])[]

/**
 * Suggested names of errors, by the words in them, and which of our codes say the same. The first row that matches stands. A
 * name that no row knows fails its case: then this table needs a row.
 */
const MEANINGS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/unknown-resource/, ['not-found']],
  [/dialect/, ['dialect-unknown']],
  [/pattern/, ['pattern-invalid', 'pattern-unsupported', 'pattern-engine-missing', 'too-many-steps', 'too-slow']],
  [/ref|pointer/, ['reference-invalid', 'reference-remote', 'reference-missing', 'reference-loop']],
  [/output-validation|output-invalid/, ['result-invalid', 'result-missing']],
  [/input-validation|invalid-arguments/, ['arguments-invalid']],
  [/missing-structured|no-structured/, ['result-missing']],
  [/budget|too-slow|timeout|steps/, ['too-many-steps', 'too-slow', 'schema-too-large']],
  [/non-?finite/, ['non-finite']],
  [/duplicate-(?:name|key|member)/, ['duplicate-name']],
  [/surrogate/, ['lone-surrogate']],
  [/canonical/, ['not-canonical']],
  [/depth|nest|deep/, ['depth', 'schema-too-deep', 'value-too-deep']],
  [/digits|unsafe-(?:integer|number)/, ['integer-digits', 'unsafe-integer']],
  [/backend/, ['digest-unavailable']],
  [/stale/, ['stale-identity', 'document-digest', 'manifest-differs']],
  [/envelope/, ['envelope-size']],
  [/document.*(?:large|size|bytes|limit)/, ['document-size']],
  // The model knows the bound of a fragment's text.
  [/fragment.*(?:large|size|bytes|limit)/, ['fragment-invalid']],
  [/too-large|oversize/, ['document-size', 'envelope-size', 'fragment-invalid']],
  [/mixed|foreign|identity/, ['fragment-identity']],
  [/order|sequence/, ['fragment-order', 'fragment-count']],
  [/missing|incomplete|count/, ['fragment-count', 'fragment-order']],
  [/resource|content|mime|result|read/, ['read-malformed', 'text-invalid', 'manifest-invalid', 'fragment-invalid']],
  // Digests that are swapped make a manifest like any other, until its document is at hand.
  [/manifest/, ['manifest-invalid', 'schema-digest', 'document-digest', 'document-size', 'fragment-count']],
  [/index/, ['fragment-index', 'fragment-invalid', 'fragment-order']],
  [/digest|hash|checksum/, ['fragment-digest', 'document-digest', 'schema-digest']],
  [/fragment/, ['fragment-invalid', 'fragment-index']],
  [/json|syntax|parse/, ['syntax', 'truncated']],
  [/utf-?8|encoding/, ['utf8', 'lone-surrogate']],
  [/schema/, ['schema-invalid', 'schema-not-object', 'document-shape', 'keyword-invalid', 'schema-not-json']],
]

const isPairs = (value: unknown): value is Pairs =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every(
    (pair) => Array.isArray(pair) && pair.length === 2 && typeof pair[0] === 'string' && Number.isInteger(pair[1]),
  )

/** A list of pairs is the repeated strings, joined; anything else is literal. */
export const built = (value: unknown): unknown =>
  isPairs(value) ? value.map(([text, times]) => text.repeat(times)).join('') : value

/** All texts a field gives, whatever form it takes: `X`, `Xs`, `X_build`, `X_builds`. */
export function textsOf(input: Json, name: string): string[] {
  const plain = [input[name], input[`${name}s`]].flatMap((value) => value ?? [])
  const one = input[`${name}_build`]
  const many = (input[`${name}_builds`] ?? []) as readonly unknown[]
  return [...plain, ...(one === undefined ? [] : [one]), ...many].map((value) => String(built(value)))
}

/** The object that members given by dotted path make. */
export function objectOf(build: Json): { [name: string]: unknown } {
  const root: { [name: string]: unknown } = {}
  for (const [path, value] of Object.entries(build)) {
    const names = path.split('.')
    const last = names.pop() as string
    let target = root
    for (const name of names) {
      target[name] ??= {}
      target = target[name] as { [name: string]: unknown }
    }
    target[last] = built(value)
  }
  return root
}

/** JSON text of a tool's schema: literal, built by members, or as text; `{}` where there is none. */
export function schemaText(tool: Json, member: 'inputSchema' | 'outputSchema'): string {
  const raw = tool[`${member}_raw`]
  if (typeof raw === 'string') return raw
  const members = Object.entries((tool[`${member}_build`] ?? {}) as Json).map(([name, value]) => [name, built(value)])
  return JSON.stringify({ ...(tool[member] as Json | null | undefined), ...Object.fromEntries(members) })
}

/** What is to happen to one variant. */
export interface Outcome {
  readonly ok: boolean
  readonly error?: string
  readonly pointer?: string
  readonly fields: Json
}

/** The outcome of variant `index`: `each` stands for all of them, a list goes with the variants by position. */
export function outcomeAt(expect: Json, index: number): Outcome {
  const at = (value: unknown): unknown => (Array.isArray(value) ? value[index] : value)
  const own = at(expect.each ?? expect)
  const given = typeof own === 'string' || typeof own === 'boolean' ? own : undefined
  const fields: Json = given === undefined ? (own as Json) : expect
  const name = given === undefined || given === 'error' ? (at(fields.error) ?? at(fields.errors)) : errorName(given)
  const pointer = at(fields.pointer ?? expect.pointer)
  return {
    ok: given === undefined ? fields.ok === true : given === true || given === 'ok',
    fields,
    ...(typeof name === 'string' ? { error: name } : undefined),
    ...(typeof pointer === 'string' ? { pointer } : undefined),
  }
}

/** The outcome that stands as a value of its own: `ok`, `error`, an error's name, a boolean, or an object. */
export const outcomeOf = (value: unknown): Outcome => outcomeAt({ each: value }, 0)

/** `error:x` and `x` name the error x; anything that is JSON, or `ok`, names none. */
export function errorName(value: unknown): string | undefined {
  const name = typeof value === 'string' ? /^(?:error:)?([a-z0-9]+(?:-[a-z0-9]+)+)$/.exec(value)?.[1] : undefined
  return name
}

/** Runs one variant; the problem, or undefined where it is as the case says. */
export async function judge(run: () => unknown, outcome: Outcome): Promise<string | undefined> {
  const refusal = await refusalOf(run)
  if (refusal === undefined) return outcome.ok ? undefined : `accepted, expected ${outcome.error ?? 'a refusal'}`
  if (outcome.ok) return `refused with ${refusal.code}`
  if (outcome.error !== undefined) {
    const codes = MEANINGS.find(([words]) => words.test(outcome.error as string))?.[1]
    if (codes === undefined) return `no code is known for "${outcome.error}"`
    if (!refusal.codes.some((code) => codes.includes(code))) {
      return `refused with ${refusal.code}, expected ${codes.join(' or ')}`
    }
  }
  if (outcome.pointer === undefined || outcome.pointer === refusal.pointer) return undefined
  return `refused at "${refusal.pointer}", expected "${outcome.pointer}"`
}

interface Refusal {
  readonly code: string
  /** The code, and the reader's where a text could not be read. */
  readonly codes: readonly string[]
  readonly pointer: string | undefined
}

/** The coded refusal of `run`. Any other error is a fault of ours and thrown on. */
async function refusalOf(run: () => unknown): Promise<Refusal | undefined> {
  try {
    await run()
    return undefined
  } catch (error) {
    const isOurs =
      JsonError.is(error) ||
      SchemaDisclosureError.is(error) ||
      ConsumerError.is(error) ||
      ProviderError.is(error) ||
      SchemaValidationError.is(error)
    if (!isOurs) throw error
    const { json, ...data } = error.data as ErrorData
    const field = data.field ?? (data.part === undefined ? undefined : PART_FIELDS[data.part])
    const codes = json === undefined ? [error.code] : [error.code, json]
    const [issue] = data.issues ?? []
    return {
      code: codes.join(': '),
      codes,
      pointer: data.path ?? issue?.instancePath ?? (field === undefined ? undefined : `/${field}`),
    }
  }
}

interface ErrorData {
  readonly json?: string
  readonly path?: string
  readonly field?: string
  readonly part?: string
  readonly issues?: readonly { readonly instancePath: string }[]
}

const PART_FIELDS: Readonly<Record<string, string>> = {
  inputSchema: 'input_schema_sha256',
  outputSchema: 'output_schema_sha256',
}

/** A manifest with the members of `mutation` set, or removed. `<…>` stands for a value computed from the right manifest. */
export function mutated(manifest: Json, mutation: Json): Json {
  const changed: { [name: string]: unknown } = { ...manifest }
  for (const [field, value] of Object.entries(mutation)) {
    if (field === '__delete__') delete changed[value as string]
    else changed[field] = computed(built(value), field, manifest)
  }
  return changed
}

function computed(value: unknown, field: string, manifest: Json): unknown {
  if (typeof value !== 'string') return value
  const right = String(manifest[field])
  if (value === '<upper-case of the right value>') return right.toUpperCase()
  if (value === '<right value without last digit>') return right.slice(0, -1)
  if (value === '<right value>') return manifest[field]
  const other = /^<(input|output|source|schema|document) digest>$/.exec(value)?.[1]
  if (other === 'input' || other === 'output') return manifest[`${other}_schema_sha256`]
  if (other !== undefined) return other === 'source' ? manifest.source_sha256 : manifest.schema_sha256
  return value.replace('<64 hex>', right)
}

/** Compares the members of `expect` that `facts` knows; the first that differs, or undefined. */
export function differing(expect: Json, facts: Json): string | undefined {
  for (const [name, fact] of Object.entries(facts)) {
    const wanted = expect[name]
    if (wanted !== undefined && !isDeepStrictEqual(wanted, fact))
      return `${name} is ${JSON.stringify(fact).slice(0, 80)}`
  }
  return undefined
}
