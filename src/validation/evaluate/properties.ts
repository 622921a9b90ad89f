/**
 * Schemas for the members of an object.
 * @module
 */

import type { Application, Evaluation, Run } from './run.ts'

/** `properties`, `patternProperties`, `additionalProperties`, `propertyNames`. */
export function* properties(here: Application, run: Run): Evaluation {
  const { node, scope, place: parent, marks } = here
  const { properties: named, patternProperties = [], additionalProperties, propertyNames } = node
  if (named === undefined && patternProperties.length === 0 && (additionalProperties ?? propertyNames) === undefined) {
    return true
  }
  const value = here.value as Readonly<Record<string, unknown>>
  const looksAtAll = patternProperties.length > 0 || (additionalProperties ?? propertyNames) !== undefined
  let holds = true
  for (const name of Object.keys(value)) {
    run.budget.spend(1)
    const own = named?.get(name)
    if (own === undefined && !looksAtAll) continue
    const place = { parent, token: name }
    const member = { value: value[name], place, scope, marks: undefined }
    let isKnown = own !== undefined
    if (own !== undefined && !(yield { ...member, node: own })) holds = false
    for (const { pattern, node: target } of patternProperties) {
      if (!pattern.test(name, run.budget)) continue
      isKnown = true
      if (!(yield { ...member, node: target })) holds = false
    }
    if (!isKnown && additionalProperties !== undefined) {
      isKnown = true
      if (!(yield { ...member, node: additionalProperties })) holds = false
    }
    if (isKnown) marks?.names.add(name)
    if (propertyNames !== undefined && !(yield { ...member, node: propertyNames, value: name })) holds = false
  }
  return holds
}

/** `unevaluatedProperties`, after everything else. */
export function* unevaluatedProperties(
  { node, scope, place: parent, value, marks }: Application,
  run: Run,
): Evaluation {
  const target = node.unevaluatedProperties
  if (target === undefined || marks === undefined || marks.allNames) return true
  let holds = true
  for (const name of Object.keys(value as object)) {
    run.budget.spend(1)
    if (marks.names.has(name)) continue
    const member = (value as Readonly<Record<string, unknown>>)[name]
    if (!(yield { node: target, value: member, place: { parent, token: name }, scope, marks: undefined })) holds = false
  }
  marks.allNames = true
  return holds
}
