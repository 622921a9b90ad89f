/**
 * From text to the terms of an index: stems of words, pairs of characters, meanings.
 * @module
 */

import { Meanings } from './meanings.ts'
import { pairsOf, stem, type Word, wordsOf } from './words.ts'

/** One term of a text. */
export interface Term {
  readonly term: string
  /** How much it says, 0 … 1. */
  readonly weight: number
}

// Tuned on the first half of a labelled set; all are on a wide plateau.
const PAIR_WEIGHT = 0.6
const MEANING_WEIGHT = 0.5
const STOP_WEIGHT = 0.2

/** Words of a need that hardly tell tools apart. */
const STOP_WORDS = new Set(
  (
    'a an and any are as at be been but by can could do does for from had has have how i if in into is it its just me my no ' +
    'not of off on one or our out over so some than that the their them then there these they this those to too up us was we ' +
    'were what when where who why will with would you your want need please let'
  )
    .split(' ')
    .map(stem),
)

/** Words a reader remembers: a catalog says the same ones over and over. */
const MAX_MEMORY = 16_384
/** UTF-16 units of a run of a script without blanks: more than a sentence, and its marks end one. */
const MAX_RUN = 256
const NOTHING: readonly Term[] = []

/** Reads terms. Pure but for its memory. */
export class TermReader {
  readonly #meanings: Meanings
  readonly #memory = new Map<string, readonly Term[]>()

  constructor(meanings: Meanings = new Meanings()) {
    this.#meanings = meanings
  }

  /** The terms of a text, word after word, at most `limit`. */
  termsOf(text: string, limit: number): Term[] {
    const terms: Term[] = []
    for (const word of wordsOf(text, limit)) {
      for (const term of this.ofWord(word)) {
        if (terms.length >= limit) return terms
        terms.push(term)
      }
    }
    return terms
  }

  /** The terms of each word that has some. */
  wordsOf(text: string, limit: number): string[][] {
    const words = wordsOf(text, limit).map((word) => this.ofWord(word).map(({ term }) => term))
    return words.filter((terms) => terms.length > 0)
  }

  /**
   * The terms of one word, none for a single letter.
   *
   * @param guess where no meaning is known, take that of an English word that begins alike; default false
   */
  ofWord({ text, isRun }: Word, guess = false): readonly Term[] {
    if (isRun) return this.#ofRun(text)
    if (text.length < 2) return NOTHING
    const key = guess ? `?${text}` : text
    let terms = this.#memory.get(key)
    if (terms === undefined) {
      const stemmed = stem(text)
      const isStop = STOP_WORDS.has(stemmed)
      const meanings = isStop ? [] : this.#meanings.ofWord(text, stemmed, guess)
      terms = [
        { term: stemmed, weight: isStop ? STOP_WEIGHT : 1 },
        ...meanings.map((term) => ({ term, weight: MEANING_WEIGHT })),
      ]
      if (this.#memory.size < MAX_MEMORY) this.#memory.set(key, terms)
    }
    return terms
  }

  #ofRun(whole: string): Term[] {
    const run = whole.slice(0, MAX_RUN)
    return [
      ...pairsOf(run).map((term) => ({ term, weight: PAIR_WEIGHT })),
      ...this.#meanings.ofRun(run).map((term) => ({ term, weight: MEANING_WEIGHT })),
    ]
  }
}
