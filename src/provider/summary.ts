/**
 * The Markdown summary of a tool: for choosing, never for validating.
 * @module
 */

import { JsonError, JsonReader } from '../core/index.ts'
import type { ListedTool } from '../listing/index.ts'
import { readEntry } from './entry.ts'
import { NestedFields } from './nested-fields.ts'
import { isList, isObject, type Ordered, type OrderedObject, orderedValue } from './ordered.ts'
import { pythonJson, pythonStrip } from './python-json.ts'

const MAX_ENUM = 8
const MAX_VARIANTS = 256
const MAX_LABEL_DEPTH = 16
/** Of one value, such as a default: longer ones are read in the schema. UTF-16 units. */
const MAX_VALUE_LENGTH = 256
/** A navigation list takes half of it: lines behind are never seen. UTF-16 units. */
const MAX_LENGTH = 65_536
const UNIONS = ['anyOf', 'oneOf'] as const

/**
 * A tool as compact Markdown: name, description, one line a parameter, one line a returned field. The text is the server's own
 * words: untrusted.
 *
 * At most 65,536 characters, cut behind a line; one line alone that is longer is cut inside.
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
  const lines = [`### ${tool.name}`, '']
  const text = pythonStrip(description ?? '')
  if (text !== '') lines.push(text.slice(0, MAX_LENGTH), '')
  section('Parameters', inputSchema, lines)
  if (outputSchema !== undefined) {
    lines.push('')
    section('Returns', outputSchema, lines)
  }
  return withinLength(lines)
}

/** Adds the lines of one schema, as long as there is room. */
function section(title: string, json: Uint8Array | undefined, lines: string[]): void {
  lines.push(`**${title}**`)
  const schema = json === undefined ? undefined : orderedValue(new JsonReader(json))
  const properties = isObject(schema) ? schema.get('properties') : undefined
  if (!isObject(schema) || !isObject(properties)) {
    lines.push(`- \`value\` (${typeLabel(schema)})`)
    return
  }
  // The original's words, under either title.
  if (properties.size === 0) lines.push('*(no parameters)*')
  const required = schema.get('required')
  const names = new Set(isList(required) ? required.filter((name) => typeof name === 'string') : [])
  const fields = new NestedFields(schema)
  let room = MAX_LENGTH
  for (const [name, property] of properties) {
    const line = fieldLine(name, property, names.has(name), fields)
    lines.push(line)
    room -= line.length + 1
    if (room < 0) return
  }
}

function withinLength(lines: readonly string[]): string {
  const text = lines.join('\n')
  if (text.length <= MAX_LENGTH) return text
  const end = text.lastIndexOf('\n', MAX_LENGTH)
  return text.slice(0, end > 0 ? end : MAX_LENGTH).toWellFormed()
}

function fieldLine(name: string, property: Ordered, required: boolean, fields: NestedFields): string {
  const notes = [typeLabel(property)]
  if (isObject(property)) {
    const values = enumValues(property)
    if (values !== undefined) notes.push(`one of ${values.join('/')}`)
    const fallback = property.get('default')
    if (fallback !== undefined && fallback !== null) notes.push(`default ${shown(spelled(fallback))}`)
  }
  if (required) notes.push('required')
  const nested = fields.of(property)
  return `- \`${name}\` (${notes.join(', ')})${nested === '' ? '' : `: ${nested}`}`
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
    const labels = new Set(variants.slice(0, MAX_VARIANTS).map((variant) => typeLabel(variant, depth + 1)))
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
  // Spelled alike is alike, but for what Python calls equal: 1, 1.0 and true. The first spelling is shown.
  const spellings = new Map<string, string>()
  for (const value of values) {
    const key = equalityKey(value)
    if (spellings.has(key)) continue
    if (spellings.size === MAX_ENUM) return undefined
    spellings.set(key, spelled(value))
  }
  return spellings.size === 0 ? undefined : [...spellings.values()].map(shown)
}

const shown = (text: string): string =>
  text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH).toWellFormed()}…` : text

/** All values of a union, where every variant but null lists its own. */
function unionValues(variants: readonly Ordered[]): readonly Ordered[] | undefined {
  const all: Ordered[] = []
  for (const variant of variants) {
    if (!isObject(variant)) return undefined
    if (variant.get('type') === 'null') continue
    const values = variant.get('enum')
    if (!isList(values)) return undefined
    all.push(...values.slice(0, MAX_VARIANTS))
  }
  return all
}

function equalityKey(value: Ordered): string {
  if (value === true) return '1'
  if (value === false) return '0'
  const text = spelled(value)
  if (typeof value !== 'object' || value === null || !('text' in value)) return text
  // Integers are equal digit by digit, however big; a fraction equals one only where it is one.
  return /^-?\d+$/.test(text) ? String(BigInt(text)) : String(Number(text))
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
