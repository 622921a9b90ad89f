/**
 * What must hold in every runtime: the wire contract's vectors, and the way from a search to a call. It takes the library as an
 * argument and knows no test framework, so that each runtime's runner is a few lines.
 * @module
 */

import type * as consumerEntry from '../../src/consumer/index.ts'
import type * as coreEntry from '../../src/core/index.ts'
import type * as providerEntry from '../../src/provider/index.ts'
import type * as proxyEntry from '../../src/proxy/index.ts'
import type * as validationEntry from '../../src/validation/index.ts'

/** The entry points under test. */
export interface Library {
  readonly core: typeof coreEntry
  readonly consumer: typeof consumerEntry
  readonly provider: typeof providerEntry
  readonly proxy: typeof proxyEntry
  readonly validation: typeof validationEntry
}

/** The golden files, parsed. */
export interface Vectors {
  readonly bugCases: readonly { readonly id: string; readonly input: Readonly<Record<string, unknown>> }[]
  readonly canonical: { readonly cases: readonly Readonly<Record<string, unknown>>[] }
  readonly disclosures: { readonly cases: readonly Readonly<Record<string, unknown>>[] }
  readonly fragments: {
    readonly cases: readonly Readonly<Record<string, unknown>>[]
    readonly single_fragment_cases: readonly Readonly<Record<string, unknown>>[]
  }
  readonly indices: { readonly cases: readonly Readonly<Record<string, unknown>>[] }
  readonly manifests: { readonly cases: readonly Readonly<Record<string, unknown>>[] }
}

/** One thing that must hold: rejects where it does not. */
export type Check = readonly [name: string, run: () => Promise<void>]

const utf8 = (text: string) => new TextEncoder().encode(text)

function equal(actual: unknown, expected: unknown, what: string): void {
  const [left, right] = [actual, expected].map((value) => JSON.stringify(value) ?? String(value))
  if (left !== right) throw new Error(`${what}: ${left?.slice(0, 200)} instead of ${right?.slice(0, 200)}`)
}

/** Where the original accepts and we refuse, one of these is the reason (DEV-W-1, DEV-W-2, DEV-W-3). */
const STRICTER = ['duplicate-name', 'depth', 'fragment-digest']

/** Every check, in order. */
export function checks(library: Library, vectors: Vectors): readonly Check[] {
  return [...wireChecks(library.core, vectors), ...validationChecks(library, vectors), ...wayChecks(library)]
}

function wireChecks(core: Library['core'], vectors: Vectors): readonly Check[] {
  /** The code of a refusal, the reader's where there is one; undefined where nothing is refused. */
  async function codeOf(run: () => unknown): Promise<string | undefined> {
    try {
      await run()
      return undefined
    } catch (error) {
      if (!core.JsonError.is(error) && !core.SchemaDisclosureError.is(error)) throw error
      return (error.data as { json?: string }).json ?? error.code
    }
  }

  /** The texts of an array's elements, so that nothing is lost; the value of anything else. */
  function elementsOf(text: string): Iterable<unknown> {
    const bytes = utf8(text)
    const reader = new core.JsonReader(bytes)
    if (reader.kind() !== 'array') return core.parseJsonText(text) as Iterable<unknown>
    const texts: string[] = []
    reader.array(() => {
      const { start, end } = reader.span()
      texts.push(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(start, end)))
    })
    return texts
  }

  async function agree(cases: readonly (readonly [boolean, string, () => unknown])[]): Promise<void> {
    let stricter = 0
    for (const [accepted, what, run] of cases) {
      const code = await codeOf(run)
      if (accepted && code !== undefined) {
        equal(STRICTER.includes(code), true, `${what}: ${code}`)
        stricter++
      } else equal(code === undefined, accepted, `${what}: ${code}`)
    }
    // The rules are exceptions: they do not swallow the vectors.
    equal(
      cases.length > 10 && stricter <= Math.ceil(cases.length / 20),
      true,
      `${stricter} of ${cases.length} stricter`,
    )
  }

  const text = (value: unknown) => value as string
  return [
    [
      'R-A-40, R-C-09: canonical.json',
      () =>
        agree(
          vectors.canonical.cases.map(({ json_text: source, canonical: expected, sha256 }) => [
            expected !== undefined,
            text(source).slice(0, 80),
            async () => {
              const got = core.canonicalizeJsonText(text(source))
              if (expected === undefined) return
              equal(got, expected, 'canonical text')
              equal(await core.sha256Hex(got), sha256, 'digest')
              equal(core.isCanonical(utf8(got)), true, 'isCanonical')
              equal(core.isCanonical(utf8(text(source))), source === expected, 'isCanonical of the source')
            },
          ]),
        ),
    ],
    [
      'R-A-28, R-A-29, R-A-36: manifests-invalid.json',
      () =>
        agree(
          vectors.manifests.cases.map((test) => [
            test.accepted === true,
            text(test.name),
            () => core.parseSchemaManifestText(text(test.manifest_text)),
          ]),
        ),
    ],
    [
      'R-A-60 … R-A-65: fragments-invalid.json',
      () =>
        agree([
          ...vectors.fragments.cases.map(
            (test) =>
              [
                test.accepted === true,
                text(test.name),
                () =>
                  core.reconstructSchema(
                    core.parseSchemaManifestText(text(test.manifest_text)),
                    elementsOf(text(test.fragments_text)),
                  ),
              ] as const,
          ),
          ...vectors.fragments.single_fragment_cases.map(
            (test) =>
              [
                test.accepted === true,
                text(test.name),
                () => core.parseSchemaFragmentText(text(test.fragment_text)),
              ] as const,
          ),
        ]),
    ],
    [
      'R-A-22: indices.json',
      () =>
        agree(
          vectors.indices.cases.map((test) => [
            test.direct_accepted === true,
            JSON.stringify(test.segment),
            () => core.parseFragmentIndex(text(test.segment), test.fragment_count as number),
          ]),
        ),
    ],
    [
      'R-A-01, R-A-33, R-A-37, R-A-43: disclosures.json, built, cut, read and reconstructed',
      async () => {
        let built = 0
        for (const test of vectors.disclosures.cases) {
          const { input_schema_text: input, output_schema_text: output, manifest } = test
          if (input === undefined || output === undefined || manifest === undefined || 'reconstruct_error' in test)
            continue
          const disclosure = await core.buildSchemaDisclosure(
            { inputSchema: text(input), outputSchema: text(output) },
            { operation: text(test.operation), alias: text(test.alias), sourceSha256: text(test.source_sha256) },
          )
          equal(disclosure.manifest, manifest, text(test.name))
          const wires = await readAll(core, disclosure)
          for (const { index, wire } of (test.fragments ?? []) as { index: number; wire?: string }[]) {
            if (wire !== undefined) equal(wires[index], wire, `${test.name}, fragment ${index}`)
          }
          const verified = await core.reconstructSchema(disclosure.manifest, wires)
          equal(verified.text === disclosure.parts.join(''), true, 'document')
          built++
        }
        equal(built > 15, true, `${built} built`)
      },
    ],
    [
      'BC-211, R-C-09: digests are the published ones',
      async () => {
        equal(
          await core.sha256Hex('abc'),
          'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
          'digest of abc',
        )
        equal(
          await core.sha256Hex('a'.repeat(1_000_000)),
          'cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0',
          'digest of a million',
        )
        equal(await codeOf(() => core.sha256Hex('\ud800')), 'lone-surrogate', 'half of a pair')
      },
    ],
  ]
}

/** Verdicts are our own, not of the engine at hand: what each value of a case is, it is everywhere. */
function validationChecks({ core, validation }: Library, { bugCases }: Vectors): readonly Check[] {
  return [
    [
      'BC-212, R-C-03: verdicts of validation',
      async () => {
        const validator = validation.jsonSchemaValidator({ patternEngine: await validation.loadPatternEngine() })
        let judged = 0
        for (const { id, input } of bugCases.filter(({ input: { kind } }) => kind === 'validate')) {
          const schema = validator.compile(core.parseJsonText(input.schema_raw as string) as coreEntry.JsonObject)
          for (const { instance_raw: raw, valid } of input.cases as { instance_raw: string; valid: boolean }[]) {
            if (typeof valid !== 'boolean') continue
            equal(schema.validate(core.parseJsonText(raw)).issues === undefined, valid, `${id}, ${raw}`)
            judged++
          }
        }
        equal(judged > 30, true, `${judged} judged`)
      },
    ],
  ]
}

async function readAll(core: Library['core'], disclosure: coreEntry.SchemaDisclosure): Promise<string[]> {
  const expectedSha256 = disclosure.manifest.schema_sha256
  const fragments = disclosure.parts.map((_, index) => core.readSchemaFragment(disclosure, index, { expectedSha256 }))
  return (await Promise.all(fragments)).map((fragment) => JSON.stringify(fragment))
}

/** A server with one big tool and one small one, answering over the platform's own fetch types. */
function server() {
  const properties = Object.fromEntries(
    Array.from({ length: 300 }, (_, index) => [`field_${index}`, { type: 'string', description: 'é 😀 '.repeat(4) }]),
  )
  const tools = [
    {
      name: 'render_chart',
      description: 'Draws a chart.',
      inputSchema: { type: 'object', properties, required: ['field_0'] },
      outputSchema: { type: 'object', required: ['drawn'] },
    },
    { name: 'send_mail', description: 'Sends a letter.', inputSchema: { type: 'object' } },
  ]
  return async (request: Request): Promise<Response> => {
    const { id, method, params } = (await request.json()) as {
      id: unknown
      method: string
      params?: { name: string; arguments: unknown }
    }
    const result =
      method === 'tools/list'
        ? { tools }
        : { content: [], structuredContent: { drawn: [params?.name, Object.keys(params?.arguments as object)] } }
    return Response.json({ jsonrpc: '2.0', id, result })
  }
}

function wayChecks({ core, consumer, proxy, validation }: Library): readonly Check[] {
  const front = proxy.createDisclosureProxy({ upstream: server() })
  let nextId = 0
  const session: coreEntry.McpSession = {
    async request({ method, params }) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: nextId++, method, params })
      const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
      const response = await front.fetch(new Request('http://127.0.0.1/mcp', { method: 'POST', headers, body }))
      const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string } }
      if (error !== undefined) throw new Error(error.message)
      return result
    },
  }
  const validator = validation.jsonSchemaValidator()
  return [
    [
      'R-A-47: the front lists a small catalog, and finds by words and by pattern',
      async () => {
        const list = JSON.stringify(await session.request({ method: 'tools/list' }, undefined as never))
        equal(list.length < 1500, true, `${list.length} bytes`)
        for (const [text, by] of [
          ['draw a chart', 'query'],
          ['^RENDER_.hart$|draws', 'pattern'],
        ] as const) {
          const { entries, skipped } = await consumer.searchSchemas(session, text, { by })
          equal([entries.map(({ name }) => name), skipped], [['render_chart'], 0], by)
        }
      },
    ],
    [
      'R-A-51, R-A-55, R-A-56, R-A-67: from a search to a confirmed call',
      async () => {
        const { entries } = await consumer.searchSchemas(session, 'draw a chart')
        const [selected] = entries
        if (selected === undefined) throw new Error('nothing found')
        const verified = await consumer.readSchema(session, selected.manifest)
        equal(selected.manifest.fragment_count > 3, true, 'many fragments')
        equal(verified.inputSchema.required, ['field_0'], 'the schema')
        let asked = 0
        const tool = consumer.bindSchema(verified, {
          validator,
          name: selected.name,
          scope: 'user',
          generation: { catalog: '1', child: '1' },
          isCurrent: () => true,
          confirm: () => ++asked > 0,
        })
        const result = await tool.call(session, { field_0: 'x' })
        equal(result, { kind: 'structured', value: { drawn: ['render_chart', ['field_0']] }, content: [] }, 'answer')
        equal(asked, 1, 'confirmations')
        const code = await tool.call(session, {}).catch((error) => consumer.ConsumerError.is(error) && error.code)
        equal(code, 'arguments-invalid', 'code')
        equal(core.isVerifiedSchema(verified) && !core.isVerifiedSchema({ ...verified }), true, 'verified')
      },
    ],
  ]
}

/** Runs checks one after another and says what failed. */
export async function runChecks(all: readonly Check[]): Promise<{ readonly ran: number; readonly failures: string[] }> {
  const failures: string[] = []
  for (const [name, run] of all) {
    try {
      await run()
    } catch (error) {
      failures.push(`${name}: ${error instanceof Error ? error.message : error}`)
    }
  }
  return { ran: all.length, failures }
}
