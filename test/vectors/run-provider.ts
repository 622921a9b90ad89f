/**
 * Runner of provider.json: summaries, searches and reads by the provider engine, tool lists and calls through the proxy.
 * @module
 */

import { isDeepStrictEqual } from 'node:util'
import { buildSchemaDisclosure } from '../../src/core/index.ts'
import type { ListedTool } from '../../src/listing/index.ts'
import {
  distinctTools,
  navigateTools,
  ProviderError,
  RankedSearch,
  RegexSearch,
  readSchemaUri,
  summarizeTool,
} from '../../src/provider/index.ts'
import { compareCall, listedNames, type ProxiedServer } from './provider-proxy.ts'
import { count, newReport, type VectorReport } from './report.ts'

export type Json = { [name: string]: unknown }
export interface VectorTool extends Json {
  readonly name: string
  readonly description_build?: [string, number][]
  readonly callers: { readonly default: { readonly enabled: boolean; readonly visible: boolean } }
}
export interface Catalog {
  readonly tools: readonly VectorTool[]
  readonly search: {
    readonly kind: string
    readonly serializer: string
    readonly maxResults: number
    readonly pinned: readonly string[]
    readonly searchToolName: string
    readonly callToolName: string
  }
  readonly disclosures: { readonly [name: string]: { readonly manifest: Json } }
}
export interface Case extends Json {
  readonly name: string
  readonly catalog: string
  readonly setup: Json
  readonly request?: Request
  readonly requests?: readonly (Request & {
    readonly as?: string
    readonly do?: { readonly disable?: string[]; readonly enable?: string[] }
  })[]
}
export interface Request {
  readonly method: string
  readonly params?: Json
}
export interface File {
  readonly catalogs: { readonly [name: string]: Catalog }
  readonly summaries: readonly {
    name: string
    description: string | null
    parameters_text: string
    output_schema_text: string
    summary: string
  }[]
  readonly cases: readonly Case[]
}

const utf8 = (text: string) => new TextEncoder().encode(text)
/** What RE2 has no words for, see DEV-P-5. */
export const UNKNOWN_TO_RE2 =
  /\\[bBW<>]|&&|--|~~|\[[^\]]*\[(?!:)|\{\s*(?:\d+\s*,\s*)?\d{4,}|\(\?[a-zA-Z]*(?:R|-[a-z]*u)/
const MEMBERS = ['name', 'title', 'description', 'inputSchema', 'outputSchema', '_meta']

export async function runProvider(file: unknown): Promise<VectorReport> {
  const report = newReport()
  const { summaries, cases, catalogs } = file as File
  for (const test of summaries) {
    const description = test.description === null ? '' : `"description":${JSON.stringify(test.description)},`
    const json = `{"name":"tool_x",${description}"inputSchema":${test.parameters_text},"outputSchema":${test.output_schema_text}}`
    const summary = summarizeTool({ name: 'tool_x', json: utf8(json) })
    count(report, `summary: ${test.name}`, summary === test.summary ? undefined : 'another summary')
  }
  for (const test of cases) await runCase(report, test, catalogs[test.catalog] as Catalog)
  return report
}

async function runCase(report: VectorReport, test: Case, catalog: Catalog): Promise<void> {
  const server = await makeServer(catalog, test.setup)
  const requests = test.requests ?? [{ ...(test.request as Request), as: 'result' }]
  for (const request of requests) {
    if (request.do !== undefined) {
      for (const name of request.do.disable ?? []) server.disabled.add(name)
      for (const name of request.do.enable ?? []) server.disabled.delete(name)
      continue
    }
    const expected = answerOf(test, request.as ?? 'result')
    const label = `${test.name} [${request.as ?? 'result'}]`
    if (request.method === 'resources/read') {
      // Reads of an upstream's own manifests are judged by the same engine.
      const uri = (test.wire_uri ?? request.params?.uri) as string
      const problem = await read(server, uri, expected)
      count(report, label, problem, readRule(server, uri, expected))
    } else if (request.method === 'tools/call' && /^(?:search_tools|find)$/.test(String(request.params?.name))) {
      const { problem, rule } = await search(server, catalog, request.params?.arguments as Json, test, expected)
      count(report, label, problem, rule)
    } else if (request.method === 'tools/list') {
      // Names and order; the wording of the meta-tools is our own.
      const names = (test.names ?? (test.tools as Json[]).map(({ name }) => name)) as string[]
      const found = await listedNames(proxied(server, catalog))
      count(report, label, isDeepStrictEqual(found, names) ? undefined : `lists ${found}`)
    } else if (request.method === 'tools/call') {
      const problem = await compareCall(proxied(server, catalog), request.params as Json, expected)
      // A meta-tool's name reaches the upstream's tool of that name, where it has one.
      count(report, label, problem, expected.reason_code === 'synthetic-tool' ? 'DEV-P-7' : undefined)
    } else report.notRun.set(request.method, (report.notRun.get(request.method) ?? 0) + 1)
  }
}

const proxied = (server: Server, { search }: Catalog): ProxiedServer => ({
  tools: listed(server).map(({ json }) => new TextDecoder().decode(json)),
  handlers: new Map(
    server.tools.filter(({ name }) => !server.disabled.has(name)).map((tool) => [tool.name, tool.handler as Json]),
  ),
  pinned: search.pinned,
  searchTool: search.searchToolName,
  callTool: search.callToolName,
})

export interface Server {
  readonly tools: VectorTool[]
  readonly disabled: Set<string>
  readonly hidden: ReadonlySet<string>
  readonly registered: ReadonlySet<string>
  /** Tools whose registered disclosure is of an older schema. */
  readonly stale: ReadonlySet<string>
}

export async function makeServer(catalog: Catalog, setup: Json): Promise<Server> {
  const tools = structuredClone(catalog.tools) as VectorTool[]
  const tool = (name: unknown) => tools.find((candidate) => candidate.name === name) as VectorTool & { _meta: unknown }
  const { mutate, setMeta, copyMetaFrom, staleMapping, withoutDisclosure, disable, middlewareHides } = setup as {
    [key: string]: Json & string[]
  }
  if (mutate !== undefined) {
    Object.assign(tool(mutate.tool), mutate.set ?? {})
    if (mutate.drop !== undefined) delete (tool(mutate.tool) as Json)[mutate.drop as string]
  }
  if (setMeta !== undefined) tool(setMeta.tool)._meta = setMeta._meta
  if (copyMetaFrom !== undefined) tool(copyMetaFrom.tool)._meta = structuredClone(tool(copyMetaFrom.from)._meta)
  if (staleMapping !== undefined) {
    const changed = tool(staleMapping.tool) as VectorTool & { inputSchema: unknown; _meta: { openapi_schema: Json } }
    changed.inputSchema = staleMapping.inputSchema
    const old = changed._meta.openapi_schema
    const { manifest } = await buildSchemaDisclosure(
      { inputSchema: JSON.stringify(changed.inputSchema), outputSchema: JSON.stringify(changed.outputSchema) },
      { operation: old.operation as string, alias: old.alias as string, sourceSha256: old.source_sha256 as string },
    )
    changed._meta.openapi_schema = { ...manifest }
  }
  const registered = new Set(Object.keys(catalog.disclosures))
  for (const name of withoutDisclosure ?? []) registered.delete(name)
  const off = tools.filter(({ callers }) => !callers.default.enabled).map(({ name }) => name)
  return {
    tools,
    registered,
    stale: new Set(staleMapping === undefined ? [] : [staleMapping.tool as string]),
    disabled: new Set([...off, ...(disable ?? [])]),
    hidden: new Set([
      ...tools.filter(({ callers }) => !callers.default.visible).map(({ name }) => name),
      ...(middlewareHides ?? []),
    ]),
  }
}

/** What this caller may see now, as a server lists it. */
export const listed = ({ tools, disabled, hidden }: Server): ListedTool[] =>
  tools
    .filter(({ name }) => !disabled.has(name) && !hidden.has(name))
    .map((tool) => {
      const description =
        tool.description_build?.map(([text, times]) => text.repeat(times)).join('') ?? tool.description
      const members = MEMBERS.map((member) => [member, member === 'description' ? description : tool[member]] as const)
      const present = members.filter(([, value]) => value !== undefined && value !== null)
      return { name: tool.name, json: utf8(JSON.stringify(Object.fromEntries(present))) }
    })

export interface Expected extends Json {
  readonly ok?: boolean
  readonly is_error?: boolean
  readonly reason_code?: string | null
  readonly structured_content?: { readonly result: unknown } | null
  readonly contents?: unknown
  readonly items?: readonly Json[]
}

export function answerOf(test: Case, as: string): Expected {
  const [, list, index, field] = /^(\w+)\[(\d+)\](?:\.?(\w+))?/.exec(as) ?? []
  if (list === undefined) {
    const flag = as.endsWith('_ok') ? { ok: test[as] as boolean } : undefined
    return flag ?? ((test[as] ?? {}) as Expected)
  }
  const entry = (test[list] as Json[])[Number(index)] as Json
  return (field === undefined ? (entry.result ?? entry) : entry[field]) as Expected
}

async function read(server: Server, uri: string, expected: Expected): Promise<string | undefined> {
  const { tools } = await distinctTools(listed(server))
  try {
    const content = await readSchemaUri(uri, async (matches) => {
      for (const tool of tools) {
        // Only registered tools have a readable schema.
        if ((await matches(tool)) && server.registered.has(tool.name)) return tool
      }
      return undefined
    })
    if (expected.ok === false) return 'answered'
    const [item] = (expected.items ?? []) as { text?: string; mimeType?: string }[]
    return item?.text === undefined || item.text === content.text ? undefined : 'another text'
  } catch (error) {
    if (!ProviderError.is(error)) throw error
    return expected.ok === false ? undefined : 'refused'
  }
}

/** Stricter on the URI's raw text: the original decodes percent escapes and ignores queries. */
function readRule(server: Server, uri: string, expected: Expected): string | undefined {
  if (
    expected.ok === true &&
    !/^openapi-schema:\/\/v1\/[A-Za-z0-9_-]+\/[0-9a-f]{64}\/(?:manifest|fragments\/\d+)$/.test(uri)
  ) {
    return 'DEV-P-1'
  }
  return expected.ok === false && isDerived(server, uri) ? 'DEV-P-6' : undefined
}

/** The tool of the URI carries no manifest of its own that anybody registered as it is now. */
function isDerived({ tools, stale }: Server, uri: string): boolean {
  const alias = uri.split('/')[3]
  const tool = tools.find(({ name }) => name === alias)
  return tool !== undefined && (stale.has(tool.name) || !carriesManifest(tool))
}

export const carriesManifest = (tool: VectorTool): boolean =>
  typeof tool._meta === 'object' && tool._meta !== null && 'openapi_schema' in tool._meta

async function search(
  server: Server,
  { search: options }: Catalog,
  args: Json,
  test: Case,
  answer: Expected,
): Promise<{ problem: string | undefined; rule?: string }> {
  const query = args.pattern ?? args.query
  if (typeof query !== 'string') return { problem: answer.is_error === true ? undefined : 'no string accepted' }
  const all = listed(server).filter(({ name }) => !options.pinned.includes(name))
  const ranked = options.kind === 'bm25'
  const engine = ranked ? new RankedSearch() : new RegexSearch({ order: 'catalog' })
  // A limit of 0 is 1 in the original: it is tested after the first hit.
  const hits = await engine.search(query, (await distinctTools(all)).tools, Math.max(options.maxResults, 1))
  if (test.names !== undefined || options.serializer === 'tools') {
    const names = (test.names ?? namesOf(answer)) as string[] | null
    if (names === null) return { problem: undefined }
    const found = hits.map(({ name }) => name)
    if (isDeepStrictEqual(found, names)) return { problem: undefined }
    const rule = ranked ? 'DEV-P-4' : UNKNOWN_TO_RE2.test(query) ? 'DEV-P-5' : undefined
    return { problem: `found ${found}`, ...(rule === undefined ? undefined : { rule }) }
  }
  const navigation = await navigateTools(hits)
  if (answer.is_error === true) {
    const rule =
      answer.reason_code === 'navigation-budget'
        ? navigation.truncated
          ? 'DEV-P-3'
          : undefined
        : navigation.skipped > 0 || navigation.entries.length === 0
          ? 'DEV-P-2'
          : hits.some((hit) => !carriesManifest(server.tools.find(({ name }) => name === hit.name) as VectorTool))
            ? 'DEV-P-6'
            : undefined
    return { problem: 'answered without an error', ...(rule === undefined ? undefined : { rule }) }
  }
  const expected = (answer.structured_content as { result: unknown }).result
  return { problem: isDeepStrictEqual(JSON.parse(navigation.text), expected) ? undefined : 'another navigation' }
}

export const namesOf = (answer: Expected): string[] | null =>
  ((answer.structured_content?.result ?? null) as Json[] | null)?.map(({ name }) => name as string) ?? null
