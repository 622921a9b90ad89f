/**
 * The same cases of provider.json through a real server with a search attached: SDK server and client, in memory.
 * @module
 */

import { isDeepStrictEqual } from 'node:util'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import {
  attachSearch,
  RankedSearch,
  RegexSearch,
  registerSchemaResources,
  type SearchReport,
} from '../../src/provider/index.ts'
import { count, newReport, type VectorReport } from './report.ts'
import {
  answerOf,
  type Case,
  type Catalog,
  carriesManifest,
  type Expected,
  type File,
  type Json,
  listed,
  makeServer,
  namesOf,
  type Server,
  UNKNOWN_TO_RE2,
} from './run-provider.ts'

const INFO = { name: 'vectors', version: '1.0.0' }
/** Lets every result through. */
const PASS = { parse: (value: unknown) => value, safeParse: (data: unknown) => ({ success: true, data }) } as never

interface Connected {
  readonly client: Client
  readonly reports: SearchReport[]
}

async function connect(state: Server, catalog: Catalog): Promise<Connected> {
  const { kind, serializer, pinned, searchToolName: searchTool, callToolName: callTool } = catalog.search
  const server = new McpServer(INFO, { capabilities: { tools: {} } })
  const tools = () => listed(state).map(({ json }) => JSON.parse(new TextDecoder().decode(json)) as never)
  server.server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools() }))
  server.server.setRequestHandler(CallToolRequestSchema, ({ params }) =>
    run(state, params.name, params.arguments ?? {}),
  )
  const search = kind === 'bm25' ? new RankedSearch() : new RegexSearch({ order: 'catalog' })
  const named =
    serializer === 'tools'
      ? { serialize: async (hits: readonly { name: string }[]) => hits.map(({ name }) => ({ name })) }
      : {}
  const reports: SearchReport[] = []
  const onSearch = (report: SearchReport): void => void reports.push(report)
  attachSearch(server, Object.assign(search, named), { pin: pinned, searchTool, callTool, onSearch })
  const disclosures = Object.entries(catalog.disclosures).filter(([name]) => state.registered.has(name))
  registerSchemaResources(server, search, new Map(disclosures) as never, { ResourceTemplate })
  const client = new Client(INFO)
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair()
  await Promise.all([server.connect(serverSide), client.connect(clientSide)])
  return { client, reports }
}

/** The recorded server's tools: what they were called with, or an error. */
function run({ tools, disabled }: Server, name: string, args: Json) {
  const tool = tools.find((candidate) => candidate.name === name && !disabled.has(name))
  const raises = (tool?.handler as { raises?: { whenArgument: string; equals: unknown; text: string } } | undefined)
    ?.raises
  const isRaised = raises !== undefined && args[raises.whenArgument] === raises.equals
  if (tool === undefined || isRaised) {
    const text = isRaised ? raises.text : `Unknown tool: '${name}'`
    return { isError: true, content: [{ type: 'text' as const, text }] }
  }
  const structuredContent = { ok: true, got: args }
  return { content: [{ type: 'text' as const, text: JSON.stringify(structuredContent) }], structuredContent }
}

export async function runProviderServer(file: unknown): Promise<VectorReport> {
  const report = newReport()
  const { cases, catalogs } = file as File
  for (const test of cases) await runCase(report, test, catalogs[test.catalog] as Catalog)
  return report
}

async function runCase(report: VectorReport, test: Case, catalog: Catalog): Promise<void> {
  const state = await makeServer(catalog, test.setup)
  const { client, reports } = await connect(state, catalog)
  for (const request of test.requests ?? [{ ...(test.request as { method: string; params?: Json }), as: 'result' }]) {
    if (request.do !== undefined) {
      for (const name of request.do.disable ?? []) state.disabled.add(name)
      for (const name of request.do.enable ?? []) state.disabled.delete(name)
      continue
    }
    const { method, params = {}, as = 'result' } = request
    const expected = answerOf(test, as)
    const ask = (asked: Json): Promise<Json> =>
      client.request({ method, params: asked } as never, PASS) as Promise<Json>
    const label = `${test.name} [${as}]`
    if (method === 'resources/read') {
      const uri = (test.wire_uri ?? params.uri) as string
      const problem = await ask({ uri }).then(
        ({ contents }) => differs(contents as Json[], expected),
        () => (expected.ok === false ? undefined : 'refused'),
      )
      count(report, label, problem, readRule(state, uri, expected))
    } else if (method === 'tools/list') {
      const names = (test.names ?? (test.tools as Json[]).map(({ name }) => name)) as string[]
      const found = ((await ask(params)).tools as Json[]).map(({ name }) => name)
      count(report, label, isDeepStrictEqual(found, names) ? undefined : `lists ${found}`)
    } else if (method === 'tools/call' && params.name === catalog.search.searchToolName) {
      reports.length = 0
      const limit = Math.max(catalog.search.maxResults, 1)
      const answer = await ask({ ...params, arguments: { limit, ...(params.arguments as Json) } })
      const problem = comparedSearch(answer, test, expected)
      count(report, label, problem, searchRule(state, catalog, params.arguments as Json, expected, answer, reports[0]))
    } else if (method === 'tools/call') {
      const answer = await ask(params)
      const isMeta = expected.reason_code === 'synthetic-tool'
      count(report, label, comparedCall(answer, expected), isMeta ? 'DEV-P-7' : undefined)
    } else report.notRun.set(method, (report.notRun.get(method) ?? 0) + 1)
  }
  await client.close()
}

function differs(contents: Json[], expected: Expected): string | undefined {
  if (expected.ok === false) return 'answered'
  const [item] = (expected.items ?? []) as Json[]
  return item?.text === undefined || item.text === contents[0]?.text ? undefined : 'another text'
}

/** Without a manifest of its own, a tool is disclosed as it is registered, or else as it is listed. */
function readRule({ tools }: Server, uri: string, expected: Expected): string | undefined {
  if (expected.ok === true) return /%|\?|#/.test(uri) ? 'DEV-P-1' : undefined
  const tool = tools.find(({ name }) => name === uri.split('/')[3])
  return tool !== undefined && !carriesManifest(tool) ? 'DEV-P-6' : undefined
}

function comparedSearch(answer: Json, test: Case, expected: Expected): string | undefined {
  if (expected.is_error === true) return answer.isError === true ? undefined : 'answered without an error'
  if (answer.isError === true) return 'an error'
  const { result } = answer.structuredContent as { result: Json[] }
  const names = test.names ?? (expected.structured_content as Json | null | undefined)?.result
  if (names === undefined) return undefined
  const wanted = test.names ?? namesOf(expected)
  if (
    !isDeepStrictEqual(
      result.map(({ name }) => name),
      wanted,
    )
  )
    return `found ${result.map(({ name }) => name)}`
  if (test.names !== undefined || result[0]?.kind === undefined) return undefined
  return isDeepStrictEqual(result, expected.structured_content?.result) ? undefined : 'another navigation'
}

function searchRule(
  { tools, registered, stale }: Server,
  { search }: Catalog,
  args: Json,
  expected: Expected,
  answer: Json,
  report: SearchReport | undefined,
): string | undefined {
  if (search.kind === 'bm25') return 'DEV-P-4'
  if (typeof args.pattern === 'string' && UNKNOWN_TO_RE2.test(args.pattern)) return 'DEV-P-5'
  const carried = tools.filter(carriesManifest)
  if (expected.is_error !== true) {
    return carried.some(({ name }) => !registered.has(name) || stale.has(name)) ? 'DEV-P-11' : undefined
  }
  if (expected.reason_code === 'navigation-budget') {
    return (answer.structuredContent as Json).truncated === true ? 'DEV-P-3' : undefined
  }
  if (report !== undefined && report.skipped > 0) return 'DEV-P-2'
  return carried.length < tools.length ? 'DEV-P-6' : undefined
}

function comparedCall(answer: Json, expected: Expected): string | undefined {
  if ((answer.isError === true) !== (expected.is_error === true)) {
    return answer.isError === true ? 'an error' : 'no error'
  }
  if (expected.is_error === true) return undefined
  if (!isDeepStrictEqual(answer.structuredContent, expected.structured_content)) return 'another structured answer'
  const texts = (answer.content as Json[]).map(({ text }) => text)
  return isDeepStrictEqual(texts, expected.content) ? undefined : 'another text'
}
