/**
 * Tools that cannot be told apart are left out.
 * @module
 */

import type { ListedTool } from '../listing/index.ts'
import { toolAlias } from './names.ts'

/** The tools of a listing that have a name and an alias of their own. */
export interface DistinctTools {
  readonly tools: readonly ListedTool[]
  /** Tools left out because another one has the same name or alias. */
  readonly skipped: number
}

/**
 * Leaves out every tool that shares its name or its alias with another one: nobody could say which is meant.
 *
 * @example
 * ```ts
 * const { tools, skipped } = await distinctTools(listing.tools)
 * ```
 */
export async function distinctTools(tools: readonly ListedTool[]): Promise<DistinctTools> {
  const aliases = await Promise.all(tools.map(({ name }) => (name.isWellFormed() ? toolAlias(name) : undefined)))
  const counts = new Map<string, number>()
  for (const alias of aliases) if (alias !== undefined) counts.set(alias, (counts.get(alias) ?? 0) + 1)
  const distinct = tools.filter((_, index) => counts.get(aliases[index] ?? '') === 1)
  return { tools: distinct, skipped: tools.length - distinct.length }
}
