import { describe, expect, test } from 'vitest'
import { buildSchemaDisclosure, readSchemaFragment, reconstructSchema } from '../../src/core/index.ts'
import { demoTools } from '../../worker/demo/tools/index.ts'

const disclose = (name: string) => {
  const tool = demoTools.find((candidate) => candidate.name === name)
  const { inputSchema = {}, outputSchema = {} } = tool ?? {}
  const identity = { operation: name, alias: name, sourceSha256: '0'.repeat(64) }
  return buildSchemaDisclosure({ inputSchema, outputSchema }, identity)
}

describe('what the demo discloses', () => {
  test.each([
    ['render_chart', 360, 1_470_999],
    ['check_asyncapi', 44, 180_148],
  ])('%s takes %d fragments', async (name, fragments, bytes) => {
    const { manifest } = await disclose(name)
    expect(manifest).toMatchObject({ fragment_count: fragments, schema_bytes: bytes })
  })

  test('the ordinary tools take one fragment each', async () => {
    for (const { name } of demoTools.slice(2)) expect((await disclose(name)).manifest.fragment_count).toBe(1)
  })

  test('the chart schema reads back whole', async () => {
    const disclosure = await disclose('render_chart')
    const { schema_sha256: expectedSha256, fragment_count: count } = disclosure.manifest
    const reads = Array.from({ length: count }, (_, index) => readSchemaFragment(disclosure, index, { expectedSha256 }))
    const verified = await reconstructSchema(disclosure.manifest, await Promise.all(reads))
    expect(verified.inputSchema).toEqual(demoTools[0]?.inputSchema)
  })
})
