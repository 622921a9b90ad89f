/**
 * Schemas for the items of an array.
 * @module
 */

import type { Application, Evaluation, Run } from './run.ts'

/** `prefixItems`, `items`, `contains` and its counts. */
export function* items(here: Application, run: Run): Evaluation {
  const { node, scope, place: parent, marks } = here
  const value = here.value as readonly unknown[]
  const { prefixItems = [], items: rest, contains } = node
  let holds = true
  const end = rest === undefined ? Math.min(prefixItems.length, value.length) : value.length
  for (let index = 0; index < end; index++) {
    run.budget.spend(1)
    const target = prefixItems[index] ?? rest
    if (target === undefined) break
    const place = { parent, token: index }
    if (!(yield { node: target, value: value[index], place, scope, marks: undefined })) holds = false
  }
  if (marks !== undefined) marks.items = Math.max(marks.items, end)
  if (contains === undefined) return holds

  const mark = run.issues.mark
  let found = 0
  for (let index = 0; index < value.length; index++) {
    run.budget.spend(1)
    const place = { parent, token: index }
    if (!(yield { node: contains.node, value: value[index], place, scope, marks: undefined })) continue
    found++
    if (contains.marksItems) marks?.indexes.add(index)
  }
  run.issues.reset(mark)
  if (found >= contains.min && found <= contains.max) return holds
  const keyword = found > contains.max ? 'maxContains' : rawHas(here, 'minContains') ? 'minContains' : 'contains'
  run.issues.add(node, keyword, parent)
  return false
}

const rawHas = ({ node }: Application, name: string): boolean =>
  typeof node.raw === 'object' && node.raw !== null && Object.hasOwn(node.raw, name)

/** `unevaluatedItems`, after everything else. */
export function* unevaluatedItems({ node, scope, place: parent, value, marks }: Application, run: Run): Evaluation {
  const target = node.unevaluatedItems
  const list = value as readonly unknown[]
  if (target === undefined || marks === undefined) return true
  let holds = true
  for (let index = marks.items; index < list.length; index++) {
    run.budget.spend(1)
    if (marks.indexes.has(index)) continue
    const place = { parent, token: index }
    if (!(yield { node: target, value: list[index], place, scope, marks: undefined })) holds = false
  }
  marks.items = list.length
  return holds
}
