/**
 * A schema applied to a value: its own checks, the schemas applied in place, then those for the members.
 * @module
 */

import { kindOf } from '../keywords/assertions.ts'
import type { SchemaNode } from '../nodes.ts'
import { items, unevaluatedItems } from './items.ts'
import { Marks } from './marks.ts'
import { properties, unevaluatedProperties } from './properties.ts'
import { type Application, type Evaluation, judgeAlone, type Run, type Scope } from './run.ts'

/** Steps of a schema that applies others, beside what those take. */
const APPLICATION = 4

/** Applies a schema to a value. */
export function* evaluate(application: Application, run: Run): Evaluation {
  const { node, value, marks: outer } = application
  run.budget.spend(APPLICATION)
  const kind = kindOf(value)
  const isCounted = run.tracksEvaluation && (kind === 'object' || kind === 'array')
  // Marks of its own: what a neighbour or the schema around has looked at is not its concern.
  const asks = kind === 'object' ? node.unevaluatedProperties : node.unevaluatedItems
  const marks = isCounted && (outer !== undefined || asks !== undefined) ? new Marks() : undefined
  const here: Application = { ...application, marks, scope: scopeOf(node, application.scope) }

  let holds = judgeAlone(application, run)
  if (!(yield* inPlace(here, run))) holds = false
  if (kind === 'object') {
    if (!(yield* properties(here, run))) holds = false
    if (node.unevaluatedProperties !== undefined && !(yield* unevaluatedProperties(here, run))) holds = false
  } else if (kind === 'array') {
    if (!(yield* items(here, run))) holds = false
    if (node.unevaluatedItems !== undefined && !(yield* unevaluatedItems(here, run))) holds = false
  }
  if (holds && marks !== undefined) outer?.merge(marks, run.budget)
  return holds
}

const scopeOf = ({ resource }: SchemaNode, outer: Scope | undefined): Scope =>
  outer?.resource === resource ? outer : { resource, outer }

/** The schema a dynamic reference means here: that of the outermost resource with the anchor. */
function dynamicTarget({ node, scope }: Application, { budget }: Run): SchemaNode | undefined {
  if (node.dynamicRef === undefined) return undefined
  const { anchor, node: initial } = node.dynamicRef
  if (anchor === undefined) return initial
  let found = initial
  for (let at = scope; at !== undefined; at = at.outer) {
    budget.spend(1)
    found = at.resource.dynamicAnchors.get(anchor) ?? found
  }
  return found
}

/** The schemas for the value itself. */
function* inPlace(here: Application, run: Run): Evaluation {
  const { node, value, place } = here
  let holds = true
  const dynamic = dynamicTarget(here, run)
  // Their failures are this schema's, and what they have looked at it has.
  for (const target of [node.ref, dynamic, ...(node.allOf ?? [])]) {
    if (target !== undefined && !(yield { ...here, node: target })) holds = false
  }
  if (node.dependentSchemas !== undefined) {
    run.budget.spend(node.dependentSchemas.length / 8)
    for (const [name, target] of node.dependentSchemas) {
      const applies = kindOf(value) === 'object' && Object.hasOwn(value as object, name)
      if (applies && !(yield { ...here, node: target })) holds = false
    }
  }
  for (const [keyword, targets] of [
    ['anyOf', node.anyOf],
    ['oneOf', node.oneOf],
  ] as const) {
    if (targets === undefined) continue
    const mark = run.issues.mark
    let satisfied = 0
    for (const target of targets) if (yield { ...here, node: target }) satisfied++
    if (keyword === 'anyOf' ? satisfied > 0 : satisfied === 1) run.issues.reset(mark)
    else {
      holds = false
      run.issues.add(node, keyword, place, [], mark)
    }
  }
  if (node.not !== undefined) {
    const mark = run.issues.mark
    const isSatisfied = yield { ...here, node: node.not, marks: undefined }
    run.issues.reset(mark)
    if (isSatisfied) {
      holds = false
      run.issues.add(node, 'not', place)
    }
  }
  if (node.if !== undefined) {
    const mark = run.issues.mark
    const branch = (yield { ...here, node: node.if }) ? node.then : node.else
    run.issues.reset(mark)
    if (branch !== undefined && !(yield { ...here, node: branch })) holds = false
  }
  return holds
}
