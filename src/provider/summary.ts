/**
 * The Markdown summary of a tool: for choosing, never for validating.
 * @module
 */

import { JsonError, JsonReader } from '../core/index.ts'
import type { ListedTool } from '../listing/index.ts'
import { readEntry } from './entry.ts'
import { isList, isObject, type Ordered, type OrderedObject, orderedValue } from './ordered.ts'
import { pythonJson } from './python-json.ts'

const MAX_NESTED = 16
const MAX_ENUM = 8
/** Schemas looked into for one line: references may loop or explode. */
const MAX_STEPS = 256
const MAX_LABEL_DEPTH = 16
const UNIONS = ['anyOf', 'oneOf'] as const

/**
 * A tool as compact Markdown: name, description, one line a parameter, one line a returned field. The text is the server's own
 * words: untrusted.
 *
 * @throws {JsonError} where the entry is not readable
 *
 * @example
 * ```ts
 * summarizeTool(tool) // '### get_user\n\nFetch a user by id\n\n**Parameters**\n- `id` (string, required)'
 * ```
 */
export function summarizeTool(tool: ListedTool): string {
  const { description, inputSchema, outputSchema } = readEntry(tool)
  const blocks = [`### ${tool.name}`]
  const text = description?.trim()
  if (text) blocks.push(text)
  blocks.push(section('Parameters', inputSchema))
  if (outputSchema !== undefined) blocks.push(section('Returns', outputSchema))
  return blocks.join('\n\n')
}

function section(title: string, json: Uint8Array | undefined): string {
  const schema = json === undefined ? undefined : orderedValue(new JsonReader(json))
  const properties = isObject(schema) ? schema.get('properties') : undefined
  if (!isObject(schema) || !isObject(properties) || properties.size === 0) {
    return `**${title}**\n- \`value\` (${typeLabel(schema)})`
  }
  const required = schema.get('required')
  const names = new Set(isList(required) ? required.filter((name) => typeof name === 'string') : [])
  const lines = [...properties].map(([name, property]) => fieldLine(name, property, names.has(name), schema))
  return `**${title}**\n${lines.join('\n')}`
}

function fieldLine(name: string, property: Ordered, required: boolean, root: OrderedObject): string {
  const notes = [typeLabel(property)]
  if (isObject(property)) {
    const values = enumValues(property)
    if (values !== undefined) notes.push(`one of ${values.join('/')}`)
    const fallback = property.get('default')
    if (fallback !== undefined && fallback !== null) notes.push(`default ${spelled(fallback)}`)
  }
  if (required) notes.push('required')
  const nested = nestedNames(property, root)
  const shown = nested.slice(0, MAX_NESTED).map((field) => `\`${field}\``)
  if (nested.length > MAX_NESTED) shown.push(`+${nested.length - MAX_NESTED} more`)
  return `- \`${name}\` (${notes.join(', ')})${shown.length > 0 ? `: ${shown.join(', ')}` : ''}`
}

/** The kind of value a schema wants, in a word: `string`, `integer[]`, `string | null` as `string?`. */
function typeLabel(schema: Ordered | undefined, depth = 0): string {
  if (!isObject(schema) || depth > MAX_LABEL_DEPTH) return 'any'
  const type = schema.get('type')
  if (typeof type === 'string' && type !== '') {
    return type === 'array' ? `${typeLabel(schema.get('items'), depth + 1)}[]` : type
  }
  for (const union of UNIONS) {
    const variants = schema.get(union)
    if (!isList(variants) || variants.length === 0) continue
    const labels = new Set(variants.slice(0, MAX_STEPS).map((variant) => typeLabel(variant, depth + 1)))
    const nullable = labels.delete('null')
    if (labels.size === 0) return 'null'
    return `${[...labels].join(' | ')}${nullable ? '?' : ''}`
  }
  return schema.has('$ref') || schema.has('properties') || schema.has('allOf') ? 'object' : 'any'
}

/** The few values a field may have, spelled; undefined where there are none to show or too many. */
function enumValues(schema: OrderedObject): string[] | undefined {
  const constant = schema.get('const')
  let values = constant !== undefined ? [constant] : schema.get('enum')
  if (!isList(values)) {
    for (const union of UNIONS) {
      const variants = schema.get(union)
      if (isList(variants) && variants.length > 0) values = unionValues(variants)
    }
  }
  if (!isList(values)) return undefined
  // Spelled alike is alike, but for what Python calls equal: 1, 1.0 and true.
  const spellings = new Map(values.map((value) => [equalityKey(value), spelled(value)] as const).toReversed())
  const unique = [...spellings.values()].toReversed()
  return unique.length >= 1 && unique.length <= MAX_ENUM ? unique : undefined
}

/** All values of a union, where every variant but null lists its own. */
function unionValues(variants: readonly Ordered[]): readonly Ordered[] | undefined {
  const all: Ordered[] = []
  for (const variant of variants) {
    if (!isObject(variant)) return undefined
    if (variant.get('type') === 'null') continue
    const values = variant.get('enum')
    if (!isList(values)) return undefined
    all.push(...values.slice(0, MAX_STEPS))
  }
  return all
}

function equalityKey(value: Ordered): string {
  if (value === true) return '1'
  if (value === false) return '0'
  const text = spelled(value)
  return typeof value === 'object' && value !== null && 'text' in value ? String(Number(text)) : text
}

function spelled(value: Ordered): string {
  try {
    return pythonJson(value)
  } catch (error) {
    // A number beyond a double has no spelling.
    if (JsonError.is(error)) return 'null'
    throw error
  }
}

/** Names of the fields inside a property, through items, unions and references inside the document. */
function nestedNames(property: Ordered, root: OrderedObject): string[] {
  const names = new Set<string>()
  const seen = new Set<Ordered>()
  let steps = 0
  const visit = (schema: Ordered | undefined): void => {
    if (!isObject(schema) || seen.has(schema) || ++steps > MAX_STEPS) return
    seen.add(schema)
    const reference = schema.get('$ref')
    if (typeof reference === 'string') visit(resolve(reference, root))
    if (schema.get('type') === 'array') visit(schema.get('items'))
    for (const keyword of ['anyOf', 'oneOf', 'allOf']) {
      const variants = schema.get(keyword)
      if (isList(variants)) for (const variant of variants) visit(variant)
    }
    const properties = schema.get('properties')
    if (isObject(properties)) for (const name of properties.keys()) names.add(name)
  }
  visit(property)
  return [...names]
}

/** A reference by JSON Pointer inside the document; nothing else is ever followed. */
function resolve(reference: string, root: OrderedObject): Ordered | undefined {
  if (!reference.startsWith('#/')) return undefined
  let value: Ordered | undefined = root
  for (const step of reference.slice(2).split('/')) {
    if (!isObject(value)) return undefined
    value = value.get(step.replaceAll('~1', '/').replaceAll('~0', '~'))
  }
  return value
}
