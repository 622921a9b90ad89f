import { describe, expect, it } from 'vitest'
import { callTool, readSchema, searchSchemas } from '../../src/consumer/index.ts'
import { type MakeFixture, SDKS } from './fixture.ts'

const names = (tools: readonly { [name: string]: unknown }[]) => tools.map(({ name }) => name)

describe.each(Object.entries(SDKS))('a server made with %s', (_, make: MakeFixture) => {
  it('R-A-70: a real client searches, reads the manifest, then each fragment, then calls; the server log says so', async () => {
    const fixture = make()
    const caller = await fixture.connect()
    const { entries, skipped } = await searchSchemas(caller.session, 'fetch a user')
    expect(skipped).toBe(0)
    const selected = entries.find(({ name }) => name === 'get_user')
    if (selected === undefined) throw new Error('not found')
    const verified = await readSchema(caller.session, selected.manifest)
    expect(verified.inputSchema).toMatchObject({ type: 'object', required: ['id'] })
    const result = await callTool(caller.session, {
      name: 'get_user',
      arguments: { id: '7' },
      schemaSha256: verified.manifest.schema_sha256,
    })
    expect(result.structuredContent).toEqual({ name: 'get_user', got: { id: '7' } })
    const { alias, schema_sha256: digest, fragment_count: count } = selected.manifest
    const uri = `openapi-schema://v1/${alias}/${digest}`
    expect(count).toBe(1)
    expect(fixture.log).toEqual([
      'tools/call search_tools',
      `resources/read ${uri}/manifest`,
      `resources/read ${uri}/fragments/0`,
      'tools/call call_tool',
    ])
    expect(fixture.calls).toEqual(['get_user -'])
  })

  it('R-A-05, R-A-07: tools/list shows pinned tools and the two meta-tools; two templates', async () => {
    const fixture = make({ pin: ['ping', 'search_tools'] })
    const caller = await fixture.connect()
    expect(names(await caller.listTools())).toEqual(['ping', 'search_tools', 'call_tool'])
    expect(await caller.templates()).toEqual([
      expect.objectContaining({ name: 'schema_manifest', mimeType: 'application/json' }),
      expect.objectContaining({ name: 'schema_fragment', mimeType: 'application/json' }),
    ])
  })
})
