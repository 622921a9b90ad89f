/**
 * What the readers of keywords are handed.
 * @module
 */

import type { Copied, CopiedObject } from '../copy.ts'
import type { Edition } from '../dialect.ts'
import type { SchemaNode } from '../nodes.ts'
import type { Pattern } from '../pattern/pattern.ts'

/** One keyword being read. */
export interface KeywordContext {
  readonly edition: Edition
  /** The schema object the keyword stands in, to look at its neighbours. */
  readonly raw: CopiedObject
  readonly node: SchemaNode
  /** The node of a schema below the keyword. */
  child(raw: Copied, ...tokens: readonly (string | number)[]): SchemaNode
  /** A pattern; undefined where it is refused, which is noted. */
  pattern(source: string, ...tokens: readonly (string | number)[]): Pattern | undefined
}

/** A keyword: the editions that know it and its reader, which gives false where the value has a wrong shape. */
export interface Keyword {
  readonly from: Edition
  readonly until?: Edition
  read(value: Copied, context: KeywordContext): boolean
}
