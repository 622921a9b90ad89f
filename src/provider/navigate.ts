/**
 * From hits to the navigation list, within its budget.
 * @module
 */

import { type SchemaNavigation, WIRE_LIMITS } from '../core/index.ts'
import type { ListedTool } from '../listing/index.ts'
import { type DiscloseTool, discloseTool } from './disclose.ts'
import { isToolFault } from './errors.ts'
import { summarizeTool } from './summary.ts'

/** A navigation list within 32 KiB. */
export interface Navigation {
  readonly entries: readonly SchemaNavigation[]
  /** The list as wire text: a JSON array. */
  readonly text: string
  /** True where hits were dropped from the end, or a summary was cut, to fit. */
  readonly truncated: boolean
  /** Hits dropped to fit. */
  readonly omitted: number
  /** Hits left out: a broken schema, a manifest of their own that does not agree, or a name that leaves no room. */
  readonly skipped: number
}

/**
 * Discloses each hit and lists manifest and summary. A broken tool is left out and counted, it spoils nothing for the others.
 * Too long a list loses hits from its end; one hit that is too big alone has its summary cut at a line end.
 *
 * @param options `disclose`: how a tool is disclosed, default `discloseTool`
 *
 * @example
 * ```ts
 * const { text } = await navigateTools(await new RegexSearch().search('user', tools, 5))
 * ```
 */
export async function navigateTools(
  hits: readonly ListedTool[],
  options: { readonly disclose?: DiscloseTool } = {},
): Promise<Navigation> {
  const { disclose = discloseTool } = options
  const found: SchemaNavigation[] = []
  for (const tool of hits) {
    const entry = await navigationEntry(tool, disclose)
    if (entry !== undefined) found.push(entry)
  }
  const skipped = hits.length - found.length
  const entries = [...found]
  while (entries.length > 1 && measure(entries) > WIRE_LIMITS.navigationBytes) entries.pop()
  const [first] = entries
  let cut = false
  if (first !== undefined && measure(entries) > WIRE_LIMITS.navigationBytes) {
    entries[0] = cutSummary(first)
    cut = true
  }
  const omitted = found.length - entries.length
  return Object.freeze({
    entries: Object.freeze(entries),
    text: JSON.stringify(entries),
    truncated: cut || omitted > 0,
    omitted,
    skipped,
  })
}

/**
 * The serializer of the original's search transform: navigation entries of the given tools, those that cannot be disclosed left
 * out.
 *
 * @example
 * ```ts
 * const entries = await describeSchemaTools(tools)
 * ```
 */
export async function describeSchemaTools(tools: readonly ListedTool[]): Promise<readonly SchemaNavigation[]> {
  return (await navigateTools(tools)).entries
}

async function navigationEntry(tool: ListedTool, disclose: DiscloseTool): Promise<SchemaNavigation | undefined> {
  try {
    const { manifest } = await disclose(tool)
    const entry: SchemaNavigation = {
      kind: 'schema-navigation',
      name: tool.name,
      manifest,
      summary: summarizeTool(tool),
    }
    // A name may be of any length; an entry that cannot fit even without its summary must not push out the others.
    return measure([{ ...entry, summary: '' }]) > WIRE_LIMITS.navigationBytes ? undefined : Object.freeze(entry)
  } catch (error) {
    if (isToolFault(error)) return undefined
    throw error
  }
}

const encoder = new TextEncoder()

/** Bytes of the list as the original counts them: spelled by Python with `, ` and `: ` between, Unicode literal. */
function measure(entries: readonly SchemaNavigation[]): number {
  const text = JSON.stringify(entries)
  // One blank behind each separator outside strings: entries are flat but for the manifest.
  const separators = entries.reduce((sum, { manifest }) => sum + blanks(4) + blanks(Object.keys(manifest).length), 0)
  return encoder.encode(text).length + separators + Math.max(entries.length - 1, 0)
}

/** Colons and commas of an object of `count` members. */
const blanks = (count: number): number => count * 2 - 1

function cutSummary(entry: SchemaNavigation): SchemaNavigation {
  const lines = entry.summary.split('\n')
  // Bisection: how many lines fit.
  let fits = 0
  let over = lines.length
  while (over - fits > 1) {
    const middle = (fits + over) >> 1
    if (measure([withLines(entry, lines, middle)]) <= WIRE_LIMITS.navigationBytes) fits = middle
    else over = middle
  }
  return withLines(entry, lines, fits)
}

const withLines = (entry: SchemaNavigation, lines: readonly string[], count: number): SchemaNavigation =>
  Object.freeze({ ...entry, summary: lines.slice(0, count).join('\n') })
