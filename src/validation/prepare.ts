/**
 * The one walk over a schema: every keyword looked at, every reference resolved, before any value is judged.
 * @module
 */

import type { PatternEngine } from '../pattern/index.ts'
import { type Copied, type CopiedObject, isObject } from './copy.ts'
import { ANNOTATIONS, type Dialect, dialectOf, type Edition, edition } from './dialect.ts'
import type { SchemaValidationErrorCode } from './errors.ts'
import { APPLICATORS } from './keywords/applicators.ts'
import { ASSERTIONS } from './keywords/assertions.ts'
import type { Keyword } from './keywords/context.ts'
import { findLoop } from './loops.ts'
import { inPlace, looksBelow, newNode, type Resource, type SchemaNode } from './nodes.ts'
import { type Path, pointerOf } from './path.ts'
import type { Pattern } from './pattern/pattern.ts'
import { PatternTable } from './pattern/table.ts'
import { followPointer, NAMELESS, resolveUri } from './references.ts'

/** Something that forbids judging by a schema. */
export interface Problem {
  readonly code: SchemaValidationErrorCode
  /** JSON Pointer into the schema. */
  readonly path: string
  /** The dialect's name, where that is the problem. */
  readonly dialect?: string
}

/** A schema after the walk. */
export interface Prepared {
  readonly dialect: Dialect
  readonly edition: Edition
  readonly root: SchemaNode
  readonly nodes: readonly SchemaNode[]
  readonly problems: readonly Problem[]
  readonly unknownKeywords: readonly Path[]
  readonly patterns: readonly { readonly path: Path; readonly pattern: Pattern }[]
  readonly isDynamic: boolean
  readonly tracksEvaluation: boolean
}

/** Keywords by name. Remote names are looked up, so a `Map`. */
const KEYWORDS: ReadonlyMap<string, Keyword> = new Map([...ASSERTIONS, ...APPLICATORS])
type ReferenceKeyword = '$ref' | '$dynamicRef' | '$recursiveRef'
const ANCHOR = /^[A-Za-z_][-A-Za-z0-9._:]*$/
const MAX_PROBLEMS = 100

export interface PrepareOptions {
  readonly defaultDialect: Dialect
  readonly patternEngine: PatternEngine | undefined
}

/** Walks a private copy of a schema. */
export function prepareSchema(schema: CopiedObject | boolean, options: PrepareOptions): Prepared {
  return new Preparation(schema, options).run()
}

class Preparation {
  readonly #dialect: Dialect
  readonly #edition: Edition
  readonly #nodes: SchemaNode[] = []
  readonly #byRaw = new Map<CopiedObject, SchemaNode>()
  readonly #resources = new Map<string, Resource>()
  readonly #references: { readonly node: SchemaNode; readonly keyword: ReferenceKeyword; readonly value: string }[] = []
  readonly #patterns: PatternTable
  readonly #unknownKeywords: Path[] = []
  readonly #problems: Problem[] = []
  readonly #root: SchemaNode

  constructor(schema: CopiedObject | boolean, options: PrepareOptions) {
    this.#patterns = new PatternTable(options.patternEngine)
    const named = isObject(schema) ? schema.$schema : undefined
    const dialect = typeof named === 'string' ? dialectOf(named) : options.defaultDialect
    this.#dialect = dialect ?? options.defaultDialect
    this.#edition = edition(this.#dialect)
    this.#root = newNode(schema, undefined)
    this.#nodes.push(this.#root)
    if (isObject(schema)) this.#byRaw.set(schema, this.#root)
    this.#root.resource = this.#addResource(NAMELESS, this.#root)
  }

  run(): Prepared {
    const nodes = this.#nodes
    const references = this.#references
    for (let node = 0, reference = 0; node < nodes.length || reference < references.length; ) {
      // References wait until all identifiers are known; what they lead to may be new schemas.
      if (node < nodes.length) this.#read(nodes[node++] as SchemaNode)
      else this.#resolve(references[reference++] as (typeof references)[number])
    }
    for (const node of nodes) node.isLeaf = inPlace(node).length === 0 && !looksBelow(node)
    const loop = findLoop(nodes)
    if (loop !== undefined) this.#note('reference-loop', loop.path)
    return {
      dialect: this.#dialect,
      edition: this.#edition,
      root: this.#root,
      nodes,
      problems: this.#problems,
      unknownKeywords: this.#unknownKeywords,
      patterns: this.#patterns.uses,
      isDynamic: nodes.some(({ dynamicRef }) => dynamicRef !== undefined),
      tracksEvaluation: nodes.some((node) => (node.unevaluatedItems ?? node.unevaluatedProperties) !== undefined),
    }
  }

  #note(code: Problem['code'], path: Path | undefined, dialect?: string): void {
    if (this.#problems.length >= MAX_PROBLEMS) return
    this.#problems.push({ code, path: pointerOf(path), ...(dialect === undefined ? {} : { dialect }) })
  }

  #node(raw: Copied, path: Path | undefined, resource: Resource): SchemaNode {
    const known = isObject(raw) ? this.#byRaw.get(raw) : undefined
    if (known !== undefined) return known
    const node = newNode(raw, path)
    node.resource = resource
    if (isObject(raw)) this.#byRaw.set(raw, node)
    this.#nodes.push(node)
    return node
  }

  #addResource(uri: string, root: SchemaNode): Resource {
    const resource: Resource = { uri, root, anchors: new Map(), dynamicAnchors: new Map() }
    this.#resources.set(uri, resource)
    return resource
  }

  #read(node: SchemaNode): void {
    const { raw, path } = node
    if (typeof raw === 'boolean') node.fixed = raw
    if (!isObject(raw)) return
    const at = (token: string): Path => ({ parent: path, token })
    this.#readDialect(raw, at)
    // In these editions a reference hides everything beside it, except that it may refer to what stands there.
    const isReferenceOnly = this.#edition <= 7 && raw.$ref !== undefined
    if (!isReferenceOnly) this.#readIdentifiers(node, raw, at)
    for (const name of Object.keys(raw)) {
      const value = raw[name] as Copied
      const keyword = KEYWORDS.get(name)
      if (isReferenceOnly && name !== '$ref' && name !== 'definitions') continue
      if (this.#isReference(name)) {
        if (typeof value === 'string') this.#references.push({ node, keyword: name, value })
        else this.#note('keyword-invalid', at(name))
      } else if (keyword !== undefined && keyword.from <= this.#edition && this.#edition <= (keyword.until ?? 2020)) {
        const isFine = keyword.read(value, {
          edition: this.#edition,
          raw,
          node,
          child: (child, ...tokens) => this.#node(child, tokens.reduce(extend, path), node.resource),
          pattern: (source, ...tokens) => this.#pattern(source, tokens.reduce(extend, at(name))),
        })
        if (!isFine) this.#note('keyword-invalid', at(name))
      } else if (!ANNOTATIONS.has(name)) this.#unknownKeywords.push(at(name))
    }
  }

  #isReference(name: string): name is ReferenceKeyword {
    if (name === '$dynamicRef') return this.#edition === 2020
    return name === '$ref' || (name === '$recursiveRef' && this.#edition === 2019)
  }

  #readDialect(raw: CopiedObject, at: (token: string) => Path): void {
    const named = raw.$schema
    if (named === undefined) return
    if (typeof named !== 'string') return this.#note('keyword-invalid', at('$schema'))
    const dialect = dialectOf(named)
    // One document, one dialect: otherwise where the one ends and the other begins would decide what is valid.
    if (dialect === undefined || edition(dialect) !== this.#edition) this.#note('dialect-unknown', at('$schema'), named)
  }

  #readIdentifiers(node: SchemaNode, raw: CopiedObject, at: (token: string) => Path): void {
    const name = this.#edition === 4 ? 'id' : '$id'
    if (raw[name] !== undefined) this.#readId(node, raw[name] as Copied, at(name))
    for (const keyword of ['$anchor', '$dynamicAnchor'] as const) {
      const anchor = raw[keyword]
      if (anchor === undefined || this.#edition < (keyword === '$anchor' ? 2019 : 2020)) continue
      if (typeof anchor !== 'string' || !ANCHOR.test(anchor)) {
        this.#note('reference-invalid', at(keyword))
        continue
      }
      this.#anchor(node, anchor, at(keyword))
      if (keyword === '$dynamicAnchor') node.resource.dynamicAnchors.set(anchor, node)
    }
    if (this.#edition === 2019 && raw.$recursiveAnchor === true && node.resource.root === node) {
      node.resource.dynamicAnchors.set(RECURSIVE, node)
    }
  }

  #readId(node: SchemaNode, id: Copied, path: Path): void {
    const target = typeof id === 'string' ? resolveUri(id, node.resource.uri) : undefined
    if (typeof id !== 'string' || target === undefined || (this.#edition >= 2019 && target.fragment !== '')) {
      return this.#note('reference-invalid', path)
    }
    if (target.fragment !== '') return this.#anchor(node, target.fragment, path)
    if (id === '' || id === '#') return
    if (this.#resources.has(target.uri)) return this.#note('identifier-duplicate', path)
    if (node === this.#root) this.#resources.delete(NAMELESS)
    node.resource = this.#addResource(target.uri, node)
  }

  #anchor(node: SchemaNode, anchor: string, path: Path): void {
    const { anchors } = node.resource
    const known = anchors.get(anchor)
    if (known !== undefined && known !== node) this.#note('identifier-duplicate', path)
    else anchors.set(anchor, node)
  }

  #pattern(source: string, path: Path): Pattern | undefined {
    const pattern = this.#patterns.compile(source, path)
    if (typeof pattern === 'string') this.#note(pattern, path)
    return typeof pattern === 'string' ? undefined : pattern
  }

  #resolve({ node, keyword, value }: { node: SchemaNode; keyword: ReferenceKeyword; value: string }): void {
    const path: Path = { parent: node.path, token: keyword }
    const target = resolveUri(value, node.resource.uri)
    if (target === undefined || (keyword === '$recursiveRef' && value !== '#')) {
      return this.#note('reference-invalid', path)
    }
    const resource = this.#resources.get(target.uri)
    if (resource === undefined) return this.#note('reference-remote', path)
    const found = this.#find(resource, target.fragment)
    if (found === undefined) return this.#note('reference-missing', path)
    if (keyword === '$ref') {
      node.ref = found
      return
    }
    const anchor = keyword === '$recursiveRef' ? RECURSIVE : target.fragment
    const isDynamic = found.resource.dynamicAnchors.get(anchor) === found
    node.dynamicRef = { anchor: isDynamic ? anchor : undefined, node: found, keyword }
  }

  #find(resource: Resource, fragment: string): SchemaNode | undefined {
    if (fragment === '') return resource.root
    if (!fragment.startsWith('/')) return resource.anchors.get(fragment)
    const place = followPointer(resource, fragment, (raw) => this.#byRaw.get(raw)?.resource)
    return place === undefined ? undefined : this.#node(place.raw, place.path, place.resource)
  }
}

/** The name of the anchor that `$recursiveAnchor` is; no written one is empty. */
const RECURSIVE = ''

const extend = (parent: Path | undefined, token: string | number): Path => ({ parent, token })
