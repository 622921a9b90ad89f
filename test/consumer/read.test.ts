import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { ConsumerError, readSchema } from '../../src/consumer/index.ts'
import { SchemaDisclosureError } from '../../src/core/index.ts'
import { type Answer, content, disclose, fakeSession } from './fake-session.ts'

const codeOf = async (promise: Promise<unknown>): Promise<string> => {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (ConsumerError.is(error) || SchemaDisclosureError.is(error)) return error.code
  return error instanceof Error ? error.message : 'resolved'
}

const isManifest = (uri: unknown) => String(uri).endsWith('/manifest')
const isFragment = (uri: unknown, index: number) => String(uri).endsWith(`/fragments/${index}`)

/** Answers one read with a changed version of its honest answer. */
const changing =
  (which: (uri: unknown) => boolean, change: (text: string) => unknown): Answer =>
  async ({ params }, honest) => {
    const result = (await honest()) as { contents: { uri: string; text: string }[] }
    if (!which(params.uri)) return result
    const changed = change(result.contents[0]?.text as string)
    return typeof changed === 'string' ? content(String(params.uri), changed) : changed
  }

const replaceIn = (from: string | RegExp, to: string) => (text: string) => text.replace(from, to)

describe('readSchema', () => {
  it('R-A-50, R-A-51, R-A-52, R-A-54: reads the manifest URI first, then every fragment once, through the same session', async () => {
    const disclosure = await disclose()
    const { session, log } = fakeSession(disclosure)
    const progress: number[] = []
    const verified = await readSchema(session, disclosure.manifest, {
      onProgress: ({ received, total }) => progress.push(received / total),
    })
    expect(verified.text).toBe(disclosure.parts.join(''))
    const uris = log.map(({ params }) => params.uri)
    expect(uris[0]).toBe(disclosure.manifest.manifest_uri)
    expect(new Set(uris).size).toBe(disclosure.manifest.fragment_count + 1)
    expect(uris.length).toBe(disclosure.manifest.fragment_count + 1)
    expect(log.every(({ method }) => method === 'resources/read')).toBe(true)
    expect(progress.at(-1)).toBe(1)
    expect(progress.length).toBe(disclosure.manifest.fragment_count)
  })

  it.each([
    [
      'R-A-53: another source_sha256',
      isManifest,
      replaceIn(/"source_sha256":"./, '"source_sha256":"0'),
      'manifest-differs',
    ],
    ['R-A-53: another operation', isManifest, replaceIn('"operation":"op"', '"operation":"other"'), 'manifest-differs'],
    ['R-A-29: a respelled integer', isManifest, replaceIn('"version":1', '"version":1.0'), 'manifest-invalid'],
    ['R-A-28: an unknown field', isManifest, replaceIn('{', '{"extra":1,'), 'manifest-invalid'],
    ['no JSON', isManifest, () => 'nonsense', 'text-invalid'],
    ['R-A-20: no content', isManifest, () => ({ contents: [] }), 'read-malformed'],
    ['R-A-20: no contents member', isManifest, () => ({}), 'read-malformed'],
    ['R-A-64: a changed character', (uri: unknown) => isFragment(uri, 2), replaceIn('xxxx', 'xxyx'), 'fragment-digest'],
    [
      'R-A-61: another operation in a fragment',
      (uri: unknown) => isFragment(uri, 1),
      replaceIn('"op"', '"oq"'),
      'fragment-identity',
    ],
    [
      'R-A-63: another index',
      (uri: unknown) => isFragment(uri, 1),
      replaceIn('"index":1', '"index":2'),
      'fragment-order',
    ],
    [
      'R-A-59: a forged text with its own digest',
      (uri: unknown) => isFragment(uri, 0),
      replaceIn(/"schema_sha256":"./, '"schema_sha256":"0'),
      'fragment-invalid',
    ],
  ] as const)('refuses %s', async (_name, which, change, code) => {
    const disclosure = await disclose()
    const { session } = fakeSession(disclosure, changing(which, change))
    expect(await codeOf(readSchema(session, disclosure.manifest))).toBe(code)
  })

  it('R-A-53: sends no fragment read where the manifest differs', async () => {
    const disclosure = await disclose()
    const { session, log } = fakeSession(disclosure, changing(isManifest, replaceIn('"op"', '"oq"')))
    await codeOf(readSchema(session, disclosure.manifest))
    expect(log.length).toBe(1)
  })

  it.each([
    [
      'R-A-20: two contents',
      (uri: string, text: string) => ({ contents: [...content(uri, text).contents, ...content(uri, text).contents] }),
    ],
    ['R-A-20: a blob', (uri: string) => ({ contents: [{ uri, mimeType: 'application/json', blob: 'e30=' }] })],
    ['R-A-21: text/plain', (uri: string, text: string) => ({ contents: [{ uri, mimeType: 'text/plain', text }] })],
    ['another URI', (_uri: string, text: string) => content('openapi-schema://v1/other', text)],
  ] as const)('refuses %s', async (_name, answer) => {
    const disclosure = await disclose()
    const { session } = fakeSession(disclosure, ({ params }) =>
      answer(String(params.uri), JSON.stringify(disclosure.manifest)),
    )
    expect(await codeOf(readSchema(session, disclosure.manifest))).toBe('read-malformed')
  })

  it('keeps at most `concurrency` reads in flight and ends the rest when one fails', async () => {
    const disclosure = await disclose({ more: 'y'.repeat(60_000) })
    let inFlight = 0
    let most = 0
    const signals = new Set<AbortSignal>()
    let pending: AbortSignal[] = []
    const { session } = fakeSession(disclosure, async ({ params }, honest, signal) => {
      if (signal !== undefined) signals.add(signal)
      inFlight++
      most = Math.max(most, inFlight)
      const isBehind = Number(String(params.uri).split('/').at(-1)) > 9
      await new Promise((resolve) =>
        isBehind ? signal?.addEventListener('abort', resolve) : setTimeout(resolve, isFragment(params.uri, 9) ? 30 : 1),
      )
      inFlight--
      if (isFragment(params.uri, 9)) {
        pending = [...signals]
        throw new Error('connection lost')
      }
      if (signal !== undefined) signals.delete(signal)
      return honest()
    })
    expect(await codeOf(readSchema(session, disclosure.manifest, { concurrency: 3 }))).toBe('connection lost')
    expect(most).toBe(3)
    expect(pending.length).toBeGreaterThan(1)
    expect(pending.filter((signal) => !signal.aborted)).toHaveLength(1)
  })

  it('ends with the reason of its signal, before and between reads', async () => {
    const disclosure = await disclose()
    const { session, log } = fakeSession(disclosure)
    expect(
      await codeOf(readSchema(session, disclosure.manifest, { signal: AbortSignal.abort(new Error('gone')) })),
    ).toBe('gone')
    expect(log.length).toBe(0)
    const controller = new AbortController()
    const reading = readSchema(session, disclosure.manifest, {
      concurrency: 1,
      signal: controller.signal,
      onProgress: ({ received }) => received === 2 && controller.abort(new Error('enough')),
    })
    expect(await codeOf(reading)).toBe('enough')
    expect(log.length).toBeLessThan(disclosure.manifest.fragment_count + 1)
  })

  it('R-A-17: opens nothing of its own', async () => {
    const { fetch } = globalThis
    globalThis.fetch = () => {
      throw new Error('fetch was called')
    }
    try {
      const disclosure = await disclose()
      const { session } = fakeSession(disclosure)
      await expect(readSchema(session, disclosure.manifest)).resolves.toBeDefined()
    } finally {
      globalThis.fetch = fetch
    }
  })

  it('checks the selected manifest whatever its type says', async () => {
    const disclosure = await disclose()
    const { session, log } = fakeSession(disclosure)
    const forged = { ...disclosure.manifest, alias: '../etc' } as never
    expect(await codeOf(readSchema(session, forged))).toBe('manifest-invalid')
    expect(log.length).toBe(0)
  })
})

it('holds few listeners on any one signal, however many reads are in flight', async () => {
  const disclosure = await disclose()
  const most = new Map<AbortSignal, number>()
  const { session } = fakeSession(disclosure, async (_request, honest, signal) => {
    signal?.addEventListener('abort', () => undefined)
    if (signal !== undefined)
      most.set(signal, Math.max(most.get(signal) ?? 0, getEventListeners(signal, 'abort').length))
    await new Promise((resolve) => setTimeout(resolve, 1))
    return honest()
  })
  const { signal } = new AbortController()
  await readSchema(session, disclosure.manifest, { signal, concurrency: 64 })
  expect(Math.max(...most.values(), getEventListeners(signal, 'abort').length)).toBeLessThanOrEqual(3)
})
