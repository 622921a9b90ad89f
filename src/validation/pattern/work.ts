/**
 * An upper bound of what a backtracking engine does with a pattern: the ways through each part, multiplied.
 * @module
 */

import { isAnchored, type Syntax } from './syntax.ts'

interface Effort {
  /** Ways the part may match from one place. */
  readonly ways: number
  /** Characters looked at in taking all of them. */
  readonly work: number
}

/** Characters looked at in a search through a text of `length` UTF-16 units: infinite or huge where nothing bounds it. */
export const searchWork = (syntax: Syntax, length: number): number =>
  effort(syntax, length).work * (isAnchored(syntax) ? 1 : length + 1)

/** Characters looked at in one attempt, whatever the text's length. */
export const attemptWork = (syntax: Syntax): number => effort(syntax, Number.POSITIVE_INFINITY).work

function effort(syntax: Syntax, length: number): Effort {
  switch (syntax.kind) {
    case 'sequence': {
      let ways = 1
      let work = 1
      for (const part of syntax.parts) {
        const one = effort(part, length)
        work += ways * one.work
        ways *= one.ways
      }
      return { ways, work }
    }
    case 'choice': {
      const efforts = syntax.parts.map((part) => effort(part, length))
      return {
        ways: efforts.reduce((sum, { ways }) => sum + ways, 0),
        work: efforts.reduce((sum, { work }) => sum + work, 1),
      }
    }
    case 'repeat':
      return repeated(effort(syntax.part, length), syntax.min, Math.min(syntax.max, Math.max(length, syntax.min)))
    case 'look':
      // Entered again for each way to it, but left one way only.
      return { ways: 1, work: 1 + effort(syntax.part, length).work }
    case 'backreference':
      return { ways: 1, work: 1 + length }
    default:
      return { ways: 1, work: 1 }
  }
}

function repeated({ ways, work }: Effort, min: number, max: number): Effort {
  if (max === Number.POSITIVE_INFINITY) return { ways: max, work: max }
  if (ways === 1) return { ways: max - min + 1, work: 1 + work * max }
  // ways^min + … + ways^max, and the work of all rounds; overflow to infinity is an answer.
  const all = (ways ** (max + 1) - 1) / (ways - 1)
  return { ways: all, work: 1 + work * all }
}
