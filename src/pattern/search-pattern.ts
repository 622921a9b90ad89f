/**
 * What a compiled search pattern is, and the harmless ones.
 * @module
 */

import { TABLE_GAIN } from './engine.ts'

/** A compiled search pattern. */
export interface SearchPattern {
  /** True where the pattern matches anywhere in the first 65,536 UTF-16 units of the text, or fewer for a huge pattern. */
  test(text: string): boolean
  /** Work done so far, in engine steps; one million take some 50 ms at worst. */
  readonly steps: number
}

/** UTF-16 units of a text that are searched. */
export const MAX_SEARCHED = 65_536

/** Words, and alternatives of words, run by the runtime's own engine: no construct that could backtrack. */
export function nativePattern(words: string): SearchPattern {
  const native = new RegExp(words, 'iu')
  let steps = 0
  return {
    get steps() {
      return steps
    },
    test(text) {
      const searched = text.slice(0, MAX_SEARCHED)
      steps += searched.length / TABLE_GAIN
      return native.test(searched)
    },
  }
}
