/**
 * Bug cases of the provider: URIs in every spelling, searches, navigation texts.
 * @module
 */

import { fragmentUri, manifestUri, parseSchemaManifestText } from '../../src/core/index.ts'
import type { ListedTool } from '../../src/listing/index.ts'
import { discloseTool, navigateTools, ProviderError, RegexSearch, readSchemaUri } from '../../src/provider/index.ts'
import { readSearchArguments } from '../../src/provider/search-arguments.ts'
import { built, type Json, type Runner } from './run-bug-cases-syntax.ts'

function listed(tool: Json): ListedTool {
  const members = Object.entries(tool).map(([name, value]) =>
    name.endsWith('_build') ? [name.slice(0, -'_build'.length), built(value)] : [name, value],
  )
  const made = { inputSchema: { type: 'object' }, ...Object.fromEntries(members) }
  return { name: String(tool.name), json: new TextEncoder().encode(JSON.stringify(made)) }
}

/** Reads of one catalog: what was found, or how it was refused; `lookedUp` holds whatever was compared with a name. */
function reader(tools: readonly ListedTool[]) {
  const refusals = new Set<string>()
  const read = async (uri: string): Promise<string | undefined> => {
    try {
      const { text } = await readSchemaUri(uri, async (matches) => {
        for (const tool of tools) if (await matches(tool)) return tool
        return undefined
      })
      return text
    } catch (error) {
      if (!ProviderError.is(error) || error.code !== 'not-found') throw error
      refusals.add(error.message)
      return undefined
    }
  }
  return { read, refusals }
}

/** A tool of as many fragments as a case wants. */
const toolOf = (name: string, fragments: number): ListedTool =>
  listed({ name, inputSchema: { type: 'object', description: 'x'.repeat(Math.max(fragments - 1, 0) * 4096) } })

export const PROVIDER_KINDS: Readonly<Record<string, Runner>> = {
  async 'resource-read'(input, expect) {
    const name = String(input.tool ?? input.alias ?? 'orders.find')
    const tool = toolOf(name, Number(input.fragment_count ?? 1))
    const { manifest } = await discloseTool(tool)
    const { read, refusals } = reader([tool])
    if (manifest.fragment_count !== Number(input.fragment_count ?? 1)) return 'another number of fragments'
    if ((await read(manifest.manifest_uri)) === undefined) return 'its own manifest is refused'
    const places = {
      index_spellings: (spelling: string) => manifest.fragment_uri_template.replace('{index}', () => spelling),
      uris_with_alias: (spelling: string) =>
        manifest.manifest_uri.replace(`/${manifest.alias}/`, () => `/${spelling}/`),
      uri_alias_spellings: (spelling: string) =>
        manifest.manifest_uri.replace(`/${manifest.alias}/`, () => `/${spelling}/`),
    }
    const [place, uriOf] = Object.entries(places).find(([field]) => input[field] !== undefined) ?? []
    if (place === undefined || uriOf === undefined) return 'no spellings'
    const each = expect.each as Json | undefined
    const accepted = each?.ok === true ? input[place] : (expect.accepted ?? [])
    const refused = each?.ok === false ? input[place] : (expect.refused ?? [])
    const known = [accepted, refused, expect.latitude ?? []].flat()
    for (const spelling of input[place] as readonly string[]) {
      if (!known.includes(spelling)) return `nothing is said about ${JSON.stringify(spelling)}`
      const isRead = (await read(uriOf(spelling))) !== undefined
      const wrong = isRead ? refused : accepted
      if ((wrong as readonly string[]).includes(spelling))
        return `${JSON.stringify(spelling)} is ${isRead ? 'read' : 'refused'}`
    }
    return refusals.size > 1 ? 'refusals differ' : undefined
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
      const { read } = reader([tool])
      const text = await read(manifestUri(manifest.alias, manifest.schema_sha256))
      if (text === undefined || parseSchemaManifestText(text).alias !== manifest.alias) return `${alias} is not read`
      if ((await read(fragmentUri(manifest.alias, manifest.schema_sha256, 0))) === undefined) return 'no fragment'
    }
    return undefined
  },

  async search(input, expect) {
    if (input.arguments !== undefined) {
      const asked = readSearchArguments(input.arguments)
      const problem = 'problem' in asked ? asked.problem : undefined
      if (expect.error === undefined) return problem
      if (problem === undefined) return 'accepted'
      const argument = String(expect.pointer ?? '/').slice(1)
      return problem.startsWith(argument) ? undefined : problem
    }
    const tools = ((input.catalog ?? []) as readonly Json[]).map(listed)
    const engine = new RegexSearch()
    for (const query of [input.query ?? [], input.queries ?? []].flat() as string[]) {
      const start = performance.now()
      const hits = await engine.search(query, tools, Number(input.limit ?? 5))
      const elapsed = performance.now() - start
      if (elapsed > Number(input.deadline_ms ?? Number.POSITIVE_INFINITY)) return `${query}: ${Math.round(elapsed)} ms`
      const wanted = expect[query] ?? expect[`'${query}'`]
      if (wanted !== undefined) {
        const names = JSON.stringify(hits.map(({ name }) => name))
        const found = [wanted, Array.isArray(wanted) ? wanted : [wanted]].some(
          (value) => JSON.stringify(value) === names,
        )
        if (!found && JSON.stringify(wanted) !== JSON.stringify(hits.length)) return `${query}: ${names}`
      }
    }
    return undefined
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
