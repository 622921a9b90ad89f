/**
 * The words of a tool by where they stand, for ranking: bounded, however long the entry is.
 * @module
 */

import { JsonError, JsonReader } from '../../core/index.ts'
import type { ListedTool } from '../../listing/index.ts'
import { readEntry } from '../entry.ts'
import { firstSentence } from './engine.ts'

/** The fields, and for each the most UTF-16 units that are looked at. */
export const FIELDS = {
  name: 512,
  title: 512,
  lead: 1024,
  description: 4096,
  parameters: 2048,
  details: 4096,
  nested: 2048,
} as const
export type Field = keyof typeof FIELDS

const MAX_DEPTH = 16
const MAX_VALUE = 64
/** Keywords whose value is a schema, a list of schemas, or schemas by name. */
const INNER = new Set(['items', 'anyOf', 'oneOf', 'allOf', 'additionalProperties', 'prefixItems'])
const NAMED = new Set(['$defs', 'definitions'])

/** The text of each field; undefined where the entry is not readable. */
export function fieldsOf(tool: ListedTool): Record<Field, string> | undefined {
  try {
    const { title = '', description = '', inputSchema } = readEntry(tool)
    const text = description.slice(0, FIELDS.lead + FIELDS.description).trimStart()
    const lead = firstSentence(text).slice(0, FIELDS.lead)
    const schema = new SchemaWords()
    if (inputSchema !== undefined) schema.read(new JsonReader(inputSchema))
    return {
      name: tool.name.slice(0, FIELDS.name),
      title: title.slice(0, FIELDS.title),
      lead,
      description: text.slice(lead.length, lead.length + FIELDS.description),
      parameters: schema.parameters.text,
      details: schema.details.text,
      nested: schema.nested.text,
    }
  } catch (error) {
    if (JsonError.is(error)) return undefined
    throw error
  }
}

/** Text that takes no more than it has room for. */
class Text {
  text = ''
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  add(words: string): void {
    const room = this.#most - this.text.length
    if (room > 0) this.text += `${words.slice(0, room)} `
  }
}

/** Names, descriptions and values along a schema: those of the tool's own parameters apart from what is inside them. */
class SchemaWords {
  readonly parameters = new Text(FIELDS.parameters)
  readonly details = new Text(FIELDS.details)
  readonly nested = new Text(FIELDS.nested)

  /** One schema; `depth` 0 is the whole, 1 a parameter. */
  read(reader: JsonReader, depth = 0): void {
    if (reader.kind() !== 'object' || depth > MAX_DEPTH) return void reader.span()
    const prose = depth === 1 ? this.details : this.nested
    reader.object((keyword) => {
      const kind = reader.kind()
      if (keyword === 'properties' && kind === 'object') {
        const names = depth === 0 ? this.parameters : this.nested
        reader.object((name) => {
          names.add(name)
          this.read(reader, depth + 1)
        })
      } else if (depth > 0 && (keyword === 'description' || keyword === 'title') && kind === 'string') {
        prose.add(reader.string())
      } else if (depth > 0 && keyword === 'enum' && kind === 'array') {
        reader.array(() => {
          if (reader.kind() !== 'string') return void reader.span()
          const value = reader.string()
          if (value.length <= MAX_VALUE) prose.add(value)
        })
      } else if (NAMED.has(keyword) && kind === 'object') {
        reader.object(() => this.read(reader, depth + 2))
      } else if (INNER.has(keyword) && kind === 'array') {
        reader.array(() => this.read(reader, depth + 1))
      } else if (INNER.has(keyword)) this.read(reader, depth + 1)
      else reader.span()
    })
  }
}
