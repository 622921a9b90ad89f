/**
 * Schemas that apply themselves to the value they are applied to, and so would never come to an end.
 * @module
 */

import { inPlace, type SchemaNode } from './nodes.ts'

/** A node on such a loop, or undefined. */
export function findLoop(nodes: readonly SchemaNode[]): SchemaNode | undefined {
  const left = new Set<SchemaNode>()
  const open = new Set<SchemaNode>()
  for (const start of nodes) {
    if (left.has(start)) continue
    open.add(start)
    const trail = [{ node: start, rest: inPlace(start) }]
    for (let top = trail.at(-1); top !== undefined; top = trail.at(-1)) {
      const next = top.rest.pop()
      if (next === undefined) {
        open.delete(top.node)
        left.add(top.node)
        trail.pop()
      } else if (open.has(next)) {
        return next
      } else if (!left.has(next)) {
        open.add(next)
        trail.push({ node: next, rest: inPlace(next) })
      }
    }
  }
  return undefined
}
