/**
 * A schema as the evaluator walks it.
 * @module
 */

import type { Budget } from './budget.ts'
import type { Copied, CopiedObject } from './copy.ts'
import type { Path } from './path.ts'
import type { Pattern } from './pattern/pattern.ts'

/** What JSON calls the type of a value, integers counted as numbers. */
export type ValueKind = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object'

/** A keyword that looks at the value alone and at no schema below. */
export interface Check {
  readonly keyword: string
  /** The only kind of value it looks at; undefined means all. */
  readonly kind: ValueKind | undefined
  /** Gives `undefined` where it is satisfied, else the tokens below the keyword that tell what is not. */
  judge(value: unknown, budget: Budget): readonly (string | number)[] | undefined
}

/** A schema document or one embedded in it: everything below one `$id`. */
export interface Resource {
  /** Absolute, without fragment. */
  readonly uri: string
  readonly root: SchemaNode
  readonly anchors: Map<string, SchemaNode>
  readonly dynamicAnchors: Map<string, SchemaNode>
}

/** A reference whose target depends on the schemas passed through on the way to it. */
export interface DynamicTarget {
  /** The name of the dynamic anchor looked for; undefined where the reference turned out to be a plain one. */
  readonly anchor: string | undefined
  readonly node: SchemaNode
  readonly keyword: '$dynamicRef' | '$recursiveRef'
}

/** One schema of the document. Members that are absent have no keyword. */
export interface SchemaNode {
  readonly path: Path | undefined
  readonly raw: Copied
  resource: Resource
  /** Set for `true` and `false`. */
  fixed?: boolean
  readonly checks: Check[]
  ref?: SchemaNode
  dynamicRef?: DynamicTarget
  allOf?: readonly SchemaNode[]
  anyOf?: readonly SchemaNode[]
  oneOf?: readonly SchemaNode[]
  not?: SchemaNode
  if?: SchemaNode
  then?: SchemaNode
  else?: SchemaNode
  dependentSchemas?: readonly (readonly [string, SchemaNode])[]
  properties?: ReadonlyMap<string, SchemaNode>
  patternProperties?: readonly { readonly pattern: Pattern; readonly node: SchemaNode }[]
  additionalProperties?: SchemaNode
  propertyNames?: SchemaNode
  unevaluatedProperties?: SchemaNode
  prefixItems?: readonly SchemaNode[]
  /** For the items behind `prefixItems`, whatever the dialect calls it. */
  items?: SchemaNode
  contains?: {
    readonly node: SchemaNode
    readonly min: number
    readonly max: number
    /** True where an item it holds for counts as evaluated: since 2020-12. */
    readonly marksItems: boolean
  }
  unevaluatedItems?: SchemaNode
  /** True where no keyword applies a schema: the checks say all. */
  isLeaf: boolean
  /** The name under which `$recursiveRef` looks for it. */
  isRecursiveAnchor?: boolean
}

/** A node that is not read yet; its resource is set by whoever makes it. */
export const newNode = (raw: Copied, path: Path | undefined): SchemaNode => ({
  path,
  raw,
  resource: undefined as unknown as Resource,
  checks: [],
  isLeaf: true,
})

/** The object of a node that is no boolean. */
export const rawObject = (node: SchemaNode): CopiedObject => node.raw as CopiedObject

/** Schemas a node applies to the very value it is applied to. */
export function inPlace(node: SchemaNode): SchemaNode[] {
  const found: SchemaNode[] = []
  if (node.ref !== undefined) found.push(node.ref)
  if (node.dynamicRef !== undefined) found.push(node.dynamicRef.node)
  for (const list of [node.allOf, node.anyOf, node.oneOf]) for (const one of list ?? []) found.push(one)
  for (const one of [node.not, node.if, node.then, node.else]) if (one !== undefined) found.push(one)
  for (const [, schema] of node.dependentSchemas ?? []) found.push(schema)
  return found
}

/** True where a node applies schemas to the members of a value. */
export const looksBelow = (node: SchemaNode): boolean =>
  (node.properties ??
    node.patternProperties ??
    node.additionalProperties ??
    node.propertyNames ??
    node.unevaluatedProperties ??
    node.prefixItems ??
    node.items ??
    node.contains ??
    node.unevaluatedItems) !== undefined
