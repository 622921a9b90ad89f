/**
 * Reasons, as they are found. Places only: no value of the instance or the schema gets into a message.
 * @module
 */

import type { ValidationIssue } from '../../core/ports.ts'
import type { SchemaNode } from '../nodes.ts'
import { type Path, pointerOf } from '../path.ts'

const MAX_ISSUES = 100
/** UTF-16 units of all pointers: a value with huge names is not to be copied a hundred times. */
const MAX_CHARACTERS = 262_144

const MESSAGES: ReadonlyMap<string, string> = new Map([
  ['false', 'Nothing is allowed here'],
  ['type', 'Has another type'],
  ['enum', 'Is none of the listed values'],
  ['const', 'Is not the one value'],
  ['multipleOf', 'Is not a multiple'],
  ['maximum', 'Is too large'],
  ['exclusiveMaximum', 'Is too large'],
  ['minimum', 'Is too small'],
  ['exclusiveMinimum', 'Is too small'],
  ['maxLength', 'Is too long'],
  ['minLength', 'Is too short'],
  ['pattern', 'Does not match the pattern'],
  ['maxItems', 'Has too many items'],
  ['minItems', 'Has too few items'],
  ['uniqueItems', 'Has equal items'],
  ['maxProperties', 'Has too many properties'],
  ['minProperties', 'Has too few properties'],
  ['required', 'Lacks a required property'],
  ['dependentRequired', 'Lacks a property that another one requires'],
  ['dependencies', 'Lacks a property that another one requires'],
  ['anyOf', 'Satisfies no schema of the list'],
  ['oneOf', 'Does not satisfy exactly one schema of the list'],
  ['not', 'Satisfies the excluded schema'],
  ['contains', 'Has too few items of a kind'],
  ['minContains', 'Has too few items of a kind'],
  ['maxContains', 'Has too many items of a kind'],
])

/** An issue whose places are not spelled out yet: most are dropped again, and a place may be long. */
interface Found {
  readonly node: SchemaNode
  readonly keyword: string
  readonly place: Path | undefined
  readonly tokens: readonly (string | number)[]
}

/** Collects issues; those of a branch that turns out not to matter are dropped again. */
export class Issues {
  readonly #found: Found[] = []

  get mark(): number {
    return this.#found.length
  }

  /** Forgets what was added since. */
  reset(mark: number): void {
    this.#found.length = mark
  }

  /** Notes that a keyword of `node` is not satisfied at `place`; `tokens` lead on below the keyword. */
  add(
    node: SchemaNode,
    keyword: string,
    place: Path | undefined,
    tokens: readonly (string | number)[] = [],
    index = this.#found.length,
  ): void {
    if (this.#found.length < MAX_ISSUES) this.#found.splice(index, 0, { node, keyword, place, tokens })
  }

  /** All that were noted and not forgotten, as far as their places do not become too much text. */
  spell(): ValidationIssue[] {
    const issues: ValidationIssue[] = []
    let characters = 0
    for (const { node, keyword, place, tokens } of this.#found) {
      if (characters > MAX_CHARACTERS) break
      const base = keyword === 'false' ? node.path : { parent: node.path, token: keyword }
      const instancePath = pointerOf(place)
      const schemaPath = pointerOf(tokens.reduce<Path | undefined>((parent, token) => ({ parent, token }), base))
      characters += instancePath.length + schemaPath.length
      const message = MESSAGES.get(keyword) ?? 'Does not satisfy the schema'
      issues.push(Object.freeze({ message, instancePath, schemaPath }))
    }
    return issues
  }
}
