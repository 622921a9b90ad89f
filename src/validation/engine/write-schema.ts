/**
 * The schema for the other engine, written anew from what was read: known keywords only, one kind of reference, a meter in every
 * part. No name a stranger chose reaches it but those of properties.
 * @module
 */

import type { Schema } from '@cfworker/json-schema'
import { JsonNumber } from '../../json/index.ts'
import { type Copied, isObject } from '../copy.ts'
import { rawObject, type SchemaNode } from '../nodes.ts'
import type { Prepared } from '../prepare.ts'
import type { Meter, Price } from './meter.ts'

/** Schemas inside one another without a reference: its frames are large, and the stack's end is unknown. */
const MAX_NESTED = 128
/** Most units of one part: a larger `enum` is looked up elsewhere. */
const MAX_WEIGHT = 10_000
const CHARACTERS = 16

type Names = Record<string, unknown>

/** A part of the schema that counts its own applications: each reads this member, which says nothing, exactly once. */
class Part {
  [keyword: string]: unknown
  readonly #meter: Meter
  readonly #price: Price

  constructor(meter: Meter, price: Price = newPrice()) {
    this.#meter = meter
    this.#price = price
  }

  get $recursiveRef(): undefined {
    return this.#meter.take(this.#price)
  }
}

/** Thrown where the other engine is better not asked. */
class NotForIt extends Error {}

/** A schema as the other engine takes it. */
export interface EngineSchema {
  readonly root: Schema
  /** Schemas that are referred to, by the `$ref` that does. */
  readonly targets: Readonly<Record<string, Schema>>
}

/** The schema, or undefined where the other engine would judge by it wrongly or at too high a price. */
export function writeEngineSchema(prepared: Prepared, meter: Meter): EngineSchema | undefined {
  try {
    return new Writer(prepared, meter).write()
  } catch (error) {
    if (error instanceof NotForIt) return undefined
    throw error
  }
}

class Writer {
  readonly #prepared: Prepared
  readonly #meter: Meter
  /** Schemas that are referred to, and the `$ref` each is reached by. */
  readonly #references = new Map<SchemaNode, string>()

  constructor(prepared: Prepared, meter: Meter) {
    this.#prepared = prepared
    this.#meter = meter
    for (const { ref } of prepared.nodes) {
      if (ref !== undefined && !this.#references.has(ref)) this.#references.set(ref, `#${this.#references.size}`)
    }
  }

  write(): EngineSchema {
    const targets = named([...this.#references].map(([node, $ref]) => [$ref, this.#part(node, 0)]))
    return { root: this.#schema(this.#prepared.root, 0), targets } as unknown as EngineSchema
  }

  /** A schema where it is applied: itself, or the reference to where it is written. */
  #schema(node: SchemaNode, depth: number): Part {
    const $ref = this.#references.get(node)
    return $ref === undefined ? this.#part(node, depth) : Object.assign(new Part(this.#meter), { $ref })
  }

  #part(node: SchemaNode, depth: number): Part {
    if (depth > MAX_NESTED) throw new NotForIt()
    const price = newPrice()
    const part = new Part(this.#meter, price)
    // As `true` or `false` it would not be counted.
    if (node.fixed === false) part.not = {}
    this.#writeChecks(node, part, price)
    this.#writeSchemas(node, part, price, (child) => this.#schema(child, depth + 1))
    if (price.weight > MAX_WEIGHT) throw new NotForIt()
    return part
  }

  #writeChecks(node: SchemaNode, part: Part, price: Price): void {
    for (const { keyword } of node.checks) {
      const value = rawObject(node)[keyword] as Copied
      price.weight += weigh(value)
      if (keyword === 'pattern' || keyword.endsWith('Length')) price.readsText = true
      if (keyword === 'uniqueItems') price.isUnique = true
      if (keyword === 'dependencies' || keyword === 'dependentRequired') {
        if (part.dependentRequired !== undefined) throw new NotForIt()
        const entries = Object.entries(value as Names).filter(([, names]) => Array.isArray(names))
        part.dependentRequired = named(entries)
      } else if (this.#prepared.edition === 4 && (keyword === 'minimum' || keyword === 'maximum')) {
        const exclusive = keyword === 'minimum' ? 'exclusiveMinimum' : 'exclusiveMaximum'
        part[rawObject(node)[exclusive] === true ? exclusive : keyword] = value
      } else part[keyword] = value
    }
  }

  #writeSchemas(node: SchemaNode, part: Part, price: Price, write: (child: SchemaNode) => Part): void {
    if (node.ref !== undefined) part.$ref = this.#references.get(node.ref)
    for (const name of LISTS) if (node[name] !== undefined) part[name] = node[name].map(write)
    for (const name of SINGLES) if (node[name] !== undefined) part[name] = write(node[name])
    if (node.properties !== undefined) {
      price.weight += node.properties.size / 2
      part.properties = named([...node.properties].map(([name, child]) => [name, write(child)]))
    }
    if (node.patternProperties !== undefined) {
      price.patterns += node.patternProperties.length
      price.readsText = true
      part.patternProperties = named(
        node.patternProperties.map(({ pattern, node: child }) => [pattern.source, write(child)]),
      )
    }
    if (node.dependentSchemas !== undefined) {
      const names = new Set(node.dependentSchemas.map(([name]) => name))
      if (names.size < node.dependentSchemas.length) throw new NotForIt()
      price.weight += names.size / 2
      part.dependentSchemas = named(node.dependentSchemas.map(([name, child]) => [name, write(child)]))
    }
    if (node.contains !== undefined) {
      const { node: child, min, max } = node.contains
      part.contains = write(child)
      if (min !== 1) part.minContains = min
      if (max !== Number.POSITIVE_INFINITY) part.maxContains = max
    }
  }
}

const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'] as const
const SINGLES = ['not', 'if', 'then', 'else', 'additionalProperties', 'propertyNames', 'items'] as const

const newPrice = (): Price => ({ weight: 0, patterns: 0, readsText: false, isUnique: false })

/** An object of names that strangers chose. */
const named = (entries: readonly (readonly [string, unknown])[]): Names => {
  const object: Names = Object.create(null)
  for (const [name, value] of entries) object[name] = value
  return object
}

/** Units of going through a keyword's value once. */
function weigh(value: Copied): number {
  if (value instanceof JsonNumber) throw new NotForIt()
  if (typeof value === 'string') return 1 + value.length / CHARACTERS
  if (Array.isArray(value)) return value.reduce((sum: number, item: Copied) => sum + weigh(item), 1)
  if (!isObject(value)) return 1
  return Object.entries(value).reduce((sum, [name, member]) => sum + name.length / CHARACTERS + weigh(member), 1)
}
