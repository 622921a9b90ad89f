import { describe, expect, it, vi } from 'vitest'
import { type FragmentStore, readSchema } from '../../src/consumer/index.ts'
import { SchemaDisclosureError } from '../../src/core/index.ts'
import { disclose, fakeSession } from './fake-session.ts'

const disclosure = await disclose()
const { manifest } = disclosure
const uri = (index: number) => manifest.fragment_uri_template.replace('{index}', String(index))
const all = disclosure.parts.map((_, index) => uri(index))

function store(kept = new Map<string, string>()): FragmentStore & { readonly kept: Map<string, string> } {
  return {
    kept,
    get: async (at) => kept.get(at),
    set: async (at, text) => void kept.set(at, text),
  }
}
const full = () => store(new Map(disclosure.parts.map((text, index) => [uri(index), text])))
const urisOf = (log: readonly { readonly params: Record<string, unknown> }[]) => log.map(({ params }) => params.uri)

describe('a store of fragments', () => {
  it('R-A-51, R-A-52: is filled by a read, and saves the next one everything but the manifest', async () => {
    const mine = store()
    const first = fakeSession(disclosure)
    await readSchema(first.session, manifest, { store: mine })
    expect(urisOf(first.log)).toEqual([manifest.manifest_uri, ...all])
    await expect.poll(() => mine.kept.size).toBe(all.length)
    expect(new Map([...mine.kept].sort())).toEqual(new Map(disclosure.parts.map((text, index) => [uri(index), text])))
    const second = fakeSession(disclosure)
    const verified = await readSchema(second.session, manifest, { store: mine })
    expect(urisOf(second.log)).toEqual([manifest.manifest_uri])
    expect(verified.text).toBe(disclosure.parts.join(''))
  })

  it('R-A-52: yields nothing to those who may not read the manifest any more', async () => {
    const { session } = fakeSession(disclosure, () => Promise.reject(new Error('403')))
    await expect(readSchema(session, manifest, { store: full() })).rejects.toThrow('403')
  })

  it('that holds a part saves that part', async () => {
    const mine = full()
    mine.kept.delete(uri(1))
    const { session, log } = fakeSession(disclosure)
    await readSchema(session, manifest, { store: mine })
    expect(urisOf(log)).toEqual([manifest.manifest_uri, uri(1)])
    await expect.poll(() => mine.kept.size).toBe(all.length)
  })

  it.each([
    ['another text', 'x'],
    ['a text that is too long', 'x'.repeat(5000)],
    ['no text', ''],
    ['half of a pair', '\ud800'],
    ['another kind', 5],
    ['a fragment of another place', disclosure.parts[1]],
  ])('R-A-64: that holds %s is left aside and mended', async (_name, wrong) => {
    const mine = full()
    mine.kept.set(uri(0), wrong as string)
    const { session } = fakeSession(disclosure)
    const verified = await readSchema(session, manifest, { store: mine })
    expect(verified.text).toBe(disclosure.parts.join(''))
    await expect.poll(() => mine.kept.get(uri(0))).toBe(disclosure.parts[0])
  })

  it('that fails is a store that has nothing', async () => {
    const failing: FragmentStore = {
      get: () => Promise.reject(new Error('get')),
      set: () => {
        throw new Error('set')
      },
    }
    const { session, log } = fakeSession(disclosure)
    await readSchema(session, manifest, { store: failing })
    expect(log.length).toBe(1 + all.length)
  })

  it('R-A-64: keeps nothing that was read beside a spoiled store', async () => {
    const mine = store(new Map([[uri(0), 'x'.repeat(5000)]]))
    let reads = 0
    const { session } = fakeSession(disclosure, async ({ params }, honest) => {
      const answer = (await honest()) as { contents: [{ text: string }] }
      if (params.uri !== uri(1) || ++reads > 1) {
        if (params.uri === uri(2) && reads > 1) await new Promise((resolve) => setTimeout(resolve, 60))
        return answer
      }
      await new Promise((resolve) => setTimeout(resolve, 20))
      answer.contents[0].text = JSON.stringify({ ...JSON.parse(answer.contents[0].text), text: 'never verified' })
      return answer
    })
    await readSchema(session, manifest, { store: mine })
    await expect.poll(() => mine.kept.size).toBe(all.length)
    expect([...mine.kept].filter(([at, text]) => text !== disclosure.parts[all.indexOf(at)])).toEqual([])
  })

  it('that never answers is asked for no more than what is in flight, and then left aside', async () => {
    let asked = 0
    const silent: FragmentStore = {
      get: () => {
        asked++
        return new Promise(() => {})
      },
      set: async () => {},
    }
    vi.useFakeTimers()
    try {
      const { session, log } = fakeSession(disclosure)
      const reading = readSchema(session, manifest, { store: silent, concurrency: 2 })
      await vi.advanceTimersByTimeAsync(2_000)
      expect((await reading).text).toBe(disclosure.parts.join(''))
      expect(asked).toBe(2)
      expect(log.length).toBe(1 + all.length)
    } finally {
      vi.useRealTimers()
    }
  })

  it('that never answers does not outlast the signal', async () => {
    const silent: FragmentStore = { get: () => new Promise(() => {}), set: async () => {} }
    const { session } = fakeSession(disclosure)
    const signal = AbortSignal.timeout(20)
    await expect(readSchema(session, manifest, { store: silent, signal })).rejects.toThrow('timeout')
  })

  it('is filled one fragment at a time', async () => {
    let open = 0
    let most = 0
    let kept = 0
    const counting: FragmentStore = {
      get: async () => undefined,
      set: async () => {
        most = Math.max(most, ++open)
        await new Promise((resolve) => setTimeout(resolve, 1))
        open--
        kept++
      },
    }
    await readSchema(fakeSession(disclosure).session, manifest, { store: counting })
    await expect.poll(() => kept).toBe(all.length)
    expect(most).toBe(1)
  })

  it('that never ends keeping holds nobody back', async () => {
    const slow: FragmentStore = { get: async () => undefined, set: () => new Promise(() => {}) }
    const { session } = fakeSession(disclosure)
    expect((await readSchema(session, manifest, { store: slow })).text).toBe(disclosure.parts.join(''))
  })

  it('keeps nothing of what was refused', async () => {
    const mine = store()
    const { session } = fakeSession(disclosure, async ({ params }, honest) => {
      const answer = (await honest()) as { contents: [{ text: string }] }
      if (params.uri === uri(2)) answer.contents[0].text = answer.contents[0].text.replace('xxx', 'xyx')
      return answer
    })
    const error = await readSchema(session, manifest, { store: mine }).catch((thrown: unknown) => thrown)
    expect(SchemaDisclosureError.is(error) && error.code).toBe('fragment-digest')
    expect(mine.kept.size).toBe(0)
  })
})
