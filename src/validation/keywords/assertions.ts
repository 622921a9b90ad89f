/**
 * Keywords that judge a value by itself.
 * @module
 */

import type { Budget } from '../budget.ts'
import type { Copied } from '../copy.ts'
import { compareNumbers, isMultipleOf, isNumeric, isWhole, type Numeric } from '../decimal.ts'
import { valueKey } from '../equality.ts'
import type { Check, ValueKind } from '../nodes.ts'
import type { Keyword, KeywordContext } from './context.ts'
import { asCount, asList, asNames, asNumber } from './shapes.ts'

const FINE = undefined
const FAILED: readonly (string | number)[] = []
const TYPES: ReadonlySet<string> = new Set(['null', 'boolean', 'number', 'integer', 'string', 'array', 'object'])
/** Characters of a key written in the time of one step. */
const KEY_GAIN = 16
/** Steps of one comparison where a number is no JavaScript number. */
const EXACT_STEPS = 50

const verdict = (holds: boolean): readonly (string | number)[] | undefined => (holds ? FINE : FAILED)

/** The kind of a value that is known to be JSON. */
export function kindOf(value: unknown): ValueKind {
  if (value === null) return 'null'
  if (isNumeric(value)) return 'number'
  if (typeof value === 'object') return Array.isArray(value) ? 'array' : 'object'
  return typeof value as 'boolean' | 'string'
}

function add({ node }: KeywordContext, keyword: string, kind: ValueKind | undefined, judge: Check['judge']): true {
  node.checks.push({ keyword, kind, judge })
  return true
}

const keyOf = (value: unknown, budget: Budget): string =>
  valueKey(value, (characters) => budget.spend(characters / KEY_GAIN))
const FREE = (): void => {}

function readType(value: Copied, context: KeywordContext): boolean {
  const names = typeof value === 'string' ? [value] : asNames(value)
  if (names === undefined || names.length === 0 || !names.every((name) => TYPES.has(name))) return false
  const types = new Set(names)
  return add(context, 'type', undefined, (item) => {
    const kind = kindOf(item)
    return verdict(types.has(kind) || (kind === 'number' && types.has('integer') && isWhole(item as Numeric)))
  })
}

function readEnum(value: Copied, context: KeywordContext): boolean {
  const list = asList(value)
  if (list === undefined) return false
  const keys = new Set(list.map((item) => valueKey(item, FREE)))
  return add(context, 'enum', undefined, (item, budget) => verdict(keys.has(keyOf(item, budget))))
}

function readConst(value: Copied, context: KeywordContext): boolean {
  const key = valueKey(value, FREE)
  return add(context, 'const', undefined, (item, budget) => verdict(keyOf(item, budget) === key))
}

/** A keyword that compares numbers. */
const bound = (name: string, holds: (order: number) => boolean, exclusive?: string): Keyword => ({
  from: 4,
  read(value, context) {
    const limit = asNumber(value)
    if (limit === undefined) return false
    const isStrict = context.edition === 4 && exclusive !== undefined && context.raw[exclusive] === true
    return add(context, name, 'number', (item, budget) => {
      if (typeof item !== 'number') budget.spend(EXACT_STEPS)
      const order = compareNumbers(item as Numeric, limit)
      return verdict(holds(order) && !(isStrict && order === 0))
    })
  },
})

/** In draft 04 a flag beside the bound, later a bound of its own. */
const exclusiveBound = (name: string, holds: (order: number) => boolean): Keyword => ({
  from: 4,
  read: (value, context) =>
    context.edition === 4 ? typeof value === 'boolean' : bound(name, holds).read(value, context),
})

function readMultipleOf(value: Copied, context: KeywordContext): boolean {
  const divisor = asNumber(value)
  if (divisor === undefined || compareNumbers(divisor, 0) <= 0) return false
  const length = String(divisor).length
  return add(context, 'multipleOf', 'number', (item, budget) => {
    // The digits are multiplied with each other some thirty times.
    if (!Number.isSafeInteger(item)) budget.spend(4 + (String(item).length * length + length * length) / 16)
    return verdict(isMultipleOf(item as Numeric, divisor))
  })
}

/** Code points, without making a list of them. */
function textLength(text: string, budget: Budget): number {
  budget.spend(text.length / 32)
  let length = text.length
  for (let at = 1; at < text.length; at++) {
    // The second half of a pair, after a first one.
    if ((text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800) length--
  }
  return length
}

const nameCount = (value: unknown, budget: Budget): number => {
  const { length } = Object.keys(value as object)
  budget.spend(length)
  return length
}

/** A keyword that bounds a count. */
const counted = (
  name: string,
  kind: ValueKind,
  count: (value: unknown, budget: Budget) => number,
  holds: (actual: number, limit: number) => boolean,
): Keyword => ({
  from: 4,
  read(value, context) {
    const limit = asCount(value)
    if (limit === undefined) return false
    return add(context, name, kind, (item, budget) => verdict(holds(count(item, budget), limit)))
  },
})

const atLeast = (actual: number, limit: number): boolean => actual >= limit
const atMost = (actual: number, limit: number): boolean => actual <= limit
const itemCount = (value: unknown): number => (value as readonly unknown[]).length

function readPattern(value: Copied, context: KeywordContext): boolean {
  if (typeof value !== 'string') return false
  const pattern = context.pattern(value)
  if (pattern === undefined) return true
  return add(context, 'pattern', 'string', (text, budget) => verdict(pattern.test(text as string, budget)))
}

function readUniqueItems(value: Copied, context: KeywordContext): boolean {
  if (typeof value !== 'boolean') return false
  if (!value) return true
  return add(context, 'uniqueItems', 'array', (items, budget) => {
    const keys = new Set<string>()
    for (const item of items as readonly unknown[]) {
      budget.spend(1)
      keys.add(keyOf(item, budget))
    }
    return verdict(keys.size === (items as readonly unknown[]).length)
  })
}

function missing(names: readonly string[], value: unknown, budget: Budget): number {
  budget.spend(names.length / 8)
  return names.findIndex((name) => !Object.hasOwn(value as object, name))
}

function readRequired(value: Copied, context: KeywordContext): boolean {
  const names = asNames(value)
  // Draft 04 alone wants one name at least.
  if (names === undefined) return false
  return add(context, 'required', 'object', (item, budget) => {
    const at = missing(names, item, budget)
    return at === -1 ? FINE : [at]
  })
}

/** Names that want other names beside them; `entries` are those of `dependencies` that are no schemas. */
export function addDependentNames(
  context: KeywordContext,
  keyword: string,
  entries: readonly (readonly [string, readonly string[]])[],
): true {
  return add(context, keyword, 'object', (item, budget) => {
    budget.spend(entries.length / 8)
    for (const [name, names] of entries) {
      if (!Object.hasOwn(item as object, name)) continue
      const at = missing(names, item, budget)
      if (at !== -1) return [name, at]
    }
    return FINE
  })
}

const keyword = (from: Keyword['from'], read: Keyword['read']): Keyword => ({ from, read })

/** The keywords of this file by name. */
export const ASSERTIONS: readonly (readonly [string, Keyword])[] = [
  ['type', keyword(4, readType)],
  ['enum', keyword(4, readEnum)],
  ['const', keyword(7, readConst)],
  ['multipleOf', keyword(4, readMultipleOf)],
  ['maximum', bound('maximum', (order) => order <= 0, 'exclusiveMaximum')],
  ['minimum', bound('minimum', (order) => order >= 0, 'exclusiveMinimum')],
  ['exclusiveMaximum', exclusiveBound('exclusiveMaximum', (order) => order < 0)],
  ['exclusiveMinimum', exclusiveBound('exclusiveMinimum', (order) => order > 0)],
  ['maxLength', counted('maxLength', 'string', (text, budget) => textLength(text as string, budget), atMost)],
  ['minLength', counted('minLength', 'string', (text, budget) => textLength(text as string, budget), atLeast)],
  ['pattern', keyword(4, readPattern)],
  ['maxItems', counted('maxItems', 'array', itemCount, atMost)],
  ['minItems', counted('minItems', 'array', itemCount, atLeast)],
  ['uniqueItems', keyword(4, readUniqueItems)],
  ['maxProperties', counted('maxProperties', 'object', nameCount, atMost)],
  ['minProperties', counted('minProperties', 'object', nameCount, atLeast)],
  ['required', keyword(4, readRequired)],
]
