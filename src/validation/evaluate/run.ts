/**
 * The evaluator's engine room: schemas are applied by generators that ask for one another, so that a stack on the heap stands in
 * for the runtime's, which ends where nobody can say.
 * @module
 */

import type { Budget } from '../budget.ts'
import { cannotJudge } from '../errors.ts'
import { kindOf } from '../keywords/assertions.ts'
import type { Resource, SchemaNode } from '../nodes.ts'
import type { Path } from '../path.ts'
import type { Issues } from './issues.ts'
import type { Marks } from './marks.ts'

/** The resources passed through on the way to a schema, innermost first. */
export interface Scope {
  readonly resource: Resource
  readonly outer: Scope | undefined
}

/** A schema to be applied to a value. */
export interface Application {
  readonly node: SchemaNode
  readonly value: unknown
  /** Where in the whole value `value` stands. */
  readonly place: Path | undefined
  readonly scope: Scope | undefined
  /** Where to note members looked at; undefined where nobody asks. */
  readonly marks: Marks | undefined
}

/** What the applications of one judgement share. */
export interface Run {
  readonly budget: Budget
  readonly issues: Issues
  readonly tracksEvaluation: boolean
}

/** Applies a schema; asks for others and is told whether they hold. */
export type Evaluation = Generator<Application, boolean, boolean>

/** Applications inside one another. Only a dynamic reference to itself, or a deep schema on a deep value, gets there. */
const MAX_NESTED = 20_000

/** Applies a schema that may apply others. */
export function drive(first: Application, run: Run, evaluate: (one: Application, run: Run) => Evaluation): boolean {
  const open = [evaluate(first, run)]
  let answer = false
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const step = top.next(answer)
    if (step.done) {
      answer = step.value
      open.pop()
    } else if (step.value.node.isLeaf) {
      answer = judgeAlone(step.value, run)
    } else {
      if (open.length >= MAX_NESTED) {
        cannotJudge('value-too-deep', { limit: MAX_NESTED }, `more than ${MAX_NESTED} schemas inside one another`)
      }
      open.push(evaluate(step.value, run))
    }
  }
  return answer
}

/** All a schema says without applying another. */
export function judgeAlone({ node, value, place }: Application, { budget, issues }: Run): boolean {
  budget.spend(1 + node.checks.length)
  if (node.fixed !== undefined) {
    if (!node.fixed) issues.add(node, 'false', place)
    return node.fixed
  }
  const kind = kindOf(value)
  let holds = true
  for (const check of node.checks) {
    if (check.kind !== undefined && check.kind !== kind) continue
    const failed = check.judge(value, budget)
    if (failed === undefined) continue
    holds = false
    issues.add(node, check.keyword, place, failed)
  }
  return holds
}
