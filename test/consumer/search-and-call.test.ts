import { describe, expect, it } from 'vitest'
import { ConsumerError, callTool, readSchema, searchSchemas } from '../../src/consumer/index.ts'
import { disclose, fakeSession } from './fake-session.ts'

const disclosure = await disclose()
const { manifest } = disclosure
const entry = { kind: 'schema-navigation', name: 'tool', manifest, summary: '### tool' }
const text = (value: unknown) => [{ type: 'text', text: JSON.stringify(value) }]

describe('searchSchemas', () => {
  it('R-A-48: gives the navigation entries of the answer, frozen', async () => {
    const { session, log } = fakeSession(disclosure)
    const { entries, skipped, omitted } = await searchSchemas(session, 'a chart', { limit: 3 })
    expect(entries).toEqual([entry])
    expect([skipped, omitted]).toEqual([0, 0])
    expect(Object.isFrozen(entries[0]) && Object.isFrozen(entries[0]?.manifest)).toBe(true)
    expect(log).toEqual([
      { method: 'tools/call', params: { name: 'search_tools', arguments: { query: 'a chart', limit: 3 } } },
    ])
  })

  it('speaks to the regex transform of the original', async () => {
    const { session, log } = fakeSession(disclosure)
    await searchSchemas(session, 'too.', { by: 'pattern', searchTool: 'find' })
    expect(log[0]?.params).toEqual({ name: 'find', arguments: { pattern: 'too.' } })
  })

  it.each([
    [
      'structured content',
      { structuredContent: { result: [entry], truncated: true, omitted: 4 }, content: [] },
      [1, 0, 4],
    ],
    ['text only', { content: text([entry]) }, [1, 0, 0]],
    ['text of the wrapped list', { content: text({ result: [entry] }) }, [1, 0, 0]],
    ['empty list: no text block', { content: [] }, [0, 0, 0]],
    ['another kind', { structuredContent: { result: [{ ...entry, kind: 'tool' }, entry] }, content: [] }, [1, 1, 0]],
    [
      'a broken manifest',
      { structuredContent: { result: [{ ...entry, manifest: { ...manifest, version: 2 } }] }, content: [] },
      [0, 1, 0],
    ],
    [
      'no summary',
      { structuredContent: { result: [{ kind: entry.kind, name: 'tool', manifest }] }, content: [] },
      [0, 1, 0],
    ],
    ['scalars', { structuredContent: { result: [null, 1, 'x', []] }, content: [] }, [0, 4, 0]],
    ['an omitted count that is none', { structuredContent: { result: [], omitted: -1 }, content: [] }, [0, 0, 0]],
  ] as const)('reads %s', async (_name, answer, [found, skipped, omitted]) => {
    const { session } = fakeSession(disclosure, () => answer)
    const result = await searchSchemas(session, 'x')
    expect([result.entries.length, result.skipped, result.omitted]).toEqual([found, skipped, omitted])
  })

  it.each([
    ['search-failed', { isError: true, content: text('boom') }],
    ['search-malformed', {}],
    ['search-malformed', null],
    ['search-malformed', { content: [{ type: 'image' }] }],
    ['search-malformed', { content: [{ type: 'text', text: '{' }] }],
    ['search-malformed', { structuredContent: { result: 'x' }, content: [] }],
    ['search-malformed', { structuredContent: { result: Array(65).fill(entry) }, content: [] }],
    ['search-malformed', { structuredContent: { result: [{ ...entry, summary: 'x'.repeat(40_000) }] }, content: [] }],
    ['search-malformed', { content: [{ type: 'text', text: `[${' '.repeat(40_000)}]` }] }],
  ] as const)('refuses with %s', async (code, answer) => {
    const { session } = fakeSession(disclosure, () => answer)
    const error = await searchSchemas(session, 'x').catch((thrown: unknown) => thrown)
    expect(ConsumerError.is(error) && error.code).toBe(code)
  })

  it('hands on why the tool refused, cut and as its own words', async () => {
    const { session } = fakeSession(disclosure, () => ({
      isError: true,
      content: [{ type: 'text', text: `limit is 99${'x'.repeat(999)}` }],
    }))
    const error = await searchSchemas(session, 'x').catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      code: 'search-failed',
      data: { reason: expect.stringMatching(/^limit is 99x{489}$/) },
    })
    expect((error as Error).message).not.toContain('99')
  })

  it('does not take inherited members for the answer', async () => {
    const { session } = fakeSession(disclosure, () =>
      Object.create({ structuredContent: { result: [entry] }, content: [] }),
    )
    await expect(searchSchemas(session, 'x')).rejects.toMatchObject({ code: 'search-malformed' })
  })
})

describe('an abort', () => {
  const silent = { request: () => new Promise<never>(() => {}) }
  const requests = {
    searchSchemas: (signal: AbortSignal) => searchSchemas(silent, 'x', { signal }),
    callTool: (signal: AbortSignal) =>
      callTool(silent, { name: 'a', arguments: {}, schemaSha256: manifest.schema_sha256 }, { signal }),
    readSchema: (signal: AbortSignal) => readSchema(silent, manifest, { signal }),
  }
  it.each(Object.entries(requests))('ends %s, whether or not the session heeds it', async (_name, run) => {
    const controller = new AbortController()
    const running = run(controller.signal)
    controller.abort(new Error('enough'))
    await expect(running).rejects.toThrow('enough')
  })

  it('keeps everything from being sent that comes behind it', async () => {
    const { session, log } = fakeSession(disclosure)
    const signal = AbortSignal.abort(new Error('before'))
    await expect(searchSchemas(session, 'x', { signal })).rejects.toThrow('before')
    const call = { name: 'a', arguments: {}, schemaSha256: manifest.schema_sha256 }
    await expect(callTool(session, call, { signal })).rejects.toThrow('before')
    expect(log).toEqual([])
  })
})

describe('callTool', () => {
  const call = { name: 'tool', arguments: { a: 1 }, schemaSha256: manifest.schema_sha256 }

  it('sends the digest the arguments were made for', async () => {
    const { session, log } = fakeSession(disclosure, () => ({ content: [], structuredContent: { ok: true } }))
    expect(await callTool(session, call)).toEqual({ content: [], structuredContent: { ok: true }, isError: false })
    expect(log).toEqual([
      {
        method: 'tools/call',
        params: {
          name: 'call_tool',
          arguments: { name: 'tool', arguments: { a: 1 }, schema_sha256: manifest.schema_sha256 },
        },
      },
    ])
  })

  it('keeps a tool error apart', async () => {
    const { session } = fakeSession(disclosure, () => ({ content: text('no'), isError: true }))
    expect((await callTool(session, call)).isError).toBe(true)
  })

  it('refuses an answer that is no tool result', async () => {
    const { session } = fakeSession(disclosure, () => ({ structuredContent: {} }))
    await expect(callTool(session, call)).rejects.toMatchObject({ code: 'call-malformed' })
  })
})
