/**
 * Bug cases of the provider: URIs in every spelling, searches, navigation texts.
 * @module
 */

import { isDeepStrictEqual } from 'node:util'
import { fragmentUri, manifestUri, parseSchemaManifestText } from '../../src/core/index.ts'
import type { ListedTool } from '../../src/listing/index.ts'
import { discloseTool, navigateTools, RegexSearch, readSchemaUri } from '../../src/provider/index.ts'
import { readSearchArguments } from '../../src/provider/search-arguments.ts'
import { built, differing, type Json, judge, outcomeOf, type Runner } from './run-bug-cases-syntax.ts'

function listed(tool: Json): ListedTool {
  const members = Object.entries(tool).map(([name, value]) =>
    name.endsWith('_build') ? [name.slice(0, -'_build'.length), built(value)] : [name, value],
  )
  const made = { inputSchema: { type: 'object' }, ...Object.fromEntries(members) }
  return { name: String(tool.name), json: new TextEncoder().encode(JSON.stringify(made)) }
}

/** Reads of one catalog. */
const reader =
  (tools: readonly ListedTool[]) =>
  async (uri: string): Promise<string> => {
    const { text } = await readSchemaUri(uri, async (matches) => {
      for (const tool of tools) if (await matches(tool)) return tool
      return undefined
    })
    return text
  }

/** A tool of as many fragments as a case wants. */
const toolOf = (name: string, fragments: number): ListedTool =>
  listed({ name, inputSchema: { type: 'object', description: 'x'.repeat(Math.max(fragments - 1, 0) * 4096) } })

export const PROVIDER_KINDS: Readonly<Record<string, Runner>> = {
  async 'resource-read'(input, expect) {
    const name = String(input.tool ?? input.alias ?? 'orders.find')
    const tool = toolOf(name, Number(input.fragment_count ?? 1))
    const { manifest } = await discloseTool(tool)
    const read = reader([tool])
    if (manifest.fragment_count !== Number(input.fragment_count ?? 1)) return 'another number of fragments'
    const withAlias = (spelling: string) => manifest.manifest_uri.replace(`/${manifest.alias}/`, () => `/${spelling}/`)
    await read(withAlias(manifest.alias))
    const places: Readonly<Record<string, (spelling: string) => string>> = {
      index_spellings: (spelling) => manifest.fragment_uri_template.replace('{index}', () => spelling),
      uris_with_alias: withAlias,
      uri_alias_spellings: withAlias,
    }
    const [place, uriOf] = Object.entries(places).find(([field]) => input[field] !== undefined) ?? []
    if (place === undefined || uriOf === undefined) return 'no spellings'
    const listOf = (field: string) => (expect[field] ?? []) as readonly string[]
    for (const spelling of input[place] as readonly string[]) {
      const outcome =
        expect.each !== undefined
          ? outcomeOf(expect.each)
          : listOf('accepted').includes(spelling)
            ? outcomeOf('ok')
            : listOf('refused').includes(spelling)
              ? outcomeOf('error:unknown-resource')
              : undefined
      if (outcome === undefined && !listOf('latitude').includes(spelling))
        return `nothing is said about ${JSON.stringify(spelling)}`
      const problem = outcome && (await judge(() => read(uriOf(spelling)), outcome))
      if (problem !== undefined) return `${JSON.stringify(spelling)}: ${problem}`
    }
    return undefined
  },

  async 'resource-roundtrip'(input, expect) {
    for (const alias of input.aliases as readonly string[]) {
      const tool = toolOf(alias, 1)
      const disclosed = await discloseTool(tool).catch(() => undefined)
      if (disclosed === undefined) {
        if (expect.or === undefined) return `${JSON.stringify(alias)} is not disclosed`
        continue
      }
      const { manifest } = disclosed
      const read = reader([tool])
      const text = await read(manifestUri(manifest.alias, manifest.schema_sha256))
      if (parseSchemaManifestText(text).alias !== manifest.alias) return `${alias} is not read`
      await read(fragmentUri(manifest.alias, manifest.schema_sha256, 0))
    }
    return undefined
  },

  async search(input, expect) {
    if (input.arguments !== undefined) {
      const asked = readSearchArguments(input.arguments)
      // Words, not a code: a model reads them.
      if (!('problem' in asked)) return expect.error === undefined ? undefined : 'accepted'
      if (!/arguments|input/.test(String(expect.error))) return asked.problem
      return asked.problem.startsWith(String(expect.pointer ?? '/').slice(1)) ? undefined : asked.problem
    }
    const tools = ((input.catalog ?? []) as readonly Json[]).map(listed)
    const engine = new RegexSearch()
    let longest = 0
    for (const query of [input.query ?? [], input.queries ?? []].flat() as string[]) {
      const start = performance.now()
      const hits = await engine.search(query, tools, Number(input.limit ?? 5))
      longest = Math.max(longest, performance.now() - start)
      const wanted = expect[query] ?? expect[`'${query}'`]
      const names = hits.map(({ name }) => name)
      const isWanted = [names, names.length, names.length === 1 ? names[0] : undefined].some((form) =>
        isDeepStrictEqual(form, wanted),
      )
      if (wanted !== undefined && !isWanted) return `${query}: ${JSON.stringify(names)}`
    }
    return differing(expect, {
      completes_within_deadline: longest < Number(input.deadline_ms ?? Number.POSITIVE_INFINITY),
    })
  },

  async navigation(input, expect) {
    const { text } = await navigateTools([listed(input.tool as Json)])
    if (!text.includes(String((input.tool as Json).name))) return 'the tool is not shown'
    for (const part of [expect.has ?? []].flat()) if (!text.includes(String(part))) return `no ${part}`
    const forbidden = [expect.must_not ?? [], expect.navigation_text_must_not_contain ?? []].flat()
    for (const part of forbidden) if (text.includes(String(part))) return `shows ${part}`
    return undefined
  },
}
