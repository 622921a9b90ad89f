/**
 * From a need to manifests that can be selected.
 * @module
 */

import {
  JsonError,
  type McpSession,
  parseJsonText,
  parseSchemaManifest,
  type RequestOptions,
  SchemaDisclosureError,
  type SchemaNavigation,
  WIRE_LIMITS,
} from '../core/index.ts'
import { ConsumerError } from './errors.ts'
import { member, send } from './session.ts'

/** A list of 32 KiB holds fewer: a manifest alone takes more than half a kilobyte. */
const MAX_ENTRIES = 64
/** The list, with room for what wraps it. */
const MAX_TEXT_LENGTH = WIRE_LIMITS.navigationBytes + 1024

const MAX_REASON = 500

/** What a search found. */
export interface SearchResult {
  readonly entries: readonly SchemaNavigation[]
  /** Entries of the answer that are no navigation entry. */
  readonly skipped: number
  /** Hits the server left out because the answer was full. */
  readonly omitted: number
}

/** How a search is asked. */
export interface SearchOptions extends RequestOptions {
  /** Name of the search tool, default `search_tools`. */
  readonly searchTool?: string
  /** How `query` is meant: words of a need, or a regular expression. Default `'query'`. */
  readonly by?: 'query' | 'pattern'
  /** Most hits, 1 … 20; default is the server's own, 5. */
  readonly limit?: number
}

/**
 * Searches the catalog of a server that discloses schemas. Works against this package's proxy and provider and against the
 * Python original (`by: 'pattern'` for its regex transform).
 *
 * @throws {ConsumerError} `search-failed`, `search-malformed`; what the session throws passes through
 *
 * @example
 * ```ts
 * const { entries } = await searchSchemas(client, 'render a chart')
 * const selected = entries[0]
 * ```
 */
export async function searchSchemas(
  session: McpSession,
  query: string,
  options: SearchOptions = {},
): Promise<SearchResult> {
  const { searchTool: tool = 'search_tools', by = 'query', limit } = options
  const limited = limit === undefined ? undefined : { limit }
  const result = await send(session, 'tools/call', { name: tool, arguments: { [by]: query, ...limited } }, options)
  if (member(result, 'isError') === true) {
    const text = member((member(result, 'content') as readonly unknown[] | undefined)?.[0], 'text')
    const reason = typeof text === 'string' ? text.slice(0, MAX_REASON).toWellFormed() : ''
    const message = `Cannot search with "${tool}": the tool answered with an error`
    throw new ConsumerError('search-failed', { tool, reason }, message)
  }
  const structured = member(result, 'structuredContent')
  const listed = member(structured, 'result') ?? textList(result, tool)
  if (!Array.isArray(listed)) refuseAnswer(tool, 'an array of navigation entries')
  if (listed.length > MAX_ENTRIES) refuseAnswer(tool, `at most ${MAX_ENTRIES} entries`)
  const entries: SchemaNavigation[] = []
  let length = 0
  for (const value of listed) {
    const entry = readEntry(value)
    if (entry === undefined) continue
    length += entry.name.length + entry.summary.length
    if (length > MAX_TEXT_LENGTH) refuseAnswer(tool, `at most ${MAX_TEXT_LENGTH} characters`)
    entries.push(entry)
  }
  const omitted = member(structured, 'omitted')
  return Object.freeze({
    entries: Object.freeze(entries),
    skipped: listed.length - entries.length,
    omitted: typeof omitted === 'number' && Number.isSafeInteger(omitted) && omitted > 0 ? omitted : 0,
  })
}

/** The list in the answer's text, for clients whose session drops structured content. No text at all is an empty list. */
function textList(result: unknown, tool: string): unknown {
  const content = member(result, 'content')
  if (!Array.isArray(content)) refuseAnswer(tool, 'a tool result')
  if (content.length === 0) return []
  const text = member(content[0], 'text')
  if (typeof text !== 'string') refuseAnswer(tool, 'a text block')
  if (text.length > MAX_TEXT_LENGTH) refuseAnswer(tool, `at most ${MAX_TEXT_LENGTH} characters`)
  try {
    const value = parseJsonText(text)
    return member(value, 'result') ?? value
  } catch (error) {
    if (JsonError.is(error)) refuseAnswer(tool, 'JSON text')
    throw error
  }
}

function readEntry(value: unknown): SchemaNavigation | undefined {
  const name = member(value, 'name')
  const summary = member(value, 'summary')
  if (member(value, 'kind') !== 'schema-navigation' || typeof name !== 'string' || typeof summary !== 'string') {
    return undefined
  }
  try {
    const manifest = parseSchemaManifest(member(value, 'manifest'))
    return Object.freeze({ kind: 'schema-navigation', name, manifest, summary })
  } catch (error) {
    if (SchemaDisclosureError.is(error)) return undefined
    throw error
  }
}

function refuseAnswer(tool: string, expected: string): never {
  throw new ConsumerError(
    'search-malformed',
    { tool, expected },
    `Cannot search with "${tool}": answer is no navigation list, expected ${expected}`,
  )
}
