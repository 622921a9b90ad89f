/**
 * The index behind ranked search: made once for a listing, holding none of its bytes.
 * @module
 */

import MiniSearch from 'minisearch'
import type { ListedTool } from '../../listing/index.ts'
import { FIELDS, type Field, fieldsOf } from './fields.ts'
import { ListingCache } from './listing-cache.ts'
import { QueryTerms } from './query-terms.ts'
import { TermReader } from './terms.ts'

/** Most different terms of an index, and most entries: what hostile text can make it hold. */
const MAX_VOCABULARY = 32_768
const MAX_ENTRIES = 1_000_000
/** Entries every tool has room for, however many tools there are. */
const MIN_SHARE = 128
/** Measured heap of one entry and of one term. */
const ENTRY_BYTES = 40
const TERM_BYTES = 700

// Tuned on the first half of a labelled set; all are on a wide plateau.
const BOOST: Readonly<Record<Field, number>> = {
  name: 2.5,
  title: 2,
  lead: 1.5,
  description: 1,
  parameters: 0.8,
  details: 0.6,
  nested: 0.3,
}
/** What a word of the query gives where it is only the beginning of a word, or misspelled. */
const LOOSE = { prefix: 0.3, fuzzy: 0.3 }
const FUZZY = 0.2
const NAME_BONUS = 0.5
/** Of a word of a name, where the query only means it. */
const MEANT = 0.7

const NAMES = Object.keys(FIELDS) as Field[]
type Document = { id: number } & Record<Field, string>

/** A word of a tool's name, and how much it tells the tool from others. */
interface NameWord {
  readonly terms: readonly string[]
  readonly share: number
}

const splitTerms = (text: string): string[] => (text === '' ? [] : text.split(' '))
const asIs = (term: string): string => term

/** Indexes of listings, each made once. */
export function rankedIndexes(): ListingCache<RankedIndex> {
  const reader = new TermReader()
  return new ListingCache((tools) => new RankedIndex(tools, reader))
}

/** Finds the places of tools in the listing it was made for. */
export class RankedIndex {
  readonly #reader: TermReader
  readonly #vocabulary = new Set<string>()
  readonly #names: (readonly NameWord[])[] = []
  readonly #index = new MiniSearch<Document>({ fields: NAMES, tokenize: splitTerms, processTerm: asIs })
  #entries = 0

  constructor(tools: readonly ListedTool[], reader: TermReader) {
    this.#reader = reader
    const share = Math.max(MIN_SHARE, Math.floor(MAX_ENTRIES / tools.length))
    const names: string[][][] = []
    for (const [id, tool] of tools.entries()) {
      const fields = fieldsOf(tool)
      if (fields === undefined) continue
      names[id] = this.#nameOf(fields.name)
      this.#index.add(this.#document(id, fields, share))
    }
    const counts = new Map<string, number>()
    for (const [word] of names.flat()) counts.set(word as string, (counts.get(word as string) ?? 0) + 1)
    for (const [id, words] of names.entries()) this.#names[id] = weighed(words ?? [], counts, tools.length)
  }

  /** About the bytes of memory it takes. */
  get bytes(): number {
    return this.#entries * ENTRY_BYTES + this.#vocabulary.size * TERM_BYTES
  }

  /** Places of the best tools, best first; tools that share nothing with the query are not found. */
  search(text: string, limit: number): number[] {
    const query = new QueryTerms(text, this.#reader, this.#vocabulary)
    const hits = this.#index.search(query.text, {
      tokenize: splitTerms,
      processTerm: asIs,
      boost: BOOST,
      boostTerm: (term) => query.weightOf(term),
      prefix: (term) => query.isBeginning(term),
      fuzzy: (term) => query.isMisspelled(term) && FUZZY,
      maxFuzzy: 2,
      weights: LOOSE,
    })
    const scored = hits.map(({ id, score, terms, queryTerms, match }) => {
      const inName = new Set(terms.filter((term) => match[term]?.includes('name')))
      // The library multiplies by the number of matching terms; counted here is how much of the need they are.
      const plain = score / queryTerms.length
      return {
        id: id as number,
        score: plain * query.shareOf(queryTerms) * (1 + NAME_BONUS * covered(this.#names[id as number] ?? [], inName)),
      }
    })
    scored.sort((left, right) => right.score - left.score || left.id - right.id)
    return scored.slice(0, limit).map(({ id }) => id)
  }

  /** The name's different words, each as the terms that may stand for it. */
  #nameOf(name: string): string[][] {
    const words = this.#reader.wordsOf(name, FIELDS.name)
    return [...new Map(words.map((terms) => [terms[0], terms])).values()]
  }

  /** Terms as text, for as long as there is room. */
  #document(id: number, fields: Readonly<Record<Field, string>>, share: number): Document {
    // Counted is what is read, whether or not the vocabulary has room for it.
    let room = share
    const entries = NAMES.map((field) => {
      const terms: string[] = []
      for (const { term } of this.#reader.termsOf(fields[field], room)) {
        if (room === 0) break
        room--
        if (!this.#vocabulary.has(term)) {
          if (this.#vocabulary.size >= MAX_VOCABULARY) continue
          this.#vocabulary.add(term)
        }
        terms.push(term)
      }
      return [field, terms.join(' ')] as const
    })
    this.#entries += share - room
    return { id, ...(Object.fromEntries(entries) as Record<Field, string>) }
  }
}

/** What all names of a catalog begin with says little about any of them. */
function weighed(words: readonly string[][], counts: ReadonlyMap<string, number>, tools: number): NameWord[] {
  const weights = words.map(([word]) => Math.log(1 + tools / (counts.get(word as string) as number)))
  const all = weights.reduce((sum, weight) => sum + weight, 0)
  return words.map((terms, index) => ({ terms, share: (weights[index] as number) / all }))
}

/** How much of a name the query covers, 0 … 1. */
function covered(name: readonly NameWord[], matching: ReadonlySet<string>): number {
  let sum = 0
  for (const { terms, share } of name) {
    const [word, ...meanings] = terms
    if (matching.has(word as string)) sum += share
    else if (meanings.some((meaning) => matching.has(meaning))) sum += share * MEANT
  }
  return sum
}
