/**
 * Labelled queries and the real catalogs they ask about, where they are at hand.
 * @module
 */

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { JsonReader } from '../src/core/index.ts'
import { DEFAULT_LISTING_LIMITS, type ListedTool, readToolsPage } from '../src/listing/index.ts'
import type { LabelledQuery } from './recall.ts'

const beside = (folder: string): string => fileURLToPath(new URL(`../../shared/${folder}`, import.meta.url))
const queriesFile = join(process.env.RETRIEVAL_DIR ?? beside('retrieval'), 'queries-dev.json')
const catalogs = process.env.CORPORA_DIR ?? beside('corpora')

/** Every query, or undefined where there are none here. */
export const labelledQueries = (): LabelledQuery[] | undefined =>
  existsSync(queriesFile) && existsSync(catalogs)
    ? (JSON.parse(readFileSync(queriesFile, 'utf8')) as LabelledQuery[])
    : undefined

/** One listing over some servers, and the labelled name of each of its tools. */
export interface LabelledListing {
  readonly tools: readonly ListedTool[]
  readonly labels: ReadonlyMap<ListedTool, string>
}

const read = new Map<string, readonly ListedTool[]>()

/** The tools of one server; none where its catalog is not here. */
export function catalogOf(server: string): readonly ListedTool[] {
  let tools = read.get(server)
  if (tools === undefined) {
    const path = join(catalogs, `${server}.json`)
    tools = existsSync(path) ? readToolsPage(resultOf(readFileSync(path)), DEFAULT_LISTING_LIMITS).tools : []
    read.set(server, tools)
  }
  return tools
}

/** The `result` object of a captured answer. */
function resultOf(bytes: Uint8Array): Uint8Array {
  let result = bytes
  const reader = new JsonReader(bytes)
  reader.object((member) => {
    const { start, end } = reader.span()
    if (member === 'result') result = bytes.slice(start, end)
  })
  return result
}

const listings = new Map<string, LabelledListing>()

export function listingOf(servers: readonly string[]): LabelledListing {
  const key = servers.join()
  let listing = listings.get(key)
  if (listing === undefined) {
    const labels = new Map(
      servers.flatMap((server) => catalogOf(server).map((tool) => [tool, `${server}/${tool.name}`] as const)),
    )
    listing = { tools: [...labels.keys()], labels }
    listings.set(key, listing)
  }
  return listing
}
