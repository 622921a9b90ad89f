/**
 * A proof that a backtracking engine takes linear time: at every place of the pattern, the next character decides the way.
 *
 * The sets of a pattern are numbered, and each is linked with those that may come next. Where all that may come next exclude each
 * other, and no link is there for two reasons, each way not taken fails at its first character. What cannot be shown here may
 * still be harmless; it is not run.
 * @module
 */

import { overlaps, type Ranges } from './charset.ts'
import type { Syntax } from './syntax.ts'

const MAX_SETS = 400
const MAX_LINKS = 20_000
const MAX_COMPARISONS = 40_000
/** A single set repeated more often than this is a loop to the proof. */
const MAX_COPIES = 16

interface Part {
  readonly nullable: boolean
  readonly first: readonly number[]
  readonly last: readonly number[]
}

class Unproven extends Error {}

/** Most ways to compare at one character, or undefined where nothing is proven. */
export function linearWidth(syntax: Syntax): number | undefined {
  const sets: Ranges[] = []
  const next: Set<number>[] = []
  let links = 0

  const link = (from: readonly number[], to: readonly number[]): void => {
    links += from.length * to.length
    if (links > MAX_LINKS) throw new Unproven()
    for (const one of from) {
      const known = next[one] as Set<number>
      for (const other of to) {
        // Two ways to the same place: what fails after it would be tried twice, at every turn of a loop.
        if (known.has(other)) throw new Unproven()
        known.add(other)
      }
    }
  }
  const nothing: Part = { nullable: true, first: [], last: [] }
  const then = (left: Part, right: Part): Part => {
    link(left.last, right.first)
    return {
      nullable: left.nullable && right.nullable,
      first: left.nullable ? [...left.first, ...right.first] : left.first,
      last: right.nullable ? [...left.last, ...right.last] : right.last,
    }
  }
  const optional = (part: Part): Part => {
    if (part.nullable) throw new Unproven()
    return { ...part, nullable: true }
  }
  const looped = (part: Part): Part => {
    if (part.nullable) throw new Unproven()
    link(part.last, part.first)
    return part
  }
  const visit = (node: Syntax): Part => {
    switch (node.kind) {
      case 'set': {
        const place = sets.length
        if (place >= MAX_SETS) throw new Unproven()
        sets.push(node.ranges)
        next.push(new Set())
        return { nullable: false, first: [place], last: [place] }
      }
      case 'edge':
        return nothing
      case 'sequence':
        return node.parts.map(visit).reduce(then, nothing)
      case 'choice': {
        const parts = node.parts.map(visit)
        if (parts.filter(({ nullable }) => nullable).length > 1) throw new Unproven()
        return {
          nullable: parts.some(({ nullable }) => nullable),
          first: parts.flatMap(({ first }) => first),
          last: parts.flatMap(({ last }) => last),
        }
      }
      case 'repeat':
        return repeat(node)
      default:
        throw new Unproven()
    }
  }
  const repeat = ({ part, min, max }: Extract<Syntax, { kind: 'repeat' }>): Part => {
    if (max === 0) return nothing
    if (part.kind === 'set' && (max > MAX_COPIES || min > MAX_COPIES)) {
      const loop = looped(visit(part))
      return min === 0 ? optional(loop) : loop
    }
    const isEndless = max === Number.POSITIVE_INFINITY
    if (Math.max(min, isEndless ? 1 : max) > MAX_SETS) throw new Unproven()
    let tail = nothing
    // From the last copy to the first: each optional one holds all that may follow it.
    const rest = isEndless ? (min === 0 ? 1 : 0) : max - min
    for (let copy = 0; copy < rest; copy++) {
      tail = optional(isEndless ? looped(visit(part)) : then(visit(part), tail))
    }
    for (let copy = 0; copy < min; copy++) {
      const one = visit(part)
      if (one.nullable) throw new Unproven()
      tail = then(isEndless && copy === 0 ? looped(one) : one, tail)
    }
    return tail
  }

  try {
    const whole = visit(syntax)
    let comparisons = 0
    const excludeEachOther = (places: readonly number[]): boolean => {
      comparisons += places.length ** 2
      if (comparisons > MAX_COMPARISONS) return false
      return places.every((one, index) =>
        places.slice(index + 1).every((other) => !overlaps(sets[one] as Ranges, sets[other] as Ranges)),
      )
    }
    const steps = [whole.first, ...next.map((places) => [...places])]
    return steps.every(excludeEachOther) ? Math.max(1, ...steps.map(({ length }) => length)) : undefined
  } catch (error) {
    if (error instanceof Unproven) return undefined
    throw error
  }
}
