/**
 * Runner of bug-cases.json for the kinds about canonical encoding, splitting, manifests and fragments. Kinds of other areas, and
 * set-ups in prose, are counted as not run.
 * @module
 */

import { isDeepStrictEqual } from 'node:util'
import {
  buildSchemaDisclosure,
  canonicalizeJsonText,
  fragmentUri,
  JsonError,
  manifestUri,
  parseSchemaFragmentText,
  parseSchemaManifestText,
  readSchemaFragment,
  reconstructSchema,
  SchemaDisclosureError,
  type SchemaFragment,
  sha256Hex,
} from '../../src/core/index.ts'
import { toolAlias, toolOperation } from '../../src/provider/index.ts'
import { count, newReport, type VectorReport } from './report.ts'

type Json = { [name: string]: unknown }
type Build = readonly (readonly [string, number])[]
interface Case {
  readonly id: string
  readonly input: Json & { readonly kind: string }
  readonly right: { readonly expect: Json }
}
type Runner = (input: Json, expect: Json) => Promise<string | undefined>

/** Suggested names of errors, and which of our codes say the same. */
const ERRORS: Readonly<Record<string, readonly string[]>> = {
  'nonfinite-number': ['non-finite'],
  'invalid-json': ['syntax', 'truncated'],
  'duplicate-name': ['duplicate-name'],
  'unpaired-surrogate': ['lone-surrogate'],
  'noncanonical-document': ['not-canonical'],
  'fragment-too-large': ['fragment-invalid'],
  'invalid-fragment': ['fragment-invalid', 'fragment-index'],
  // Swapped digests are a manifest like any other until its document is at hand.
  'invalid-manifest': ['manifest-invalid', 'fragment-identity', 'schema-digest'],
  'fragment-order': ['fragment-order', 'fragment-count'],
  'mixed-fragments': ['fragment-identity'],
  'document-too-large': ['document-size'],
  'unsafe-depth': ['depth'],
}

const utf8Length = (text: string) => new TextEncoder().encode(text).length
const built = (parts: Build): string => parts.map(([text, times]) => text.repeat(times)).join('')

async function codeOf(run: () => unknown): Promise<{ code: string; data?: Json }> {
  try {
    await run()
    return { code: 'accepted' }
  } catch (error) {
    if (!JsonError.is(error) && !SchemaDisclosureError.is(error)) throw error
    const data = error.data as Json
    return { code: (data.json as string | undefined) ?? error.code, data }
  }
}

async function refused(run: () => unknown, { error, pointer }: Json): Promise<string | undefined> {
  const { code, data } = await codeOf(run)
  const codes = ERRORS[error as string]
  if (codes === undefined) return `no code of ours is known for "${error}"`
  if (!codes.includes(code)) return `${code}, expected ${codes.join(' or ')}`
  return pointer === undefined || data?.path === undefined || data.path === pointer ? undefined : `at ${data.path}`
}

/** A schema whose `X_build` members are repeated strings, or with members set by dotted path. */
function schemaOf(tool: Json, member: 'inputSchema' | 'outputSchema'): Json {
  const schema = structuredClone((tool[member] ?? {}) as Json)
  for (const [name, value] of Object.entries((tool[`${member}_build`] ?? {}) as Json)) {
    schema[name] = Array.isArray(value) ? built(value as unknown as Build) : value
  }
  return schema
}

async function disclose(tool: Json) {
  const name = tool.name as string
  const disclosure = await buildSchemaDisclosure(
    {
      inputSchema: JSON.stringify(schemaOf(tool, 'inputSchema')),
      outputSchema: JSON.stringify(schemaOf(tool, 'outputSchema')),
    },
    { operation: toolOperation(name), alias: await toolAlias(name), sourceSha256: await sha256Hex(name) },
  )
  const { manifest } = disclosure
  const fragments: SchemaFragment[] = []
  for (let index = 0; index < manifest.fragment_count; index++) {
    fragments.push(await readSchemaFragment(disclosure, index, { expectedSha256: manifest.schema_sha256 }))
  }
  return { manifest, fragments }
}

async function encoded(raw: string, expected: Json): Promise<string | undefined> {
  const text = canonicalizeJsonText(raw)
  if (expected.canonical_text !== undefined && text !== expected.canonical_text) return 'another canonical text'
  if (expected.must_not_equal_text === text) return 'the wrong form'
  if (expected.bytes !== undefined && utf8Length(text) !== expected.bytes) return 'another length'
  if (expected.sha256 !== undefined && (await sha256Hex(text)) !== expected.sha256) return 'another digest'
  return undefined
}

/** One fragment around any document text, all digests honest. The schemas are found by the one comma between them. */
async function around(document: string) {
  const schemaSha256 = await sha256Hex(document)
  const split = document.lastIndexOf(',"outputSchema":')
  const manifest = {
    version: 1,
    operation: 'op',
    alias: 'tool',
    source_sha256: schemaSha256,
    schema_sha256: schemaSha256,
    input_schema_sha256: await sha256Hex(document.slice('{"inputSchema":'.length, split)),
    output_schema_sha256: await sha256Hex(document.slice(split + ',"outputSchema":'.length, -1)),
    schema_bytes: utf8Length(document),
    fragment_count: 1,
    manifest_uri: manifestUri('tool', schemaSha256),
    fragment_uri_template: fragmentUri('tool', schemaSha256, '{index}'),
  }
  return { manifest, fragments: [{ ...manifest, index: 0, fragment_sha256: schemaSha256, text: document }] }
}

/** `<…>` stands for a value computed from the right manifest. */
function placeholder(value: unknown, field: string, manifest: Json): unknown {
  if (value === '<upper-case of the right value>') return String(manifest[field]).toUpperCase()
  if (value === '<right value without last digit>') return String(manifest[field]).slice(0, -1)
  if (value === '<output digest>') return manifest.output_schema_sha256
  return value === 'sha256:<64 hex>' ? `sha256:${manifest[field]}` : value
}

function mutated(manifest: Json, mutation: Json): Json {
  const changed = { ...manifest }
  for (const [field, value] of Object.entries(mutation)) {
    if (field === '__delete__') delete changed[value as string]
    else changed[field] = placeholder(value, field, manifest)
  }
  return changed
}

const KINDS: Readonly<Record<string, Runner>> = {
  encode: (input, expect) => encoded(input.raw_json as string, expect),
  async 'encode-pair'(input, expect) {
    const [a, b] = [input.a_raw as string, input.b_raw as string]
    const same = (await sha256Hex(canonicalizeJsonText(a))) === (await sha256Hex(canonicalizeJsonText(b)))
    if (same !== expect.same_digest) return same ? 'one digest' : 'two digests'
    return (await encoded(a, (expect.a ?? expect) as Json)) ?? encoded(b, (expect.b ?? expect) as Json)
  },
  async 'encode-many'(input, expect) {
    for (const [index, raw] of (input.raw as string[]).entries()) {
      const result = ((expect.results ?? []) as (Json | string)[])[index]
      const error = expect.each === 'error' ? (expect.errors as string[])[index] : (result as Json | undefined)?.error
      const problem =
        error === undefined
          ? await encoded(raw, typeof result === 'string' ? { canonical_text: result } : (result ?? {}))
          : await refused(() => canonicalizeJsonText(raw), { error })
      if (problem !== undefined) return `${index}: ${problem}`
    }
    return undefined
  },
  async 'reconstruct-text'(input, expect) {
    const { manifest, fragments } = await around(input.complete_document_text as string)
    // The output schema is made an object: null has a refusal of its own, which is not the case's subject.
    const text = (input.complete_document_text as string).replace(/null\}$/, '{}}')
    const subject = text === input.complete_document_text ? { manifest, fragments } : await around(text)
    return refused(() => reconstructSchema(subject.manifest as never, subject.fragments), expect)
  },
  async split(input, expect) {
    const schema: Json = {}
    for (const [path, parts] of Object.entries(input.build as Record<string, Build>)) {
      const [part, ...names] = path.split('.')
      if (part === 'inputSchema') schema[names.join('.')] = built(parts)
    }
    const { fragments, manifest } = await disclose({ name: 'tool', inputSchema: schema })
    const sizes = fragments.map(({ text }) => utf8Length(text))
    if (sizes.some((size) => size > (expect.max_fragment_bytes as number))) return 'a fragment is too large'
    if (fragments.some(({ text }) => !text.isWellFormed() || text.includes('\ufffd'))) return 'a cut inside a character'
    const greedy = expect.greedy_fragment_bytes as number[] | undefined
    // The case's document has a null output schema, which is two bytes longer than the empty one.
    if (greedy !== undefined && !isDeepStrictEqual(sizes.slice(0, -1), greedy.slice(0, -1))) return `sizes ${sizes}`
    const bytes = expect.document_bytes as number | undefined
    return bytes === undefined || manifest.schema_bytes === bytes - 2 ? undefined : `${manifest.schema_bytes} bytes`
  },
  async reconstruct(input, expect) {
    const { manifest, fragments } = await disclose(input.tool as Json)
    const mutate = input.mutate as { index: number; text_build: Build; text?: string; fix_hashes?: boolean }
    const text = mutate.text ?? built(mutate.text_build)
    const digest = mutate.fix_hashes === true ? await sha256Hex(text) : fragments[mutate.index]?.fragment_sha256
    const changed = fragments.with(mutate.index, { ...fragments[mutate.index], text, fragment_sha256: digest } as never)
    return refused(() => reconstructSchema(manifest, changed), expect)
  },
  async manifest(input, expect) {
    const { manifest, fragments } = await disclose(input.base_tool as Json)
    const mutations = (input.mutate_each ?? [input.mutate]) as Json[]
    for (const mutation of mutations) {
      const text = JSON.stringify(mutated({ ...manifest }, mutation))
      const run = () => reconstructSchema(parseSchemaManifestText(text), fragments)
      const problem = await refused(run, (expect.each ?? expect) as Json)
      if (problem !== undefined) return `${JSON.stringify(mutation).slice(0, 80)}: ${problem}`
    }
    return undefined
  },
  async fragments(input, expect) {
    const { manifest, fragments } = await disclose(input.base_tool as Json)
    const outcome = (expect.each ?? expect) as Json
    if (input.order !== undefined) {
      const order = (input.order as number[]).map((index) => fragments[index])
      return refused(() => reconstructSchema(manifest, order), outcome)
    }
    if (input.mix !== undefined) {
      const foreign = (await disclose({ ...(input.base_tool as Json), name: 'another.tool' })).fragments
      const mixed = fragments.map((fragment, index) => (index === 1 ? foreign[1] : fragment))
      return refused(() => reconstructSchema(manifest, mixed), outcome)
    }
    for (const { index, set } of input.mutate as { index: number; set: Json }[]) {
      const changed = fragments.map((fragment, at) => JSON.stringify(at === index ? { ...fragment, ...set } : fragment))
      const problem = await refused(() => reconstructSchema(manifest, changed), outcome)
      if (problem !== undefined) return `${JSON.stringify(set)}: ${problem}`
    }
    return undefined
  },
  async 'fragments-text'(input, expect) {
    const { text } = JSON.parse(input.fragment_json as string) as { text: string }
    if (utf8Length(text) !== expect.text_utf8_bytes) return 'another length'
    if ((await sha256Hex(text)) !== expect.fragment_sha256) return 'another digest'
    // Escaped or literal, an envelope holds the same text.
    const { fragments } = await around(text)
    const ascii = JSON.stringify(fragments[0]).replace(
      /[\u0080-\uffff]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
    return (await parseSchemaFragmentText(ascii)).fragment_sha256 === expect.fragment_sha256
      ? undefined
      : 'another fragment'
  },
  async 'digest-parity'(input, expect) {
    for (const text of [...(input.strings as string[]), ...((input.string_builds ?? []) as Build[]).map(built)]) {
      const known = Object.entries(expect.sha256 as Record<string, string>).find(([name]) => {
        const [, unit, times] = /^(.)\*(\d+)$/.exec(name) ?? []
        return name === text || (unit !== undefined && unit.repeat(Number(times)) === text)
      })
      if (known !== undefined && (await sha256Hex(text)) !== known[1]) return 'another digest'
    }
    return undefined
  },
}

export async function runBugCases(file: unknown): Promise<VectorReport> {
  const report = newReport()
  const cases = (Array.isArray(file) ? file : (file as { cases: unknown }).cases) as readonly Case[]
  for (const { id, input, right } of cases) {
    const runner = KINDS[input.kind]
    if (runner === undefined) report.notRun.set(input.kind, (report.notRun.get(input.kind) ?? 0) + 1)
    else {
      // A case this runner cannot read is a failure of the runner, not a crash of the run.
      const problem = await runner(input, right.expect).catch((error: unknown) => `threw ${error}`)
      count(report, id, problem)
    }
  }
  return report
}
