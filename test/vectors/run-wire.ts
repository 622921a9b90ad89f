/**
 * Runners of the wire vectors: canonical, disclosures, manifests-invalid, fragments-invalid, indices. No case is known by
 * name; a rule of deviations.md applies by its condition on the case's data.
 * @module
 */

import { isDeepStrictEqual } from 'node:util'
import {
  buildSchemaDisclosure,
  canonicalizeJsonText,
  isCanonical,
  JsonError,
  JsonReader,
  parseFragmentIndex,
  parseJsonText,
  parseSchemaFragmentText,
  parseSchemaManifestText,
  readSchemaFragment,
  reconstructSchema,
  type SchemaDisclosure,
  SchemaDisclosureError,
  sha256Hex,
} from '../../src/core/index.ts'
import { count, newReport, type VectorReport } from './report.ts'

type Case = { readonly name: string; readonly [field: string]: unknown }
type CaseFile = { readonly cases: readonly Case[]; readonly [field: string]: unknown }

const utf8 = (text: string) => new TextEncoder().encode(text)

/** A value, or the code of the refusal. Anything but a coded refusal is a fault of ours and thrown on. */
async function attempt<Value>(run: () => Value | Promise<Value>): Promise<{ value?: Value; code?: string }> {
  try {
    return { value: await run() }
  } catch (error) {
    if (JsonError.is(error) || SchemaDisclosureError.is(error)) return { code: reasonOf(error) }
    throw error
  }
}

/** The most specific code: where a text could not be read, the reader's. */
function reasonOf(error: JsonError | SchemaDisclosureError): string {
  const { data } = error as { data: { json?: string } }
  return data.json ?? error.code
}

/** Rules that turn an accepted case into a refused one; each is a condition on what we found in the case's text. */
const STRICTER: Readonly<Record<string, string>> = { 'duplicate-name': 'DEV-W-1', depth: 'DEV-W-2' }

const verdict = (accepted: boolean, code: string | undefined): string | undefined =>
  accepted === (code === undefined) ? undefined : accepted ? `refused with ${code}` : 'accepted'

const stricterRule = (accepted: boolean, code: string | undefined): string | undefined =>
  accepted && code !== undefined ? STRICTER[code] : undefined

export async function runCanonical(file: unknown): Promise<VectorReport> {
  const report = newReport()
  for (const test of (file as CaseFile).cases) {
    const text = test.json_text as string
    const { value, code } = await attempt(() => canonicalizeJsonText(text))
    const expected = test.canonical as string | undefined
    let problem = verdict(expected !== undefined, code)
    if (problem === undefined && value !== undefined) {
      const bytes = utf8(value)
      if (value !== expected) problem = 'another canonical text'
      else if (bytes.length !== test.bytes || (await sha256Hex(value)) !== test.sha256)
        problem = 'another size or digest'
      else if (!isCanonical(bytes)) problem = 'own canonical text not taken for canonical'
      else if (isCanonical(utf8(text)) !== (text === expected)) problem = 'isCanonical disagrees on the source text'
    }
    count(report, test.name, problem, stricterRule(expected !== undefined, code))
  }
  return report
}

interface DisclosureCase extends Case {
  readonly recipe?: { readonly kind: string; readonly total: number; readonly unit?: string }
  readonly manifest?: object
  readonly fragments?: readonly { index: number; fragment_sha256: string; text: string; wire: string }[]
}

export async function runDisclosures(file: unknown): Promise<VectorReport> {
  const report = newReport()
  for (const test of (file as CaseFile).cases as readonly DisclosureCase[]) {
    const texts = schemaTexts(test)
    if (texts === undefined) {
      const how = `recipe ${test.recipe?.kind}`
      report.notRun.set(how, (report.notRun.get(how) ?? 0) + 1)
      continue
    }
    const built = await attempt(() =>
      buildSchemaDisclosure(texts, {
        operation: test.operation as string,
        alias: test.alias as string,
        sourceSha256: test.source_sha256 as string,
      }),
    )
    // The original builds what it then cannot reconstruct; here both are one refusal.
    const accepted = test.error === undefined && test.reconstruct_error === undefined
    let problem = verdict(accepted, built.code)
    if (problem === undefined && built.value !== undefined) problem = await compareDisclosure(test, built.value)
    count(report, test.name, problem, stricterRule(accepted, built.code))
  }
  return report
}

function schemaTexts(test: DisclosureCase): { inputSchema: string; outputSchema: string } | undefined {
  if (test.recipe === undefined) {
    return { inputSchema: test.input_schema_text as string, outputSchema: test.output_schema_text as string }
  }
  if (test.recipe.kind !== 'pad') return undefined
  const outputSchema = '{"type":"object"}'
  const frame = `{"inputSchema":{"description":""},"outputSchema":${outputSchema}}`.length
  return { inputSchema: `{"description":"${'a'.repeat(test.recipe.total - frame)}"}`, outputSchema }
}

async function compareDisclosure(test: DisclosureCase, disclosure: SchemaDisclosure): Promise<string | undefined> {
  const { manifest, parts } = disclosure
  if (JSON.stringify(manifest) !== JSON.stringify(test.manifest)) return 'another manifest'
  const wires: string[] = []
  for (let index = 0; index < parts.length; index++) {
    const fragment = await readSchemaFragment(disclosure, index, { expectedSha256: manifest.schema_sha256 })
    const wire = JSON.stringify(fragment)
    if (!isDeepStrictEqual({ ...(await parseSchemaFragmentText(wire)) }, { ...fragment }))
      return `fragment ${index} differs`
    const expected = test.fragments?.find((candidate) => candidate.index === index)
    if (expected !== undefined && expected.text !== undefined && fragment.text !== expected.text)
      return `text of ${index}`
    if (expected?.fragment_sha256 !== undefined && fragment.fragment_sha256 !== expected.fragment_sha256) {
      return `digest of ${index}`
    }
    if (expected?.wire !== undefined && wire !== expected.wire) return `wire text of ${index}`
    wires.push(wire)
  }
  const verified = await reconstructSchema(manifest, wires)
  return verified.text === parts.join('') ? undefined : 'reconstructed text differs'
}

export async function runManifests(file: unknown): Promise<VectorReport> {
  const report = newReport()
  for (const test of (file as CaseFile).cases) {
    const accepted = test.accepted as boolean
    const { code } = await attempt(() => parseSchemaManifestText(test.manifest_text as string))
    count(report, test.name, verdict(accepted, code), stricterRule(accepted, code))
  }
  return report
}

/** The elements of a JSON array as texts, so that nothing is lost; the parsed value of anything else. */
function fragmentsOf(text: string): Iterable<unknown> {
  const bytes = utf8(text)
  if (new JsonReader(bytes).kind() !== 'array') return parseJsonText(text) as Iterable<unknown>
  const texts: string[] = []
  new JsonReader(bytes).array((_index, reader) => {
    const { start, end } = reader.span()
    texts.push(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(start, end)))
  })
  return texts
}

interface ReadCaseDisclosure {
  readonly inputSchema: object
  readonly outputSchema: object
  readonly operation: string
  readonly alias: string
  readonly source_sha256: string
}

export async function runFragments(file: unknown): Promise<VectorReport> {
  const report = newReport()
  const { cases, single_fragment_cases: singles, read_cases: reads, read_case_disclosure: subject } = file as CaseFile
  for (const test of cases) {
    const accepted = test.accepted as boolean
    const { value, code } = await attempt(async () =>
      reconstructSchema(
        parseSchemaManifestText(test.manifest_text as string),
        fragmentsOf(test.fragments_text as string),
      ),
    )
    let problem = verdict(accepted, code)
    if (value !== undefined && accepted && test.result_sha256 !== undefined) {
      if ((await sha256Hex(value.text)) !== test.result_sha256) problem = 'another result'
    }
    count(report, test.name, problem, stricterRule(accepted, code))
  }
  for (const test of (singles ?? []) as Case[]) {
    const { code } = await attempt(() => parseSchemaFragmentText(test.fragment_text as string))
    // The original checks a fragment's digest only where it reconstructs; here a fragment that lies is none.
    const rule = test.accepted === true && code === 'fragment-digest' ? 'DEV-W-3' : undefined
    count(
      report,
      test.name,
      verdict(test.accepted as boolean, code),
      rule ?? stricterRule(test.accepted as boolean, code),
    )
  }
  const { inputSchema, outputSchema, operation, alias, source_sha256: sourceSha256 } = subject as ReadCaseDisclosure
  const disclosure = await buildSchemaDisclosure(
    { inputSchema: { ...inputSchema }, outputSchema: { ...outputSchema } },
    { operation, alias, sourceSha256 },
  )
  for (const test of (reads ?? []) as Case[]) {
    const index = parseJsonText((test.index as { json_text: string }).json_text) as number
    const expectedSha256 = test.expected_sha256 as string
    const { code } = await attempt(() => readSchemaFragment(disclosure, index, { expectedSha256 }))
    count(report, test.name, verdict(test.accepted as boolean, code))
  }
  return report
}

export async function runIndices(file: unknown): Promise<VectorReport> {
  const report = newReport()
  for (const test of (file as CaseFile).cases) {
    const { code } = await attempt(() => parseFragmentIndex(test.segment as string, test.fragment_count as number))
    count(report, `segment ${JSON.stringify(test.segment)}`, verdict(test.direct_accepted as boolean, code))
  }
  return report
}
