import { describe, expect, it } from 'vitest'
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
  SchemaDisclosureError,
  sha256Hex,
} from '../../src/core/index.ts'
import canonical from '../vectors/wire/canonical.json'
import disclosures from '../vectors/wire/disclosures.json'
import fragments from '../vectors/wire/fragments-invalid.json'
import indices from '../vectors/wire/indices.json'
import manifests from '../vectors/wire/manifests-invalid.json'

const utf8 = (text: string) => new TextEncoder().encode(text)

/** The code of a refusal, the reader's where there is one; undefined where nothing is refused. */
async function codeOf(run: () => unknown): Promise<string | undefined> {
  try {
    await run()
    return undefined
  } catch (error) {
    if (!JsonError.is(error) && !SchemaDisclosureError.is(error)) throw error
    return (error.data as { json?: string }).json ?? error.code
  }
}

/** The texts of an array's elements, so that nothing is lost; the value of anything else. */
function elementsOf(text: string): Iterable<unknown> {
  const bytes = utf8(text)
  const reader = new JsonReader(bytes)
  if (reader.kind() !== 'array') return parseJsonText(text) as Iterable<unknown>
  const texts: string[] = []
  reader.array(() => {
    const { start, end } = reader.span()
    texts.push(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(start, end)))
  })
  return texts
}

/** Where the original accepts and we refuse, one of these is the reason (DEV-W-1, DEV-W-2, DEV-W-3). */
const STRICTER = ['duplicate-name', 'depth', 'fragment-digest']

async function agree(cases: readonly (readonly [boolean, string, () => unknown])[]): Promise<void> {
  let stricter = 0
  for (const [accepted, what, run] of cases) {
    const code = await codeOf(run)
    if (accepted && code !== undefined) {
      expect(STRICTER, what).toContain(code)
      stricter++
    } else expect(code === undefined, `${what}: ${code}`).toBe(accepted)
  }
  // The rules are exceptions: they do not swallow the vectors.
  expect(stricter).toBeLessThanOrEqual(Math.ceil(cases.length / 20))
}

describe('the wire contract in workerd', () => {
  it('R-A-40, R-C-09: canonical.json', async () => {
    const cases = canonical.cases as readonly { json_text: string; canonical?: string; sha256?: string }[]
    await agree(
      cases.map(({ json_text: text, canonical: expected, sha256 }) => [
        expected !== undefined,
        text.slice(0, 80),
        async () => {
          const got = canonicalizeJsonText(text)
          if (expected === undefined) return
          expect(got).toBe(expected)
          expect(await sha256Hex(got)).toBe(sha256)
          expect(isCanonical(utf8(got))).toBe(true)
          expect(isCanonical(utf8(text))).toBe(text === expected)
        },
      ]),
    )
  })

  it('R-A-28, R-A-29, R-A-36: manifests-invalid.json', async () => {
    await agree(
      manifests.cases.map((test) => [test.accepted, test.name, () => parseSchemaManifestText(test.manifest_text)]),
    )
  })

  it('R-A-60 to R-A-65: fragments-invalid.json', async () => {
    const singles = fragments.single_fragment_cases.map(
      (test) => [test.accepted, test.name, () => parseSchemaFragmentText(test.fragment_text)] as const,
    )
    const sets = fragments.cases.map((test) => {
      const run = () => reconstructSchema(parseSchemaManifestText(test.manifest_text), elementsOf(test.fragments_text))
      return [test.accepted, test.name, run] as const
    })
    await agree([...sets, ...singles])
  })

  it('R-A-22: indices.json', async () => {
    await agree(
      indices.cases.map((test) => [
        test.direct_accepted,
        JSON.stringify(test.segment),
        () => parseFragmentIndex(test.segment, test.fragment_count),
      ]),
    )
  })

  it('R-A-01, R-A-33, R-A-37, R-A-43: disclosures.json, built, cut, read and reconstructed', async () => {
    let built = 0
    for (const test of disclosures.cases) {
      const { input_schema_text: inputSchema, output_schema_text: outputSchema, manifest } = test
      if (
        inputSchema === undefined ||
        outputSchema === undefined ||
        manifest === undefined ||
        'reconstruct_error' in test
      ) {
        continue
      }
      const disclosure = await buildSchemaDisclosure(
        { inputSchema, outputSchema },
        { operation: test.operation, alias: test.alias, sourceSha256: test.source_sha256 },
      )
      expect(JSON.stringify(disclosure.manifest), test.name).toBe(JSON.stringify(manifest))
      const wires: string[] = []
      for (let index = 0; index < disclosure.parts.length; index++) {
        const expectedSha256 = disclosure.manifest.schema_sha256
        wires.push(JSON.stringify(await readSchemaFragment(disclosure, index, { expectedSha256 })))
      }
      for (const expected of test.fragments ?? []) {
        if (expected.wire !== undefined) expect(wires[expected.index]).toBe(expected.wire)
      }
      const verified = await reconstructSchema(disclosure.manifest, wires)
      expect(verified.text).toBe(disclosure.parts.join(''))
      built++
    }
    expect(built).toBeGreaterThan(15)
  })

  it('BC-211, R-C-09: digests are the published ones', async () => {
    expect(await sha256Hex('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
    expect(await sha256Hex('a'.repeat(1_000_000))).toBe(
      'cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0',
    )
    expect(await codeOf(() => sha256Hex('\ud800'))).toBe('lone-surrogate')
  })
})
