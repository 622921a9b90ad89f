import { describe, expect, it } from 'vitest'
import {
  buildSchemaDisclosure,
  canonicalizeJsonText,
  readSchemaFragment,
  reconstructSchema,
  SchemaDisclosureError,
  sha256Hex,
} from '../../src/core/index.ts'
import canonical from '../vectors/wire/canonical.json'

describe('core in workerd', () => {
  it('R-A-40, R-C-09: gives the canonical text of every vector that has one', () => {
    let ran = 0
    for (const { json_text: text, canonical: expected } of canonical.cases as {
      json_text: string
      canonical?: string
    }[]) {
      if (expected === undefined || /"(\w+|\\u0061)":.*"\1":/.test(text)) continue
      let got: string | undefined
      try {
        got = canonicalizeJsonText(text)
      } catch {
        continue
      }
      expect(got).toBe(expected)
      ran++
    }
    expect(ran).toBeGreaterThan(150)
  })

  it('R-A-01, R-A-64: builds, reads, reconstructs, and refuses a changed fragment', async () => {
    const identity = { operation: 'op', alias: 'tool', sourceSha256: await sha256Hex('x') }
    const inputSchema = { type: 'object', description: '詳細😀'.repeat(2000) }
    const disclosure = await buildSchemaDisclosure({ inputSchema, outputSchema: {} }, identity)
    const { manifest } = disclosure
    const wires: string[] = []
    for (let index = 0; index < manifest.fragment_count; index++) {
      wires.push(
        JSON.stringify(await readSchemaFragment(disclosure, index, { expectedSha256: manifest.schema_sha256 })),
      )
    }
    expect((await reconstructSchema(manifest, wires)).inputSchema).toEqual(inputSchema)
    wires[1] = (wires[1] as string).replace('詳', '説')
    const error = await reconstructSchema(manifest, wires).catch((thrown: unknown) => thrown)
    expect(SchemaDisclosureError.is(error) && error.code).toBe('fragment-digest')
  })
})
