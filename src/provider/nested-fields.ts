/**
 * The names of the fields inside a property, for its line of a summary.
 * @module
 */

import { isList, isObject, type Ordered, type OrderedObject } from './ordered.ts'

const MAX_SHOWN = 16
/** Schemas looked into and names taken for one schema document: references may loop, share and explode. */
const MAX_STEPS = 100_000
/** No honest reference is longer, in characters. */
const MAX_REFERENCE = 2048
const BRANCHES = ['anyOf', 'oneOf', 'allOf'] as const

type Task = { readonly schema: Ordered | undefined } | { readonly names: OrderedObject }

/** Looks through items, unions and references of one document. Each schema is visited once a property. */
export class NestedFields {
  readonly #root: OrderedObject
  #steps = MAX_STEPS

  constructor(root: OrderedObject) {
    this.#root = root
  }

  /** Up to 16 names in backquotes and how many more there are; empty where there are none, or no steps left. */
  of(property: Ordered): string {
    const names = this.#collect(property)
    const shown = [...names.keys()].slice(0, MAX_SHOWN).map((name) => `\`${name}\``)
    if (names.size > MAX_SHOWN) shown.push(`+${names.size - MAX_SHOWN} more`)
    return shown.join(', ')
  }

  /** In the original's order: what a schema is made of goes before its own properties. Its own stack: chains may be long. */
  #collect(property: Ordered): Set<string> {
    const names = new Set<string>()
    const seen = new Set<OrderedObject>()
    const tasks: Task[] = [{ schema: property }]
    for (let task = tasks.pop(); task !== undefined && this.#steps > 0; task = tasks.pop()) {
      this.#steps--
      if ('names' in task) {
        for (const name of task.names.keys()) {
          if (--this.#steps < 0) break
          names.add(name)
        }
      } else if (isObject(task.schema) && !seen.has(task.schema)) {
        seen.add(task.schema)
        for (const part of this.#parts(task.schema).toReversed()) tasks.push(part)
      }
    }
    return names
  }

  #parts(schema: OrderedObject): Task[] {
    const parts: Task[] = []
    const reference = schema.get('$ref')
    if (typeof reference === 'string') parts.push({ schema: this.#resolve(reference) })
    if (schema.get('type') === 'array') parts.push({ schema: schema.get('items') })
    for (const keyword of BRANCHES) {
      const branches = schema.get(keyword)
      if (!isList(branches)) continue
      for (const branch of branches.slice(0, Math.max(this.#steps, 0))) parts.push({ schema: branch })
    }
    const properties = schema.get('properties')
    if (isObject(properties)) parts.push({ names: properties })
    return parts
  }
  /** A reference by JSON Pointer inside the document; nothing else is ever followed. Its segments are steps too. */
  #resolve(reference: string): Ordered | undefined {
    if (!reference.startsWith('#/') || reference.length > MAX_REFERENCE) return undefined
    let value: Ordered | undefined = this.#root
    for (const step of reference.slice(2).split('/')) {
      if (!isObject(value) || --this.#steps < 0) return undefined
      value = value.get(step.replaceAll('~1', '/').replaceAll('~0', '~'))
    }
    return value
  }
}
