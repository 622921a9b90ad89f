import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import type { ListedTool } from '../../src/listing/index.ts'
import { compileSearchPattern } from '../../src/pattern/index.ts'
import { requiredWords } from '../../src/pattern/required.ts'
import { RankedSearch, RegexSearch } from '../../src/provider/index.ts'
import { ListingCache, listingDigest } from '../../src/provider/search/listing-cache.ts'
import { RankedIndex } from '../../src/provider/search/ranked-index.ts'
import { TermReader } from '../../src/provider/search/terms.ts'

const raw = (name: string, json: string): ListedTool => ({ name, json: new TextEncoder().encode(json) })
const listed = (name: string, members: object = {}): ListedTool => raw(name, JSON.stringify({ name, ...members }))
const catalog = (count: number, description: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => listed(`tool_${index}`, { description: description(index) }))

/** Different words, the same in every run. */
function words(count: number, seed: number): string {
  let state = seed + 1
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state
  }
  return Array.from({ length: count }, () => `w${next().toString(36)}`).join(' ')
}

async function soon<T>(milliseconds: number, run: () => T | Promise<T>): Promise<T> {
  const start = performance.now()
  const result = await run()
  expect(performance.now() - start).toBeLessThan(milliseconds)
  return result
}

describe('what is kept of a listing', () => {
  const counting = (bytes = 1) => {
    const make = vi.fn((tools: readonly ListedTool[]) => ({ bytes, names: tools.map(({ name }) => name) }))
    return { make, cache: new ListingCache(make) }
  }

  it('is made once for the same bytes, whoever lists them, and anew for others', async () => {
    const { make, cache } = counting()
    const first = await cache.of(catalog(3, () => 'a'))
    expect(await cache.of(catalog(3, () => 'a'))).toBe(first)
    await cache.of(catalog(3, (index) => (index === 2 ? 'b' : 'a')))
    await cache.of(catalog(3, () => 'a').toReversed())
    await cache.of([])
    expect(make).toHaveBeenCalledTimes(4)
  })

  it('is eight listings at most, the longest unused goes first', async () => {
    const { make, cache } = counting()
    const nth = (index: number) => cache.of([listed(`t${index}`)])
    for (let index = 0; index < 8; index++) await nth(index)
    await nth(0)
    await nth(8)
    expect(make).toHaveBeenCalledTimes(9)
    await nth(0)
    expect(make).toHaveBeenCalledTimes(9)
    await nth(1)
    expect(make).toHaveBeenCalledTimes(10)
  })

  it('is 64 MiB at most: what is bigger alone is used and not kept', async () => {
    const { make, cache } = counting(40 * 1024 * 1024)
    await cache.of([listed('a')])
    await cache.of([listed('b')])
    await cache.of([listed('b')])
    expect(make).toHaveBeenCalledTimes(2)
    await cache.of([listed('a')])
    expect(make).toHaveBeenCalledTimes(3)
    const big = counting(65 * 1024 * 1024)
    expect((await big.cache.of([listed('a')])).names).toEqual(['a'])
    await big.cache.of([listed('a')])
    expect(big.make).toHaveBeenCalledTimes(2)
  })

  it('no two listings have one digest, wherever their bytes are cut', () =>
    fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.array(fc.tuple(fc.string({ maxLength: 3 }), fc.string({ maxLength: 4 })), { maxLength: 3 }), {
          minLength: 2,
          maxLength: 12,
          comparator: (left, right) => JSON.stringify(left) === JSON.stringify(right),
        }),
        async (listings) => {
          const digests = await Promise.all(
            listings.map((tools) => listingDigest(tools.map(([name, json]) => raw(name, json)))),
          )
          expect(new Set(digests).size).toBe(listings.length)
        },
      ),
    ))

  it('long listings are told apart by every byte', async () => {
    const listing = (at: number) => {
      const json = new Uint8Array(3 * 1024 * 1024)
      if (at >= 0) json[at] = 1
      return listingDigest([{ name: 'a', json }, raw('b', '{}')])
    }
    const places = [-1, 0, 1_048_560, 1_048_576, 2_097_151, 3_145_727]
    expect(new Set(await Promise.all(places.map(listing))).size).toBe(places.length)
    expect(await listing(5)).toBe(await listing(5))
  })

  it.each([new RankedSearch(), new RegexSearch()])(
    'hits are tools of the listing at hand, not of an earlier one',
    async (engine) => {
      const [before, now] = [catalog(3, () => 'chart'), catalog(3, () => 'chart')]
      await engine.search('chart', before, 5)
      const hits = await engine.search('chart', now, 5)
      expect(hits).toHaveLength(3)
      expect(hits.every((hit) => now.includes(hit))).toBe(true)
    },
  )

  it.each([new RankedSearch(), new RegexSearch()])('hits are of the list as it was asked for', async (engine) => {
    const tools = [listed('draw_chart'), listed('send_mail'), listed('read_file')]
    const searching = engine.search('chart', tools, 5)
    tools.reverse()
    expect((await searching).map(({ name }) => name)).toEqual(['draw_chart'])
  })

  it.each([new RankedSearch(), new RegexSearch()])('a tool that is gone is not found any more', async (engine) => {
    const tools = catalog(3, () => 'chart')
    await engine.search('chart', tools, 5)
    expect((await engine.search('chart', tools.slice(1), 5)).map(({ name }) => name)).toEqual(['tool_1', 'tool_2'])
  })
})

describe('hostile text', () => {
  it('of any length makes an index of bounded size in bounded time', async () => {
    const tools = catalog(1024, (index) => words(4000, index * 7919))
    const index = await soon(30_000, () => new RankedIndex(tools, new TermReader()))
    expect(index.bytes).toBeLessThan(64 * 1024 * 1024)
    const query = tools[500]?.json.subarray(60, 1060) as Uint8Array
    await soon(2000, () => index.search(new TextDecoder().decode(query), 5))
    const scripts = catalog(1024, (index) =>
      String.fromCharCode(...Array.from({ length: 3000 }, (_, at) => 0x4e00 + ((index * 3001 + at * at) % 20_000))),
    )
    await soon(30_000, () => new RankedIndex(scripts, new TermReader()))
    // Names come first: no text can push them out.
    expect(index.search('tool 17', 1)).toEqual([17])
  })

  it.each([
    ['one word', 'x'.repeat(5_000_000)],
    ['one run without blanks', '漢字'.repeat(1_000_000)],
    ['capitals and digits in turn', 'aB1'.repeat(1_000_000)],
    ['accents', `e${'\u0301'.repeat(2_000_000)}`],
  ])('in a description is cut: %s', async (_, description) => {
    const tools = [listed('good', { description: 'draws' }), listed('bad', { description })]
    const [hit] = await soon(2000, () => new RankedSearch().search('draws', tools, 5))
    expect(hit?.name).toBe('good')
  })

  it('in a schema is cut, deep or wide', async () => {
    let deep: object = { properties: { bottom: {} } }
    for (let depth = 0; depth < 400; depth++) deep = { properties: { p: deep } }
    const wide = Object.fromEntries(
      Array.from({ length: 100_000 }, (_, index) => [`field_${index}`, { description: 'of many' }]),
    )
    const tools = [listed('deep', { inputSchema: deep }), listed('wide', { inputSchema: { properties: wide } })]
    const names = async (query: string) =>
      (await soon(3000, () => new RankedSearch().search(query, tools, 5))).map(({ name }) => name)
    expect(await names('field')).toEqual(['wide'])
    expect(await names('bottom')).toEqual([])
  })
})

describe('words a pattern requires', () => {
  it.each<[string, string[] | undefined]>([
    ['(create|add).*(comment|story)', ['comment', 'story']],
    ['abc|de.*f', ['abc', 'de']],
    ['(ab)?cd', ['cd']],
    ['ab+c', ['ab']],
    ['abb*c', ['ab']],
    ['x(?:yy|zz)', ['yy', 'zz']],
    ['[abc]de', ['de']],
    ['[]a]bc', ['bc']],
    ['a{0}bcd', ['bcd']],
    ['(?i)abc', ['abc']],
    ['é/abc', ['abc']],
    ['(abc){0,2}', undefined],
    ['(|abc)', undefined],
    ['abc|', undefined],
    ['a*', undefined],
    ['', undefined],
    ['(?x)a b', undefined],
    ['(?-i)abc', undefined],
    ['\\x41bc', undefined],
    ['\\p{L}bc', undefined],
    ['[[:alpha:]]bc', undefined],
  ])('%s: %j', (pattern, expected) => {
    expect(requiredWords(pattern)).toEqual(expected)
  })

  it('stand in every text that matches: with or without them the verdict is the engine’s own', async () => {
    const atom = fc.constantFrom('a', 'b', 'k', 'ab', '.', '\\w', '[ab]', '[^a]', '^', '$', '\\b', 'é', '-')
    const { pattern } = fc.letrec<{ pattern: string; item: string }>((tie) => ({
      pattern: fc.oneof(
        { depthSize: 'small' },
        fc.array(tie('item'), { minLength: 1, maxLength: 3 }).map((items) => items.join('')),
        fc.tuple(tie('pattern'), tie('pattern')).map((sides) => sides.join('|')),
      ),
      item: fc.oneof(
        { depthSize: 'small' },
        fc.tuple(atom, fc.constantFrom('', '', '*', '+', '?', '{2}', '{0,1}', '+?')).map((parts) => parts.join('')),
        fc.tuple(tie('pattern'), fc.constantFrom('', '*', '+', '?')).map(([inner, times]) => `(${inner})${times}`),
      ),
    }))
    let hits = 0
    await fc.assert(
      fc.asyncProperty(
        pattern,
        fc.string({ unit: fc.constantFrom('a', 'B', 'k', '\u212a', 'é', '-'), maxLength: 6 }),
        async (source, text) => {
          const { RE2JS } = await import('re2js')
          const compiled = await compileSearchPattern(source)
          if (compiled === undefined || /\\w|\\b|\[\^/.test(source)) return
          const own = RE2JS.compile(source, RE2JS.CASE_INSENSITIVE).matcher(text).find()
          if (own) hits++
          expect(compiled.test(text)).toBe(own)
        },
      ),
      { numRuns: 3000 },
    )
    expect(hits).toBeGreaterThan(200)
  })
})
