/**
 * Keywords that apply schemas, to the value itself or to its members.
 * @module
 */

import { type Copied, isObject } from '../copy.ts'
import type { Edition } from '../dialect.ts'
import type { SchemaNode } from '../nodes.ts'
import { addDependentNames } from './assertions.ts'
import type { Keyword, KeywordContext } from './context.ts'
import { asCount, asList, asNames, isSchema } from './shapes.ts'

type OneSchema =
  | 'not'
  | 'if'
  | 'then'
  | 'else'
  | 'additionalProperties'
  | 'propertyNames'
  | 'unevaluatedProperties'
  | 'unevaluatedItems'

const one = (name: OneSchema, from: Edition): readonly [string, Keyword] => [
  name,
  {
    from,
    read(value, { node, child }) {
      if (!isSchema(value)) return false
      node[name] = child(value, name)
      return true
    },
  },
]

const many = (name: 'allOf' | 'anyOf' | 'oneOf'): readonly [string, Keyword] => [
  name,
  {
    from: 4,
    read(value, context) {
      const nodes = schemaList(value, name, context)
      if (nodes === undefined) return false
      context.node[name] = nodes
      return true
    },
  },
]

function schemaList(value: Copied, name: string, { child }: KeywordContext): readonly SchemaNode[] | undefined {
  const list = asList(value)
  if (list === undefined || list.length === 0 || !list.every(isSchema)) return undefined
  return list.map((raw, index) => child(raw, name, index))
}

function schemaMap(value: Copied, name: string, { child }: KeywordContext): Map<string, SchemaNode> | undefined {
  if (!isObject(value) || !Object.values(value).every(isSchema)) return undefined
  return new Map(Object.entries(value).map(([key, raw]) => [key, child(raw, name, key)]))
}

/** Schemas that wait to be referred to. */
const shelf = (name: string, from: Edition): readonly [string, Keyword] => [
  name,
  { from, read: (value, context) => schemaMap(value, name, context) !== undefined },
]

function readProperties(value: Copied, context: KeywordContext): boolean {
  const nodes = schemaMap(value, 'properties', context)
  if (nodes === undefined) return false
  context.node.properties = nodes
  return true
}

/** `dependentSchemas` and the schemas of `dependencies` may both be there and name the same member. */
function addDependentSchemas({ node }: KeywordContext, schemas: ReadonlyMap<string, SchemaNode>): true {
  if (schemas.size > 0) node.dependentSchemas = [...(node.dependentSchemas ?? []), ...schemas]
  return true
}

function readDependentSchemas(value: Copied, context: KeywordContext): boolean {
  const nodes = schemaMap(value, 'dependentSchemas', context)
  return nodes !== undefined && addDependentSchemas(context, nodes)
}

function readPatternProperties(value: Copied, context: KeywordContext): boolean {
  const nodes = schemaMap(value, 'patternProperties', context)
  if (nodes === undefined) return false
  context.node.patternProperties = [...nodes].flatMap(([source, node]) => {
    const pattern = context.pattern(source, source)
    return pattern === undefined ? [] : [{ pattern, node }]
  })
  return true
}

function readItems(value: Copied, context: KeywordContext): boolean {
  if (isSchema(value)) {
    context.node.items = context.child(value, 'items')
    return true
  }
  if (context.edition === 2020) return false
  const list = asList(value)
  if (list === undefined || !list.every(isSchema)) return false
  context.node.prefixItems = list.map((raw, index) => context.child(raw, 'items', index))
  return true
}

/** What stands behind a list of `items`; beside anything else it says nothing. */
function readAdditionalItems(value: Copied, context: KeywordContext): boolean {
  if (!isSchema(value)) return false
  const node = context.child(value, 'additionalItems')
  if (Array.isArray(context.raw.items)) context.node.items = node
  return true
}

function readPrefixItems(value: Copied, context: KeywordContext): boolean {
  const nodes = schemaList(value, 'prefixItems', context)
  if (nodes === undefined) return false
  context.node.prefixItems = nodes
  return true
}

function readContains(value: Copied, { node, raw, child, edition }: KeywordContext): boolean {
  if (!isSchema(value)) return false
  const count = (name: string): number | undefined =>
    edition < 2019 || raw[name] === undefined ? undefined : asCount(raw[name])
  node.contains = {
    node: child(value, 'contains'),
    min: count('minContains') ?? 1,
    max: count('maxContains') ?? Number.POSITIVE_INFINITY,
    marksItems: edition === 2020,
  }
  return true
}

function readDependencies(value: Copied, context: KeywordContext): boolean {
  if (!isObject(value)) return false
  const schemas = new Map<string, SchemaNode>()
  const names: [string, readonly string[]][] = []
  for (const [name, entry] of Object.entries(value)) {
    const list = asNames(entry)
    if (list !== undefined) names.push([name, list])
    else if (isSchema(entry)) schemas.set(name, context.child(entry, 'dependencies', name))
    else return false
  }
  if (names.length > 0) addDependentNames(context, 'dependencies', names)
  return addDependentSchemas(context, schemas)
}

function readDependentRequired(value: Copied, context: KeywordContext): boolean {
  if (!isObject(value)) return false
  const entries = Object.entries(value).map(([name, entry]) => [name, asNames(entry)] as const)
  if (entries.some(([, names]) => names === undefined)) return false
  return addDependentNames(context, 'dependentRequired', entries as [string, readonly string[]][])
}

const isCount = (value: Copied): boolean => asCount(value) !== undefined

/** The keywords of this file by name. */
export const APPLICATORS: readonly (readonly [string, Keyword])[] = [
  many('allOf'),
  many('anyOf'),
  many('oneOf'),
  one('not', 4),
  one('if', 7),
  one('then', 7),
  one('else', 7),
  ['dependentSchemas', { from: 2019, read: readDependentSchemas }],
  // Out of the standard since 2019-09, and still what its author meant.
  ['dependencies', { from: 4, read: readDependencies }],
  ['dependentRequired', { from: 2019, read: readDependentRequired }],
  ['properties', { from: 4, read: readProperties }],
  ['patternProperties', { from: 4, read: readPatternProperties }],
  one('additionalProperties', 4),
  one('propertyNames', 7),
  one('unevaluatedProperties', 2019),
  ['prefixItems', { from: 2020, read: readPrefixItems }],
  ['items', { from: 4, read: readItems }],
  ['additionalItems', { from: 4, until: 2019, read: readAdditionalItems }],
  ['contains', { from: 7, read: readContains }],
  ['minContains', { from: 2019, read: isCount }],
  ['maxContains', { from: 2019, read: isCount }],
  one('unevaluatedItems', 2019),
  shelf('$defs', 2019),
  shelf('definitions', 4),
]
