/**
 * A schema applied to a value: its own checks, the schemas applied in place, then those for the members.
 * @module
 */

import { kindOf } from '../keywords/assertions.ts'
import type { DynamicTarget, SchemaNode } from '../nodes.ts'
import { items, unevaluatedItems } from './items.ts'
import { Marks } from './marks.ts'
import { properties, unevaluatedProperties } from './properties.ts'
import { type Application, type Evaluation, judgeAlone, type Run, type Scope } from './run.ts'

/** Steps of a schema that applies others, beside what those take. */
const APPLICATION = 8

/** Applies a schema to a value. */
export function* evaluate(application: Application, run: Run): Evaluation {
  const { node, value, place, marks: outer } = application
  run.budget.spend(APPLICATION)
  const kind = kindOf(value)
  const isCounted = run.tracksEvaluation && (kind === 'object' || kind === 'array')
  // Marks of its own: what a neighbour or the schema around has looked at is not its concern.
  const asks = kind === 'object' ? node.unevaluatedProperties : node.unevaluatedItems
  const marks = isCounted && (outer !== undefined || asks !== undefined) ? new Marks() : undefined
  const here: Application = { node, value, place, marks, scope: scopeOf(node, application.scope) }

  let holds = judgeAlone(application, run)
  if (node.ref !== undefined && !(yield inPlace(here, node.ref))) holds = false
  if (node.dynamicRef !== undefined && !(yield inPlace(here, dynamicTarget(here, node.dynamicRef, run)))) holds = false
  if (node.allOf !== undefined) {
    for (const target of node.allOf) if (!(yield inPlace(here, target))) holds = false
  }
  if (node.dependentSchemas !== undefined && kind === 'object' && !(yield* dependents(here, run))) holds = false
  if (node.anyOf !== undefined && !(yield* choice(here, run, 'anyOf', node.anyOf))) holds = false
  if (node.oneOf !== undefined && !(yield* choice(here, run, 'oneOf', node.oneOf))) holds = false
  if (node.not !== undefined && !(yield* excluded(here, run, node.not))) holds = false
  if (node.if !== undefined && !(yield* condition(here, run, node.if))) holds = false
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

/** Another schema for the very same value; what it looks at counts here. */
const inPlace = ({ value, place, scope, marks }: Application, node: SchemaNode): Application => ({
  node,
  value,
  place,
  scope,
  marks,
})

const scopeOf = ({ resource }: SchemaNode, outer: Scope | undefined): Scope =>
  outer?.resource === resource ? outer : { resource, outer }

/** The schema a dynamic reference means here: that of the outermost resource with the anchor. */
function dynamicTarget({ scope }: Application, { anchor, node }: DynamicTarget, { budget }: Run): SchemaNode {
  if (anchor === undefined) return node
  let found = node
  for (let at = scope; at !== undefined; at = at.outer) {
    budget.spend(1)
    found = at.resource.dynamicAnchors.get(anchor) ?? found
  }
  return found
}

/** `dependentSchemas`, and the schemas of `dependencies`. */
function* dependents(here: Application, { budget }: Run): Evaluation {
  const { dependentSchemas = [] } = here.node
  budget.spend(dependentSchemas.length / 8)
  let holds = true
  for (const [name, target] of dependentSchemas) {
    if (Object.hasOwn(here.value as object, name) && !(yield inPlace(here, target))) holds = false
  }
  return holds
}

/** `anyOf` and `oneOf`. */
function* choice(
  here: Application,
  { issues }: Run,
  keyword: 'anyOf' | 'oneOf',
  targets: readonly SchemaNode[],
): Evaluation {
  const mark = issues.mark
  let satisfied = 0
  for (const target of targets) if (yield inPlace(here, target)) satisfied++
  if (keyword === 'anyOf' ? satisfied > 0 : satisfied === 1) {
    issues.reset(mark)
    return true
  }
  issues.add(here.node, keyword, here.place, [], mark)
  return false
}

function* excluded(here: Application, { issues }: Run, target: SchemaNode): Evaluation {
  const mark = issues.mark
  const isSatisfied = yield { ...inPlace(here, target), marks: undefined }
  issues.reset(mark)
  if (isSatisfied) issues.add(here.node, 'not', here.place)
  return !isSatisfied
}

function* condition(here: Application, { issues }: Run, target: SchemaNode): Evaluation {
  const mark = issues.mark
  const branch = (yield inPlace(here, target)) ? here.node.then : here.node.else
  issues.reset(mark)
  return branch === undefined || (yield inPlace(here, branch))
}
