/**
 * Patterns of a schema, each with the engine that matches it in bounded time.
 * @module
 */

import type { PatternEngine } from '../../pattern/index.ts'
import type { Budget } from '../budget.ts'
import { cannotJudge } from '../errors.ts'
import { linearWidth } from './linear.ts'
import { parsePattern } from './parse.ts'
import { expandedSize, isAnchored, type Syntax, withoutTail } from './syntax.ts'
import { attemptWork, searchWork } from './work.ts'
import { writeRe2 } from './write-re2.ts'

/** How a pattern is matched: by the runtime, because it is provably linear there; by RE2; by the runtime, on short texts only. */
export type PatternKind = 'native' | 're2' | 'bounded'

/** A pattern ready to match. */
export interface Pattern {
  readonly kind: PatternKind
  readonly source: string
  /** What compiling took, in characters or instructions. */
  readonly cost: number
  /**
   * True where it matches anywhere in the text. Spends what that takes.
   *
   * @throws {SchemaValidationError} `string-too-long`, and those of the budget
   */
  test(text: string, budget: Budget): boolean
}

/** Why there is no pattern. */
export type PatternProblem = 'pattern-invalid' | 'pattern-unsupported' | 'pattern-engine-missing'

/** Longest text, in UTF-16 units, for a pattern with lookaround or backreference. */
export const MAX_BOUNDED_TEXT = 256
const MAX_SOURCE = 4096
/** Most sets of a pattern with its repetitions written out, as RE2 does. */
const MAX_RE2_SIZE = 4000
/** Most work of one attempt for a pattern tried at every place of a text. */
const MAX_ATTEMPT = 1000
const MAX_BOUNDED_WORK = 2_000_000
/** Characters the runtime's engine looks at in the time of one step. */
const NATIVE_GAIN = 32
/** Most steps of RE2 in one test, about 100 ms of its slow way. */
const MAX_RE2_STEPS = 2_000_000
/** RE2's steps in the time of one. */
const RE2_GAIN = 2

/** Compiles a pattern of a schema: ECMA-262 with flag `u`, not anchored. */
export function compilePattern(source: string, engine: PatternEngine | undefined): Pattern | PatternProblem {
  if (source.length > MAX_SOURCE) return 'pattern-unsupported'
  const native = nativeOf(source)
  if (native === undefined) return 'pattern-invalid'
  const syntax = parsePattern(source)
  if (syntax === undefined) return 'pattern-unsupported'
  const cost = nativeCost(syntax)
  if (cost !== undefined) return nativePattern(source, native, cost)
  const re2 = writeRe2(syntax)
  if (re2 !== undefined && expandedSize(syntax) <= MAX_RE2_SIZE) {
    if (engine === undefined) return 'pattern-engine-missing'
    const linear = engine.compile(re2)
    if (linear !== undefined) return re2Pattern(source, linear)
  }
  return searchWork(syntax, MAX_BOUNDED_TEXT) <= MAX_BOUNDED_WORK
    ? boundedPattern(source, native, syntax)
    : 'pattern-unsupported'
}

function nativeOf(source: string): RegExp | undefined {
  try {
    return new RegExp(source, 'u')
  } catch {
    return undefined
  }
}

/** Characters looked at for each character of the text, where that is a constant. */
function nativeCost(syntax: Syntax): number | undefined {
  if (isAnchored(syntax)) {
    const width = linearWidth(syntax)
    if (width !== undefined) return width
  }
  const attempt = attemptWork(withoutTail(syntax))
  return attempt <= MAX_ATTEMPT ? attempt : undefined
}

const nativePattern = (source: string, native: RegExp, cost: number): Pattern => ({
  kind: 'native',
  source,
  cost: source.length,
  test(text, budget) {
    budget.spend(1 + (text.length * cost) / NATIVE_GAIN)
    return native.test(text)
  },
})

const re2Pattern = (source: string, linear: NonNullable<ReturnType<PatternEngine['compile']>>): Pattern => ({
  kind: 're2',
  source,
  cost: linear.size,
  test(text, budget) {
    checkLength(text, Math.floor(MAX_RE2_STEPS / linear.size))
    const { hit, steps } = linear.run(text)
    budget.spend(1 + steps / RE2_GAIN)
    return hit
  },
})

const boundedPattern = (source: string, native: RegExp, syntax: Syntax): Pattern => ({
  kind: 'bounded',
  source,
  cost: source.length,
  test(text, budget) {
    checkLength(text, MAX_BOUNDED_TEXT)
    budget.spend(1 + searchWork(syntax, text.length) / NATIVE_GAIN)
    return native.test(text)
  },
})

function checkLength(text: string, limit: number): void {
  if (text.length > limit)
    cannotJudge('string-too-long', { limit }, `a string of more than ${limit} before its pattern`)
}
