import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { runBugCases } from './run-bug-cases.ts'

interface Case {
  readonly id: string
  readonly input: { readonly kind: string; readonly [field: string]: unknown }
  readonly right: { readonly expect: { readonly [field: string]: unknown } }
}

const digest = (text: string) => createHash('sha256').update(text).digest('hex')
const make = (kind: string, input: object, expected: object): Case => ({
  id: `own ${kind}`,
  input: { kind, ...input },
  right: { expect: expected as Case['right']['expect'] },
})

const TOOL = { name: 'a.tool', inputSchema_build: { description: [['a', 9000]], type: 'object' }, outputSchema: {} }
const NUL_DOCUMENT = `{"inputSchema":{"description":"${'é'.repeat(3000)}"},"outputSchema":null}`
const refusal = (error: string, pointer?: string) => ({ ok: false, error, ...(pointer && { pointer }) })

/** One case of each form that the description of the syntax allows and the recorded part does not show. */
const OWN: readonly Case[] = [
  make(
    'encode',
    {
      raw_json_build: [
        ['[', 2],
        ['1.0', 1],
        [']', 2],
      ],
    },
    { canonical_text: '[[1.0]]', bytes: 7 },
  ),
  make('encode', { raw_json: '{"b":"é","a":[]}' }, { sha256: digest('{"a":[],"b":"é"}'), must_not_equal_text: 'x' }),
  make('encode', { raw_json: '[' }, { ok: false, error: 'invalid-json' }),
  make(
    'encode-many',
    { raw: ['1E2', '[1', '-0'] },
    { results: ['100.0', { error: 'invalid-json' }, { canonical_text: '0' }] },
  ),
  make(
    'encode-many',
    { raw: ['"\\ud800"', '{"a":1e999}'] },
    { each: 'error', errors: ['unpaired-surrogate', 'nonfinite-number'] },
  ),
  make(
    'encode-many',
    {
      raw_builds: [
        [
          ['[', 961],
          [']', 961],
        ],
      ],
    },
    { each: { ok: false, error: 'unsafe-depth' } },
  ),
  make('encode-pair', { a_raw: '1', b_raw: '1.0' }, { same_digest: false, a: '1', b: { canonical_text: '1.0' } }),
  make(
    'reconstruct-text',
    { complete_document_text: '{"inputSchema":{"a": 1},"outputSchema":{}}' },
    refusal('noncanonical-document'),
  ),
  make(
    'split',
    { build: { 'inputSchema.description': [['é', 3000]], outputSchema: null } },
    {
      document_bytes: Buffer.byteLength(NUL_DOCUMENT),
      document_sha256: digest(NUL_DOCUMENT),
      max_fragment_bytes: 4096,
      greedy_fragment_bytes: [4095, Buffer.byteLength(NUL_DOCUMENT) - 4095],
      every_fragment_is_valid_utf8: true,
      'contains_U+FFFD': false,
      concatenation_equals_document: true,
    },
  ),
  make(
    'split-limit',
    { build: 'pad the description' },
    {
      at_16777216: { ok: true, fragment_count: 4096 },
      at_16777217: refusal('document-too-large'),
    },
  ),
  make(
    'reconstruct',
    { tool: TOOL, mutate: { op: 'replace-fragment-text', index: 1, text_build: [['b', 4096]], fix_hashes: false } },
    refusal('fragment-hash'),
  ),
  make(
    'envelope',
    { alias_length: 128, fragment_text_builds: [[['\u0000', 4096]], [['😀', 1024]]], serialise: ['ascii', 'literal'] },
    {
      every_envelope_bytes_max: 32_768,
      on_overflow: 'envelope-too-large',
    },
  ),
  make(
    'read-body',
    { body_json: '["naïve"]', network_chunks: [1, 5, 6] },
    { parsed_text: 'naïve', 'contains_U+FFFD': false },
  ),
  make('read-body', { network_chunks: ['5b22c3', 'a9225d'] }, { parsed_text: 'é' }),
  make('manifest', { base_tool: TOOL, mutate: { alias: 'b/c' } }, refusal('invalid-manifest', '/alias')),
  make(
    'manifest',
    { base_tool: TOOL, mutate_each: [{ schema_bytes: '1' }, { __delete__: 'alias' }] },
    {
      each: refusal('invalid-manifest'),
      pointer: ['/schema_bytes', '/alias'],
    },
  ),
  make(
    'manifest',
    { base_tool: TOOL, mutate_each: [{ schema_bytes: 0 }, { extra: 1 }] },
    {
      each: [refusal('invalid-manifest', '/schema_bytes'), refusal('invalid-manifest', '/extra')],
    },
  ),
  make(
    'manifest',
    { base_tool: TOOL, mutate: { input_schema_sha256: '<output digest>' } },
    refusal('invalid-manifest', '/input_schema_sha256'),
  ),
  make('fragments', { base_tool: TOOL, mix: { index: 1, with: { ...TOOL, name: 'b' } } }, refusal('mixed-fragments')),
  make('fragments', { base_tool: TOOL, mix: 'fragment 1 of another tool' }, refusal('mixed-fragments')),
  make('fragments', { base_tool: TOOL, order: [1, 0, 2] }, refusal('fragment-order')),
  make('fragments', { base_tool: TOOL, order: [0, 1] }, refusal('missing-fragment')),
  make(
    'fragments',
    {
      base_tool: TOOL,
      mutate: [
        { index: 0, set: { text: '' } },
        { index: 2, set: { text: 5 } },
      ],
    },
    {
      each: refusal('invalid-fragment', '/text'),
    },
  ),
  make(
    'resource-results',
    {
      results: [
        { contents: [] },
        { contents: [{ uri: '<uri>', mimeType: 'text/plain', text: '<manifest or fragment>' }] },
        { contents: [{ uri: '<uri>', mimeType: 'application/json', blob: 'e30=' }] },
        null,
      ],
    },
    { each: refusal('invalid-resource') },
  ),
  make(
    'resource-read',
    { alias: 'a', uri_alias_spellings: ['a', '%61', 'b', 'A'] },
    { accepted: ['a'], refused: ['b', 'A'], latitude: ['%61'] },
  ),
  make('resource-roundtrip', { aliases: ['a', 'a.b-c_d', 'ü/x'] }, { or: 'refused at disclosure' }),
  make(
    'search',
    { catalog: [{ name: 'a' }, { name: 'b', description: 'xy' }], queries: ['a', 'x+y', '[ab]', '('] },
    { a: 'a', 'x+y': ['b'], '[ab]': 2, "'('": [] },
  ),
  make('search', { arguments: { pattern: 'x', limit: 20 } }, {}),
  make('navigation', { tool: { name: 'a', description: 'Looks.' } }, { has: ['Looks.'], must_not: 'Listens' }),
  make(
    'validate-from-document',
    {
      complete_document: '{"inputSchema":{"type":"object"},"outputSchema":{"required":["a"]}}',
      which: 'outputSchema',
      cases: [{ instance_raw: '{}' }, { instance_raw: '{"a":1}', valid: true }],
    },
    { verdicts: [false, true] },
  ),
  make(
    'validate-many',
    {
      tools: [
        { name: 'a', inputSchema_raw: '{"$id":"x","type":"object"}' },
        { name: 'b', inputSchema: { $id: 'x', maxProperties: 0 } },
      ],
      cases: [
        { tool: 'b', instance_raw: '{"c":1}' },
        { tool: 'a', instance_raw: '{"c":1}' },
      ],
    },
    { verdicts: [false, true] },
  ),
  make('compile', { schema_raw: '{"type":"object"}', deadline_ms: 1000 }, { compile: 'ok' }),
  make(
    'call',
    {
      tool: { name: 'a', outputSchema: { properties: { n: { type: 'integer' } } } },
      result: { content: [{ type: 'text', text: 'n' }], structuredContent: { n: 1, o: 2 } },
      fields: ['o'],
    },
    { ok: true, validated: true, projection: { o: 2 }, content_kept: true, text_parsed: false },
  ),
  make(
    'call',
    { tool: { name: 'a', outputSchema: { type: 'object' } }, result: { content: [] } },
    refusal('missing-structured-content'),
  ),
]

const recorded = JSON.parse(readFileSync(new URL('bug-cases.json', import.meta.url), 'utf8')) as Case[]

/** Sentences, alternatives and what must not be are for readers, and no fragment overflows its envelope; all else is checked. */
const isUnchecked = (value: unknown, name: string) =>
  /must_not|^on_overflow$|^outcome$/.test(name) || (typeof value === 'string' && / .* /.test(value))

function changedText(value: string): string {
  if (value === 'error') return 'ok'
  // The name of another error, where one is named.
  if (/^[a-z]+(?:-[a-z]+)+$/.test(value)) return value.includes('depth') ? 'invalid-json' : 'unsafe-depth'
  return `${value.slice(0, -1)}${value.endsWith('y') ? 'z' : 'y'}`
}

/** Copies of `value` with one leaf changed each. */
function changes(value: unknown, name = ''): unknown[] {
  if (isUnchecked(value, name)) return []
  if (typeof value === 'string') return [changedText(value)]
  // A bound is changed to one that nothing keeps.
  if (typeof value === 'number') return [/max/.test(name) ? 1 : value - 1]
  if (typeof value === 'boolean') return [!value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, member]) =>
    changes(member, Array.isArray(value) ? name : key).map((changed) =>
      Array.isArray(value) ? value.with(Number(key), changed) : { ...value, [key]: changed },
    ),
  )
}

describe('the runner of bug cases', () => {
  it.each(OWN)('reads forms that are not recorded here: $id', async (test) => {
    const report = await runBugCases([test])
    expect(report.failures).toEqual([])
    expect(report.ran).toBe(1)
  })

  it('checks every expectation: none can be changed unnoticed', async () => {
    const unnoticed: string[] = []
    let tried = 0
    for (const test of [...recorded, ...OWN]) {
      for (const changed of changes(test.right.expect) as Case['right']['expect'][]) {
        const report = await runBugCases([{ ...test, right: { expect: changed } }])
        tried++
        if (report.ran > 0 && report.failures.length === 0) unnoticed.push(`${test.id}: ${JSON.stringify(changed)}`)
      }
    }
    expect(unnoticed).toEqual([])
    expect(tried).toBeGreaterThan(150)
  })

  it('counts what it cannot run by kind, and what it cannot read as a failure', async () => {
    const report = await runBugCases([make('no-such-kind', {}, {}), make('encode', {}, { canonical_text: '' })])
    expect([...report.notRun]).toEqual([['no-such-kind', 1]])
    expect(report.failures.length).toBe(1)
  })
})
