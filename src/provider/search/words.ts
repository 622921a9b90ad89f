/**
 * From text to words: identifiers and prose, in every script.
 * @module
 */

/** Most UTF-16 units of one word: longer ones are no words. */
const MAX_WORD = 48

// Accents of Latin, Greek and Cyrillic; marks of other scripts are letters of theirs.
const ACCENTS = /[\u0300-\u036f]+/g
const WORD = /[\p{L}\p{N}\p{M}]+/gu
// Where words of an identifier meet: userName, HTMLPage, oauth2, 3d.
const SEAM = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})/gu
/** Scripts that put no blanks between words, and Hangul, which glues particles to them. */
const UNSPACED =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\u30fc]+/gu
const ASCII = /^[\x00-\x7f]*$/
const LOWER = /^[a-z]+$/

/** Compatibility forms and case folded in full, accents dropped: `Straße` is strasse, `Größe` is grosse. */
export const foldText = (text: string): string => foldCase(dropAccents(text))

const dropAccents = (text: string): string =>
  ASCII.test(text) ? text : text.normalize('NFKD').replace(ACCENTS, '').normalize('NFKC')
const foldCase = (text: string): string => (ASCII.test(text) ? text.toLowerCase() : text.toUpperCase().toLowerCase())

/** One word of a text. */
export interface Word {
  /** Folded. */
  readonly text: string
  /** True for a run of a script without blanks: not one word but some. */
  readonly isRun: boolean
}

/**
 * The words of a text in order, at most `limit`. An identifier gives its words and, where it has a seam inside, itself:
 * `get_userName` is get, username, user, name.
 */
export function wordsOf(text: string, limit: number): Word[] {
  const words: Word[] = []
  const put = (word: string, isRun = false): void => {
    const folded = foldCase(word)
    if (folded.length <= MAX_WORD || isRun) words.push({ text: folded, isRun })
  }
  for (const [whole] of dropAccents(text).matchAll(WORD)) {
    if (words.length >= limit) break
    // Most words by far.
    if (LOWER.test(whole)) {
      put(whole)
      continue
    }
    const spaced = whole.replace(UNSPACED, (run) => {
      put(run, true)
      return ' '
    })
    for (const part of spaced.split(' ')) {
      if (part === '') continue
      const parts = part.split(SEAM)
      put(part)
      if (parts.length > 1) for (const piece of parts) put(piece)
    }
  }
  return words.slice(0, limit)
}

/** Pairs of neighbouring characters; a single character is itself. */
export function pairsOf(run: string): string[] {
  const characters = [...run]
  if (characters.length === 1) return characters
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`)
}

/**
 * The common beginning of an English word's forms: create, creates, created and creating are `creat`. Light: two words of
 * different meaning rarely share one.
 */
export function stem(word: string): string {
  if (word.length < 4 || !LOWER.test(word)) return word
  let base = word
  if (base.endsWith('ies') && base.length > 4) base = `${base.slice(0, -3)}y`
  else if (/(?:s|x|z|ch|sh)es$/.test(base)) base = base.slice(0, -2)
  else if (base.endsWith('s') && !/(?:ss|us|is)$/.test(base)) base = base.slice(0, -1)
  const verb = /^([a-z]*[aeiouy][a-z]*)(?:ing|ed)$/.exec(base)?.[1]
  if (verb !== undefined && verb.length > 2) base = verb.replace(/([bdgklmnprt])\1$/, '$1')
  if (base.length > 3 && base.endsWith('e')) base = base.slice(0, -1)
  if (base.length > 3 && base.endsWith('y')) base = `${base.slice(0, -1)}i`
  return base
}
