/**
 * What a text must hold before a pattern can match: lets most texts pass by the engine.
 * @module
 */

const LITERAL = /[A-Za-z0-9_ -]/
/** Escapes of one letter, one character wide or none: they say nothing, and hide nothing. */
const PLAIN_ESCAPE = /\\(?:[bBdDwWsSAz]|[^A-Za-z0-9])/y
/** A class without a class or an escape inside. */
const PLAIN_CLASS = /\[\^?\]?[^[\]\\]*\]/y
const COUNTED = /\{[^}]*\}/y
/** Flags that change no reading of the rest. */
const FLAGS = /\(\?[ims]+\)/y
const SPECIAL = /[\\[({*+?]/
const MAX_WORDS = 64
const MAX_DEPTH = 32

/** One of these stands in every text that matches. `undefined`: nothing is known. */
type Words = readonly string[] | undefined

/**
 * Words of which at least one stands, in either case, in every text that the pattern matches; undefined where none are known. For
 * patterns the engine has accepted: what is wrong with others is not looked for.
 *
 * @example
 * ```ts
 * requiredWords('(create|add).*comment') // ['comment']
 * ```
 */
export function requiredWords(pattern: string): Words {
  const reader = new Reader(pattern)
  const words = reader.alternatives(0)
  return reader.isAtEnd ? words : undefined
}

/** Reads the easy part of the syntax; at anything else it stands still, before the end. */
class Reader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  get isAtEnd(): boolean {
    return this.#at === this.#text.length
  }

  /** Some word of each alternative. */
  alternatives(depth: number): Words {
    let all: Words = []
    for (;;) {
      const words = this.#sequence(depth)
      all = all === undefined || words === undefined ? undefined : [...all, ...words]
      if (this.#text[this.#at] !== '|') return all !== undefined && all.length <= MAX_WORDS ? all : undefined
      this.#at++
    }
  }

  /** The best that one item of the sequence asks for: words that are long even where they are shortest. */
  #sequence(depth: number): Words {
    let best: Words
    let run = ''
    const end = (): void => {
      if (run !== '') best = better(best, [run])
      run = ''
    }
    for (
      let char = this.#text[this.#at];
      char !== undefined && char !== '|' && char !== ')';
      char = this.#text[this.#at]
    ) {
      let words: Words
      if (LITERAL.test(char)) this.#at++
      else if (char === '(' && !this.#skip(FLAGS)) {
        const group = this.#group(depth)
        if (group === STUCK) break
        words = group
      } else if (char !== '(' && !this.#passes()) break
      const repetition = this.#repetition()
      const isLiteral = LITERAL.test(char)
      if (isLiteral && repetition !== 'any') run += char
      if (!isLiteral || repetition !== 'once') end()
      if (repetition !== 'any' && words !== undefined) best = better(best, words)
    }
    end()
    return best
  }

  #group(depth: number): Words | typeof STUCK {
    if (depth === MAX_DEPTH) return STUCK
    const isPlain = this.#text[this.#at + 1] !== '?'
    if (!isPlain && this.#text[this.#at + 2] !== ':') return STUCK
    this.#at += isPlain ? 1 : 3
    const words = this.alternatives(depth + 1)
    if (this.#text[this.#at] !== ')') return STUCK
    this.#at++
    return words
  }

  /** Passes one item that says nothing. */
  #passes(): boolean {
    if (SPECIAL.test(this.#text[this.#at] as string)) return this.#skip(PLAIN_ESCAPE) || this.#skip(PLAIN_CLASS)
    this.#at++
    return true
  }

  /** How often the item before stands there; lazy operators are taken for further ones, which only asks for less. */
  #repetition(): 'once' | 'some' | 'any' {
    let times: 'once' | 'some' | 'any' = 'once'
    for (;;) {
      const char = this.#text[this.#at]
      if (char === '+') {
        this.#at++
        if (times === 'once') times = 'some'
      } else if (char === '*' || char === '?') {
        this.#at++
        times = 'any'
      } else if (char === '{' && this.#skip(COUNTED)) times = 'any'
      else return times
    }
  }

  #skip(what: RegExp): boolean {
    what.lastIndex = this.#at
    const length = what.exec(this.#text)?.[0].length ?? 0
    this.#at += length
    return length > 0
  }
}

const STUCK = Symbol('stuck')

const shortest = (words: Words): number => (words === undefined ? 0 : Math.min(...words.map(({ length }) => length)))

const better = (left: Words, right: Words): Words => (shortest(right) > shortest(left) ? right : left)
