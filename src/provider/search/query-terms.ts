/**
 * The terms of a need.
 * @module
 */

import type { TermReader } from './terms.ts'
import { wordsOf } from './words.ts'

/** Most UTF-16 units, words and terms of a need that are looked at. */
const MAX_LENGTH = 1000
const MAX_WORDS = 48
const MAX_TERMS = 128
/** Words looked for among all that begin alike, and among all that are spelled nearly alike: the costly ways. */
const MAX_BEGINNINGS = 16
const MAX_MISSPELLED = 8
const LOOSE = /^[a-z0-9]{4,}$/

/** A need as an index looks for it: each term once, and how much of the whole it is. */
export class QueryTerms {
  readonly #terms = new Map<string, { readonly weight: number; readonly word: number }>()
  readonly #beginnings = new Set<string>()
  readonly #misspelled = new Set<string>()
  readonly #whole: number

  /** @param known the terms of the index: a word it does not have may be misspelled */
  constructor(text: string, reader: TermReader, known: ReadonlySet<string>) {
    // A run of a script without blanks is many words: each of its terms counts for itself.
    let words = 0
    for (const word of wordsOf(text.slice(0, MAX_LENGTH), MAX_WORDS)) {
      words++
      const [first] = reader.ofWord(word)
      const isKnown = word.isRun || first === undefined || known.has(first.term)
      for (const { term, weight } of reader.ofWord(word, !isKnown)) {
        if (word.isRun) words++
        const other = this.#terms.get(term)
        if (other === undefined ? this.#terms.size < MAX_TERMS : other.weight < weight) {
          this.#terms.set(term, { weight, word: words })
        }
      }
      if (first === undefined || first.weight < 1 || !LOOSE.test(first.term)) continue
      if (this.#beginnings.size < MAX_BEGINNINGS) this.#beginnings.add(first.term)
      if (!isKnown && this.#misspelled.size < MAX_MISSPELLED) this.#misspelled.add(first.term)
    }
    this.#whole = this.#weigh(this.#terms.keys())
  }

  /** The terms, one blank between. */
  get text(): string {
    return [...this.#terms.keys()].join(' ')
  }

  weightOf(term: string): number {
    return this.#terms.get(term)?.weight ?? 0
  }

  /** True where words that only begin with the term count too. */
  isBeginning(term: string): boolean {
    return this.#beginnings.has(term)
  }

  isMisspelled(term: string): boolean {
    return this.#misspelled.has(term)
  }

  /** How much of the need some of its terms are, 0 … 1: a word counts once, by its strongest term. */
  shareOf(terms: readonly string[]): number {
    return this.#weigh(terms) / this.#whole
  }

  #weigh(terms: Iterable<string>): number {
    const words = new Map<number, number>()
    for (const name of terms) {
      const term = this.#terms.get(name)
      if (term !== undefined) words.set(term.word, Math.max(words.get(term.word) ?? 0, term.weight))
    }
    let sum = 0
    for (const weight of words.values()) sum += weight
    return sum
  }
}
