/**
 * The walk-through: search, select, read and verify, call; all by the consumer, in one MCP client session.
 * @module
 */
import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Client } from '@modelcontextprotocol/client'
import {
  callTool,
  type ReadProgress,
  readSchema,
  type SchemaNavigation,
  searchSchemas,
} from '../../src/consumer/index.ts'
import type { VerifiedSchema } from '../../src/core/index.ts'
import { schemaCheck } from '../../worker/demo/schema-check.ts'
import { chartArguments, TABLE_ROWS } from './chart.ts'
import { bytes, clean, clearLine, field, plural, progressBar, shortDigest, type Tell } from './print.ts'
import type { StartSettings } from './settings.ts'

/** Fragment reads in flight at once. */
const CONCURRENCY = 16

/** What the walk has to know of the settings. */
export type WalkSettings = Pick<StartSettings, 'chartFile' | 'searchTool' | 'callTool'>

/** Searches, and tells what came. */
export const search = async (
  session: Client,
  query: string,
  searchTool: string,
  tell: Tell,
): Promise<readonly SchemaNavigation[]> => {
  const { entries } = await searchSchemas(session, query, { searchTool })
  const size = new TextEncoder().encode(JSON.stringify(entries)).length
  const names = entries.map((entry) => clean(entry.name, 40)).join(', ')
  tell('search', `${JSON.stringify(clean(query))}: ${plural(entries.length, 'tool')}, ${bytes(size)} (${names})`)
  return entries
}

/** Walks from a need to a chart on disk. */
export const walk = async (session: Client, settings: WalkSettings, tell: Tell): Promise<void> => {
  const { chartFile, searchTool, callTool } = settings
  const entries = await search(session, 'render a chart', searchTool, tell)
  const selected = entries.find((entry) => entry.name === 'render_chart')
  if (!selected) throw new Error('the search did not find "render_chart"')
  const verified = await read(session, selected, tell)
  const { svg, width, height } = await call(session, selected.name, callTool, verified, tell)
  const file = resolve(chartFile)
  await writeFile(file, svg)
  tell('chart', `${width} × ${height} pixels in ${file}`)
}

const read = async (session: Client, { name, manifest }: SchemaNavigation, tell: Tell): Promise<VerifiedSchema> => {
  const { schema_bytes: size, fragment_count: fragments } = manifest
  tell('select', `${name}: a schema of ${bytes(size)} in ${plural(fragments, 'fragment')}`)
  const onProgress = ({ received, total }: ReadProgress): void => {
    // The consumer asks for fragments only once the manifest was read and found equal.
    if (received === 1) tell('manifest', `sha256 ${shortDigest(manifest.schema_sha256)}, read and equal in every field`)
    showBar(received, total)
  }
  const started = performance.now()
  const verified = await readSchema(session, manifest, { concurrency: CONCURRENCY, onProgress })
  const took = Math.round(performance.now() - started)
  tell('fragments', progressBar(fragments, fragments))
  tell('verified', `${bytes(size)}, digests and form, ${took} ms from the manifest on`)
  return verified
}

const call = async (
  session: Client,
  name: string,
  tool: string,
  verified: VerifiedSchema,
  tell: Tell,
): Promise<Chart> => {
  const args = chartArguments()
  const [finding] = schemaCheck(verified.inputSchema, 1)(args)
  if (finding) throw new Error(`the arguments do not keep the verified schema: ${finding.path} ${finding.message}`)
  tell('arguments', `${plural(TABLE_ROWS, 'row')} of data as a bar chart, valid against the verified schema`)
  const { schema_sha256: schemaSha256 } = verified.manifest
  const { isError, structuredContent } = await callTool(
    session,
    { name, arguments: args, schemaSha256 },
    { callTool: tool },
  )
  const chart = structuredContent as Chart | undefined
  if (isError || typeof chart?.svg !== 'string') throw new Error(`"${name}" answered with no chart`)
  tell('call', `${tool} ${name} with schema_sha256 ${shortDigest(schemaSha256)}`)
  return chart
}

interface Chart {
  readonly svg: string
  readonly width: number
  readonly height: number
}

/** Rewrites one line on a terminal; elsewhere only the finished bar is written, as a line. */
const showBar = (done: number, total: number): void => {
  if (!process.stdout.isTTY) return
  process.stdout.write(done < total ? `\r${field('fragments', progressBar(done, total))}` : clearLine())
}
