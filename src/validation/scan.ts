/**
 * A first look at a value: that it is JSON, how deep it goes, and the sizes by which work is bounded.
 * @module
 */

import { JsonNumber } from '../json/index.ts'
import type { Budget } from './budget.ts'
import { isPlainObject } from './copy.ts'
import { isComparable } from './decimal.ts'
import { cannotJudge } from './errors.ts'
import { type Path, pointerOf } from './path.ts'

/** The sizes of a value. */
export interface Sizes {
  /** JSON values in all. */
  values: number
  depth: number
  /** Members of the largest object, and of the largest array. */
  widestObject: number
  widestArray: number
  /** UTF-16 units of the longest string or name. */
  longest: number
  /** UTF-16 units of all strings. */
  characters: number
  /** True where a number is no JavaScript number. */
  hasExactNumbers: boolean
}

/** Characters read in the time of one step. */
const CHARACTERS = 64

/**
 * Walks a value once, without recursion.
 *
 * @throws {SchemaValidationError} `value-not-json`, `value-too-deep`, `number-too-long`, and those of the budget
 */
export function scanValue(root: unknown, maxDepth: number, budget: Budget): Sizes {
  const sizes: Sizes = {
    values: 0,
    depth: 0,
    widestObject: 0,
    widestArray: 0,
    longest: 0,
    characters: 0,
    hasExactNumbers: false,
  }
  const text = (value: string): void => {
    sizes.characters += value.length
    sizes.longest = Math.max(sizes.longest, value.length)
    budget.spend(value.length / CHARACTERS)
  }
  const open: { readonly value: object; readonly path: Path | undefined; readonly depth: number }[] = []
  const visit = (value: unknown, path: Path | undefined, depth: number): void => {
    sizes.values++
    budget.spend(1)
    if (value === null || typeof value === 'boolean') return
    if (typeof value === 'string') return text(value)
    if (typeof value === 'number' || typeof value === 'bigint' || value instanceof JsonNumber) {
      if (typeof value !== 'number') sizes.hasExactNumbers = true
      if (isComparable(value)) return
      if (typeof value !== 'number') cannotJudge('number-too-long', { path: pointerOf(path) }, 'a number is too long')
    } else if (Array.isArray(value) || isPlainObject(value)) {
      if (depth > maxDepth) cannotJudge('value-too-deep', { limit: maxDepth }, `more than ${maxDepth} levels`)
      sizes.depth = Math.max(sizes.depth, depth)
      open.push({ value, path, depth })
      return
    }
    cannotJudge('value-not-json', { path: pointerOf(path) }, 'a part of it is no JSON')
  }
  visit(root, undefined, 1)
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, path, depth } = next
    if (Array.isArray(value)) {
      sizes.widestArray = Math.max(sizes.widestArray, value.length)
      for (let token = 0; token < value.length; token++) visit(value[token], { parent: path, token }, depth + 1)
    } else {
      const names = Object.keys(value)
      sizes.widestObject = Math.max(sizes.widestObject, names.length)
      for (const token of names) {
        text(token)
        visit((value as Record<string, unknown>)[token], { parent: path, token }, depth + 1)
      }
    }
  }
  return sizes
}
