/**
 * Runner of bug-cases.json for the kinds about canonical encoding, splitting, manifests and fragments, with those of the
 * provider and of validation. Kinds of other areas, and cases whose set-up is prose, are counted as not run: the latter have
 * tests that cite their ids. No case is known by id.
 * @module
 */

import { createHash } from 'node:crypto'
import { readSchema } from '../../src/consumer/index.ts'
import { splitDocument } from '../../src/core/build.ts'
import {
  buildSchemaDisclosure,
  canonicalizeJsonText,
  fragmentUri,
  parseSchemaFragmentText,
  parseSchemaManifestText,
  reconstructSchema,
  type SchemaFragment,
  sha256Hex,
} from '../../src/core/index.ts'
import { readBounded } from '../../src/proxy/bytes.ts'
import { fakeSession } from '../consumer/fake-session.ts'
import { count, newReport, type VectorReport } from './report.ts'
import { PROVIDER_KINDS } from './run-bug-cases-provider.ts'
import { around, asciiOnly, chunksOf, deliveries, disclose, filled, stringsIn, utf8 } from './run-bug-cases-setups.ts'
import {
  differing,
  errorName,
  type Json,
  judge,
  mutated,
  objectOf,
  outcomeAt,
  outcomeOf,
  type Runner,
  textsOf,
} from './run-bug-cases-syntax.ts'
import { VALIDATION_KINDS } from './run-bug-cases-validation.ts'

interface Case {
  readonly id: string
  readonly input: Json & { readonly kind: string }
  readonly right: { readonly expect: Json }
}

/** One text encoded: as `expect` describes the form, or refused as it names the error. */
async function encoded(raw: string, expect: unknown): Promise<string | undefined> {
  const isForm = typeof expect === 'string' && expect !== 'error' && errorName(expect) === undefined
  if (!isForm && (typeof expect !== 'object' || (expect as Json).error !== undefined)) {
    return judge(() => canonicalizeJsonText(raw), outcomeOf(expect))
  }
  const form: Json = typeof expect === 'string' ? { canonical_text: expect } : (expect as Json)
  const text = canonicalizeJsonText(raw)
  if ([form.must_not_equal_text].flat().includes(text)) return 'the forbidden form'
  return differing(form, { canonical_text: text, bytes: utf8(text).length, sha256: await sha256Hex(text) })
}

const KINDS: Readonly<Record<string, Runner>> = {
  ...VALIDATION_KINDS,
  ...PROVIDER_KINDS,

  encode: (input, expect) => encoded(textsOf(input, 'raw_json')[0] as string, expect),

  async 'encode-pair'(input, expect) {
    const [a, b] = [textsOf(input, 'a_raw')[0] as string, textsOf(input, 'b_raw')[0] as string]
    const problem = (await encoded(a, expect.a ?? expect)) ?? (await encoded(b, expect.b ?? expect))
    if (problem !== undefined) return problem
    const digests = await Promise.all([a, b].map((text) => sha256Hex(canonicalizeJsonText(text))))
    return differing(expect, { same_digest: digests[0] === digests[1] })
  },

  async 'encode-many'(input, expect) {
    const results = expect.results as readonly unknown[] | undefined
    for (const [index, raw] of textsOf(input, 'raw').entries()) {
      const problem =
        results === undefined
          ? await judge(() => canonicalizeJsonText(raw), outcomeAt(expect, index))
          : await encoded(raw, results[index])
      if (problem !== undefined) return `${index}: ${problem}`
    }
    return undefined
  },

  async 'reconstruct-text'(input, expect) {
    const { manifest, fragments } = await around(textsOf(input, 'complete_document_text')[0] as string)
    return judge(() => reconstructSchema(manifest as never, fragments), outcomeAt(expect, 0))
  },

  async split(input, expect) {
    const source = objectOf(input.build as Json)
    // Splitting is defined for an absent output schema too; the document then holds null.
    const document = canonicalizeJsonText(
      JSON.stringify({ inputSchema: source.inputSchema ?? {}, outputSchema: source.outputSchema ?? null }),
    )
    const parts = splitDocument(utf8(document))
    const sizes = parts.map((part) => utf8(part).length)
    if (expect.max_fragment_bytes !== undefined && sizes.some((size) => size > (expect.max_fragment_bytes as number))) {
      return `a fragment of ${Math.max(...sizes)} bytes`
    }
    return differing(expect, {
      document_bytes: utf8(document).length,
      document_sha256: await sha256Hex(document),
      greedy_fragment_bytes: sizes,
      every_fragment_is_valid_utf8: parts.every((part) => part.isWellFormed()),
      'contains_U+FFFD': parts.some((part) => part.includes('\ufffd')),
      concatenation_equals_document: parts.join('') === document,
    })
  },

  async 'split-limit'(_input, expect) {
    const limits = Object.entries(expect).flatMap(([name, value]) => {
      const size = /^at_(\d+)$/.exec(name)?.[1]
      return size === undefined ? [] : [[Number(size), value] as const]
    })
    if (limits.length === 0) return 'no size is named'
    const frame = '{"inputSchema":{"description":""},"outputSchema":{}}'.length
    for (const [size, value] of limits) {
      const inputSchema = JSON.stringify({ description: 'a'.repeat(size - frame) })
      const identity = { operation: 'op', alias: 'tool', sourceSha256: '0'.repeat(64) }
      let facts: Json = {}
      const run = async () => {
        const { manifest, parts } = await buildSchemaDisclosure({ inputSchema, outputSchema: '{}' }, identity)
        facts = { document_bytes: manifest.schema_bytes, fragment_count: parts.length, fragments: parts.length }
      }
      const outcome = outcomeOf(value)
      const problem = (await judge(run, outcome)) ?? differing(outcome.fields, facts)
      if (problem !== undefined) return `${size}: ${problem}`
    }
    return undefined
  },

  async reconstruct(input, expect) {
    const { manifest, fragments } = await disclose(input.tool as Json)
    const mutate = input.mutate as Json
    if (mutate.op !== 'replace-fragment-text') return `unknown change "${mutate.op}"`
    const index = Number(mutate.index ?? 0)
    const text = textsOf(mutate, 'text')[0] as string
    const right = fragments[index] as SchemaFragment
    const digest = mutate.fix_hashes === true ? createHash('sha256').update(text).digest('hex') : right.fragment_sha256
    const changed = fragments.with(index, { ...right, text, fragment_sha256: digest } as never)
    return judge(() => reconstructSchema(manifest, changed), outcomeAt(expect, 0))
  },

  async envelope(input, expect) {
    const alias = 'a'.repeat(input.alias_length as number)
    const most = expect.every_envelope_bytes_max as number
    for (const text of textsOf(input, 'fragment_text')) {
      const { fragments } = await around(text, alias)
      const [fragment] = fragments
      // A text of one fragment only: what is cut further is no envelope of this text.
      if (fragments.length !== 1) return `${utf8(text).length} bytes are no fragment`
      const literal = JSON.stringify(fragment)
      for (const wire of [literal, asciiOnly(literal)]) {
        const fits = utf8(wire).length <= most
        const overflow = outcomeOf(expect.on_overflow ?? 'error')
        const problem = await judge(() => parseSchemaFragmentText(wire), fits ? outcomeOf('ok') : overflow)
        if (problem !== undefined) return `${utf8(wire).length} bytes: ${problem}`
        if (fits && (await parseSchemaFragmentText(wire)).text !== text) return 'another text'
      }
    }
    return undefined
  },

  async 'read-body'(input, expect) {
    const chunks = chunksOf(input.network_chunks as readonly unknown[], input.body_json)
    if (chunks === undefined) return 'chunks of an unknown form'
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(chunk)
        controller.close()
      },
    })
    const read = await readBounded(body, 1 << 20)
    if (!read.complete) return 'the body is too long'
    const parsed: unknown = JSON.parse(canonicalizeJsonText(read.bytes))
    const texts = stringsIn(parsed)
    const wanted = expect.parsed_text
    if (wanted !== undefined && !texts.includes(wanted as string)) return 'another text'
    return differing(expect, { 'contains_U+FFFD': texts.some((text) => text.includes('\ufffd')) })
  },

  async manifest(input, expect) {
    const { manifest, fragments } = await disclose(input.base_tool as Json)
    for (const [index, mutation] of ((input.mutate_each ?? [input.mutate]) as Json[]).entries()) {
      const changed = mutated({ ...manifest }, mutation)
      // The fragments tell the same story, so that the manifest alone can be what is wrong.
      const wires = fragments.map((fragment) => JSON.stringify({ ...fragment, ...changed }))
      const run = () => reconstructSchema(parseSchemaManifestText(JSON.stringify(changed)), wires)
      const problem = await judge(run, outcomeAt(expect, index))
      if (problem !== undefined) return `${JSON.stringify(mutation).slice(0, 80)}: ${problem}`
    }
    return undefined
  },

  async fragments(input, expect) {
    const { manifest, fragments } = await disclose(input.base_tool as Json)
    for (const [index, delivered] of (await deliveries(input, fragments)).entries()) {
      for (const form of [delivered, delivered.map((fragment) => JSON.stringify(fragment))]) {
        const problem = await judge(() => reconstructSchema(manifest, form), outcomeAt(expect, index))
        if (problem !== undefined) return `${index}: ${problem}`
      }
    }
    return undefined
  },

  async 'fragments-text'(input, expect) {
    const { text } = JSON.parse(textsOf(input, 'fragment_json')[0] as string) as { text: string }
    const [fragment] = (await around(text)).fragments
    // Escaped or literal, an envelope holds the same text.
    for (const wire of [JSON.stringify(fragment), asciiOnly(JSON.stringify(fragment))]) {
      const read = await parseSchemaFragmentText(wire)
      const facts = { text_utf8_bytes: utf8(read.text).length, fragment_sha256: read.fragment_sha256 }
      const problem = differing(expect, facts)
      if (problem !== undefined) return problem
    }
    return undefined
  },

  async 'resource-results'(input, expect) {
    const { disclosure, manifest, fragments } = await disclose(TWO_FRAGMENTS)
    const [selected, wire] = [JSON.stringify(manifest), JSON.stringify(fragments[0])]
    for (const [index, result] of (input.results as readonly unknown[]).entries()) {
      for (const place of [manifest.manifest_uri, fragmentUri(manifest.alias, manifest.schema_sha256, 0)]) {
        const { session } = fakeSession(disclosure, ({ params }, honest) =>
          params.uri === place ? filled(result, { manifest: selected, fragment: wire, uri: place }) : honest(),
        )
        const problem = await judge(() => readSchema(session, manifest), outcomeAt(expect, index))
        if (problem !== undefined) return `${index} as ${place.split('/').slice(5).join('/')}: ${problem}`
      }
    }
    return undefined
  },

  async 'digest-parity'(input, expect) {
    const known = new Map<string, string>()
    for (const [name, digest] of Object.entries((expect.sha256 ?? {}) as Record<string, string>)) {
      const [, unit, times] = /^(.+)\*(\d+)$/su.exec(name) ?? []
      known.set(unit === undefined ? name : unit.repeat(Number(times)), digest)
    }
    let equal = true
    for (const text of textsOf(input, 'string')) {
      const digest = await sha256Hex(text)
      equal &&= digest === createHash('sha256').update(text, 'utf8').digest('hex')
      if (known.has(text) && known.get(text) !== digest) return `another digest of ${text.length} characters`
      known.delete(text)
    }
    if (known.size > 0) return `${known.size} digests belong to no string`
    for (const half of ['\ud800', 'a\udc00b']) {
      const problem = await judge(() => sha256Hex(half), outcomeOf('unpaired-surrogate'))
      if (problem !== undefined) return problem
    }
    return differing(expect, { equal })
  },
}

const TWO_FRAGMENTS: Json = { name: 'tool', inputSchema: { description: 'x'.repeat(5000) } }

/** A catalog by its size alone, and outcomes in sentences. */
const isProse = (input: Json): boolean => input.kind === 'search' && input.match_count !== undefined

export async function runBugCases(file: unknown): Promise<VectorReport> {
  const report = newReport()
  const cases = (Array.isArray(file) ? file : (file as { cases: unknown }).cases) as readonly Case[]
  for (const { id, input, right } of cases) {
    const runner = isProse(input) ? undefined : KINDS[input.kind]
    if (runner === undefined) report.notRun.set(input.kind, (report.notRun.get(input.kind) ?? 0) + 1)
    else {
      // A case this runner cannot read is a failure of the runner, not a crash of the run.
      const problem = await runner(input, right.expect).catch((error: unknown) => `threw ${error}`)
      count(report, id, problem)
    }
  }
  return report
}
