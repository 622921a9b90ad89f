/**
 * What a search engine is, and the text engines search in.
 * @module
 */

import { JsonError, JsonReader } from '../../core/index.ts'
import type { ListedTool } from '../../listing/index.ts'
import { readEntry } from '../entry.ts'

/** Ranks the tools of one listing against a query. */
export interface SearchEngine {
  /** The best hits first, at most `limit`. */
  search(query: string, tools: readonly ListedTool[], limit: number): Promise<readonly ListedTool[]>
}

/** The words of a tool, by where they stand. */
export interface ToolText {
  readonly name: string
  readonly title: string
  readonly description: string
  /** Names and descriptions of the input schema's top-level properties, in source order. */
  readonly parameters: readonly string[]
}

/** The searchable words of a tool; undefined where its entry is not readable. */
export function toolText(tool: ListedTool): ToolText | undefined {
  try {
    const { title = '', description = '', inputSchema } = readEntry(tool)
    return { name: tool.name, title, description, parameters: inputSchema === undefined ? [] : parameters(inputSchema) }
  } catch (error) {
    if (JsonError.is(error)) return undefined
    throw error
  }
}

function parameters(schema: Uint8Array): string[] {
  const words: string[] = []
  const reader = new JsonReader(schema)
  if (reader.kind() !== 'object') return words
  reader.object((member) => {
    if (member !== 'properties' || reader.kind() !== 'object') return void reader.span()
    reader.object((name) => {
      words.push(name)
      if (reader.kind() !== 'object') return void reader.span()
      reader.object((keyword) => {
        if (keyword === 'description' && reader.kind() === 'string') {
          const description = reader.string()
          if (description !== '') words.push(description)
        } else reader.span()
      })
    })
  })
  return words
}
