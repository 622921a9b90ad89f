/**
 * What a search engine is, and the text engines search in.
 * @module
 */

import { JsonError, JsonReader } from '../../core/index.ts'
import type { ListedTool } from '../../listing/index.ts'
import { readEntry } from '../entry.ts'

/** What an engine is told beside the query. */
export interface SearchOptions {
  /** Fires when nobody waits for the hits any more. An engine that asks others should pass it on. */
  readonly signal?: AbortSignal | undefined
}

/**
 * The port behind every search: finds the tools of one listing that fit a query. `RankedSearch` and `RegexSearch` are two; hand in
 * your own – embeddings, say – to `searchTools` or to the proxy's setting `engines`.
 *
 * An engine answers with elements of `tools`, the caller's own listing of this moment: anything else is left out, so an engine
 * that remembers tools from elsewhere shows them to nobody. It may be asked many times at once.
 *
 * @example
 * ```ts
 * // Stands for a model: how often each letter occurs.
 * const embed = async (text: string) => Array.from('etaoinshr', (letter) => text.split(letter).length / (text.length + 1))
 * const engine: SearchEngine = {
 *   async search(query, tools, limit) {
 *     const wanted = await embed(query)
 *     const scored = await Promise.all(
 *       tools.map(async (tool) => {
 *         const { name = tool.name, description = '' } = toolText(tool) ?? {}
 *         const vector = await embed(`${name} ${description}`)
 *         return { tool, score: vector.reduce((sum, value, index) => sum + value * (wanted[index] ?? 0), 0) }
 *       }),
 *     )
 *     return scored.toSorted((left, right) => right.score - left.score).slice(0, limit).map(({ tool }) => tool)
 *   },
 * }
 * const { entries } = await searchTools('draw a chart', tools, { engine })
 * ```
 */
export interface SearchEngine {
  /**
   * The best hits first.
   *
   * @param query what is looked for, as the engine reads it: a need in words, a pattern
   * @param tools the listing to search in; do not change it
   * @param limit most hits wanted
   */
  search(
    query: string,
    tools: readonly ListedTool[],
    limit: number,
    options?: SearchOptions,
  ): Promise<readonly ListedTool[]>
}

/** The words of a tool, by where they stand. */
export interface ToolText {
  readonly name: string
  readonly title: string
  readonly description: string
  /** Names and descriptions of the input schema's top-level properties, in source order. */
  readonly parameters: readonly string[]
}

/**
 * The words of a tool that are searched, for engines of your own; undefined where its entry is not readable. Untrusted text of
 * any length: cut it before you index it.
 *
 * @example
 * ```ts
 * const json = new TextEncoder().encode('{"name":"get_user","description":"Fetch a user"}')
 * toolText({ name: 'get_user', json })?.description // 'Fetch a user'
 * ```
 */
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

/** Up to the first line break, or the first full stop that ends something: not the one in `v1.2`. */
export function firstSentence(text: string): string {
  const end = text.search(/\n|[.!?](?:\s|$)|[。！？]/)
  return end === -1 ? text : text.slice(0, end + 1)
}
