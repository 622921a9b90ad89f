/**
 * Search by a regular expression.
 * @module
 */

import type { ListedTool } from '../../listing/index.ts'
import { compileSearchPattern, MAX_SEARCHED, type SearchPattern } from '../../pattern/index.ts'
import { firstSentence, type SearchEngine, toolText } from './engine.ts'
import { type Kept, ListingCache } from './listing-cache.ts'

/** Most steps of one search, about a second of the engine's slow way; then it answers with what it has found. */
const MAX_STEPS = 20_000_000

/** How a pattern search answers. */
export interface RegexSearchOptions {
  /**
   * Order of the hits: by where they match – name, then title or first sentence, then description, then parameters – or
   * as the catalog lists them, as the original does. Default `'place'`.
   */
  readonly order?: 'place' | 'catalog'
  /**
   * Writes down what a server finds with this search (`attachSearch`): one entry a hit, in their order. Default
   * `describeSchemaTools`, within the byte bounds of an answer; the bounds of a serializer of your own are your own.
   */
  readonly serialize?: SerializeTools
}

/** Entries for tools that were found: JSON values. */
export type SerializeTools = (tools: readonly ListedTool[]) => Promise<readonly unknown[]>

/**
 * Finds tools whose name, description or parameters match a case-insensitive pattern (no lookaround, no backreference, at most
 * 1,000 characters). An invalid pattern finds nothing; a costly one finds what about a second of work gives.
 *
 * The texts of a listing are kept for as long as its bytes stay the same: up to eight listings and 64 MiB an engine, so keep one
 * engine for many searches.
 *
 * @example
 * ```ts
 * const tools = [{ name: 'get_user', json: new TextEncoder().encode('{"name":"get_user","inputSchema":{}}') }]
 * const [first] = await new RegexSearch().search('^get_(user|team)$', tools, 5)
 * first?.name // 'get_user'
 * ```
 */
export class RegexSearch implements SearchEngine {
  /** As given; undefined where nothing was. */
  readonly serialize: SerializeTools | undefined
  readonly #byPlace: boolean
  readonly #texts = new ListingCache(searchedTexts)

  constructor({ order = 'place', serialize }: RegexSearchOptions = {}) {
    this.serialize = serialize
    this.#byPlace = order === 'place'
  }

  async search(query: string, tools: readonly ListedTool[], limit: number): Promise<readonly ListedTool[]> {
    // The caller's array may change while something is awaited.
    const listed = [...tools]
    const pattern = await compileSearchPattern(query)
    if (pattern === undefined) return []
    const { texts } = await this.#texts.of(listed)
    const hits: { readonly id: number; readonly place: number }[] = []
    let certain = 0
    for (const [id, text] of texts.entries()) {
      // What was found in bounded work is of more use than nothing.
      if (pattern.steps > MAX_STEPS || certain >= limit) break
      if (text === undefined || !pattern.test(text.whole)) continue
      const place = this.#byPlace ? placeOf(pattern, text) : 0
      hits.push({ id, place })
      // Nothing later can go before a hit in the first place.
      if (place === 0) certain++
    }
    // The sort is stable: within one place the catalog's order stays.
    hits.sort((left, right) => left.place - right.place)
    return hits.slice(0, limit).map(({ id }) => listed[id] as ListedTool)
  }
}

/** What is searched of a tool. */
interface SearchedText {
  /** One text a tool, so that a match may span its parts; the parts are those the original searches. */
  readonly whole: string
  readonly name: string
  readonly title: string
  readonly lead: string
  readonly description: string
}

/** The texts of a listing; undefined for an entry that is not readable. */
function searchedTexts(tools: readonly ListedTool[]): Kept & { readonly texts: readonly (SearchedText | undefined)[] } {
  let bytes = 0
  const texts = tools.map((tool) => {
    const text = toolText(tool)
    if (text === undefined) return undefined
    const [name, title, description] = [text.name, text.title, text.description].map(searched) as [
      string,
      string,
      string,
    ]
    const whole = searched([name, ...(description === '' ? [] : [description]), ...text.parameters].join(' '))
    bytes += 2 * (whole.length + title.length + description.length)
    return { whole, name, title, lead: firstSentence(description.trimStart()), description }
  })
  return { texts, bytes }
}

const searched = (text: string): string => text.slice(0, MAX_SEARCHED)

/** 0 name, 1 title or first sentence, 2 description, 3 parameters: the best place the pattern matches in alone. */
function placeOf(pattern: SearchPattern, { name, title, lead, description }: SearchedText): number {
  if (pattern.test(name)) return 0
  if (pattern.test(title) || pattern.test(lead)) return 1
  return pattern.test(description) ? 2 : 3
}
