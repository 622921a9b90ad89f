import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ListedTool } from '../../src/listing/index.ts'
import {
  discloseTool,
  hasOwnManifest,
  navigateTools,
  ProviderError,
  RankedSearch,
  RegexSearch,
  readSchemaUri,
  summarizeTool,
} from '../../src/provider/index.ts'

const raw = (name: string, json: string): ListedTool => ({ name, json: new TextEncoder().encode(json) })
const listed = (name: string, members: object): ListedTool => raw(name, JSON.stringify({ name, ...members }))
const summary = (inputSchema: object, more: object = {}) => summarizeTool(listed('a', { inputSchema, ...more }))

/** The same noise in every run. */
function noise(length: number): string {
  let seed = 1
  let text = ''
  while (text.length < length) {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff
    text += seed & 0x10000 ? 'a' : 'b'
  }
  return text
}

async function soon<T>(milliseconds: number, run: () => T | Promise<T>): Promise<T> {
  const start = performance.now()
  const result = await run()
  expect(performance.now() - start).toBeLessThan(milliseconds)
  return result
}

describe('summaries', () => {
  it('name what a schema without fields has', () => {
    expect(summary({ properties: {} })).toBe('### a\n\n**Parameters**\n*(no parameters)*')
    expect(summarizeTool(listed('a', {}))).toBe('### a\n\n**Parameters**\n- `value` (any)')
  })

  it('list what a schema is made of before its own fields, each schema once', () => {
    const $defs = {
      A: { anyOf: [{ $ref: '#/$defs/B' }], properties: { both: {}, a: {} } },
      B: { type: 'array', items: { allOf: [{ $ref: '#/$defs/A' }], properties: { both: {}, b: {} } } },
    }
    const text = summary({ properties: { one: { $ref: '#/$defs/A' }, two: { $ref: '#/$defs/B' } }, $defs })
    expect(text).toContain('- `one` (object): `both`, `b`, `a`\n- `two` (object): `both`, `a`, `b`')
  })

  it('follow long chains without a deep stack', async () => {
    const $defs: Record<string, object> = { n0: { properties: { found: {} } } }
    for (let n = 1; n <= 20_000; n++) $defs[`n${n}`] = { anyOf: [{ $ref: `#/$defs/n${n - 1}` }] }
    expect(await soon(2000, () => summary({ properties: { p: { $ref: '#/$defs/n20000' } }, $defs }))).toContain(
      '- `p` (object): `found`',
    )
  })

  it('escaped pointers lead to their schema, foreign and broken ones nowhere', () => {
    const $defs = { 'a/b~c': { properties: { x: {} } } }
    const refs = ['#/$defs/a~1b~0c', 'https://evil.example/#/$defs/a', '#/$defs/none', '#', '#/$defs/constructor']
    const properties = Object.fromEntries(refs.map(($ref, index) => [`p${index}`, { $ref }]))
    expect(summary({ properties, $defs }).split('\n').slice(3)).toEqual([
      '- `p0` (object): `x`',
      '- `p1` (object)',
      '- `p2` (object)',
      '- `p3` (object)',
      '- `p4` (object)',
    ])
  })

  it('do not pay for every field what one of them costs', async () => {
    const fields = Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`f${n}`, {}]))
    const properties = Object.fromEntries(
      Array.from({ length: 2000 }, (_, n) => [`p${n}`, { anyOf: [{ $ref: '#/$defs/Big' }] }]),
    )
    const text = await soon(2000, () => summary({ properties, $defs: { Big: { properties: fields } } }))
    expect(text).toContain('`f15`, +49984 more')
    expect(text).toContain('- `p1999` (object)')
  })

  it('do not pay for a reference by its length', async () => {
    const long = `#/${'/'.repeat(1_000_000)}`
    const properties = Object.fromEntries(
      Array.from({ length: 1000 }, (_, index) => [`p${index}`, { $ref: '#/$defs/a' }]),
    )
    await soon(1000, () => summary({ properties, $defs: { a: { $ref: long, properties: { x: {} } } } }))
    // Nor for many that are just short enough.
    let nested: object = { properties: { x: {} } }
    for (let level = 0; level < 250; level++) nested = { $ref: `#${'/$defs/a'.repeat(250)}`, $defs: { a: nested } }
    await soon(1000, () => summary({ properties, ...nested }))
  })

  it('end at 65,536 characters, behind a line', () => {
    const properties = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`property_${n}`, {}]))
    const text = summary({ properties })
    expect(text.length).toBeLessThanOrEqual(65_536)
    expect(text.split('\n').at(-1)).toMatch(/^- `property_\d+` \(any\)$/)
    expect(summarizeTool(listed('😀'.repeat(40_000), {})).isWellFormed()).toBe(true)
    expect(summary({ properties: { ['x'.repeat(200_000)]: {} } })).toBe('### a\n\n**Parameters**')
  })

  it.each([
    ['default', { default: { a: 'é'.repeat(10_000) } }],
    ['constant', { const: '😀'.repeat(10_000) }],
    ['listed value', { enum: ['a', 'b'.repeat(10_000)] }],
  ])('DEV-P-12: cut a long %s', (_name, schema) => {
    const text = summary({ properties: { x: schema } })
    expect(text).toContain('…')
    expect(text.length).toBeLessThan(350)
    expect(text.isWellFormed()).toBe(true)
  })

  it('show equal values once, and none of too many', async () => {
    const field = (schema: object) =>
      summary({ properties: { x: schema } })
        .split('\n')
        .at(-1)
    expect(field({ enum: [1, true, '1', 0, false] })).toBe('- `x` (any, one of 1/"1"/0)')
    expect(field({ enum: [1, 2, 3, 4, 5, 6, 7, 8] })).toContain('one of 1/2/3/4/5/6/7/8')
    expect(field({ enum: [1, 2, 3, 4, 5, 6, 7, 8, 9] })).toBe('- `x` (any)')
    expect(await soon(2000, () => field({ enum: Array.from({ length: 500_000 }, (_, n) => n) }))).toBe('- `x` (any)')
  })

  it('strip a description as Python does', () => {
    expect(summary({}, { description: '\u0085\u001c\u00a0 x\ufeff \n' })).toContain('### a\n\nx\ufeff\n\n**')
  })
})

describe('searches', () => {
  it('BC-037: cost what is bounded, however the pattern and the catalog are made', async () => {
    const description = noise(20_000)
    const tools = Array.from({ length: 50 }, (_, n) => listed(`t${n}`, { description, inputSchema: {} }))
    for (const pattern of ['(?:[ab]{0,30}){30}z', '[ab]*a[ab]{300}z', '(a|b|ab)*(c.{200}){3}x', '(a+)+$']) {
      await soon(8000, () => new RegexSearch().search(pattern, tools, 5))
    }
    const words = Array.from({ length: 400_000 }, (_, n) => `w${n.toString(36)}`).join(' ')
    expect(
      await soon(3000, () => new RankedSearch().search('w1', [listed('a', { description: words })], 5)),
    ).toHaveLength(1)
  })

  it('leave out entries that cannot be read', async () => {
    const broken = [raw('x', '{"name":"x","description":"\\ud800"}'), raw('y', '{"name":"y","a":1,"a":2}')]
    for (const engine of [new RegexSearch(), new RankedSearch()]) {
      const hits = await engine.search('xy', [...broken, listed('xy', {})], 5)
      expect(hits.map(({ name }) => name)).toEqual(['xy'])
    }
    expect(broken.map(hasOwnManifest)).toEqual([false, false])
  })

  it('by pattern: a title counts as the first sentence does, and adds no hit', async () => {
    const tools = [
      listed('later', { description: 'Reads v1.2 of it. Draws a chart' }),
      listed('first', { description: '\n Reads v1.2 of a chart. More' }),
      listed('titled', { title: 'Chart maker', description: 'Nothing. Draws a chart' }),
      listed('only_title', { title: 'Chart' }),
    ]
    const names = (await new RegexSearch().search('chart', tools, 5)).map(({ name }) => name)
    expect(names).toEqual(['first', 'titled', 'later'])
  })

  it('by words: folded in full, single letters say nothing', async () => {
    const tools = [listed('gamma', { description: 'a Straße' })]
    const found = async (query: string) => (await new RankedSearch().search(query, tools, 5)).length
    expect(await Promise.all(['Strasse', 'STRASSE', 'ＧＡＭＭＡ', 'a', 'asse'].map(found))).toEqual([1, 1, 1, 0, 0])
  })
})

describe('navigation and reads', () => {
  it('a name of any length leaves the budget and its neighbours alone', async () => {
    const hits = [listed('n'.repeat(40_000), { inputSchema: {} }), listed('b', { inputSchema: {} })]
    const { entries, skipped, truncated, text } = await navigateTools(hits)
    expect(entries.map(({ name }) => name)).toEqual(['b'])
    expect([skipped, truncated]).toEqual([1, false])
    expect(text.length).toBeLessThan(32_768)
  })

  it('text of a server stays text: no description makes an entry, a member or a name', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('"}]', '\n# other\n', '</tool>', '\u2028', '`x`')),
        async (description) => {
          const { text, entries } = await navigateTools([listed('a', { description, inputSchema: {} })])
          expect(JSON.parse(text)).toEqual(entries)
          expect(entries.map((entry) => [entry.kind, entry.name])).toEqual([['schema-navigation', 'a']])
          expect(Object.keys(entries[0] ?? {})).toEqual(['kind', 'name', 'manifest', 'summary'])
        },
      ),
    )
  })

  it('BC-040: nothing of _meta is shown', async () => {
    const tool = listed('crm.get', {
      inputSchema: { type: 'object' },
      _meta: { 'x-internal-url': 'https://10.0.0.5/crm', authorization: 'Bearer SAMPLE' },
    })
    const { text } = await navigateTools([tool])
    expect(text).toContain('crm.get')
    expect(text).not.toMatch(/SAMPLE|10\.0\.0\.5/)
  })

  it('R-A-15: hidden, unknown, stale, broken and badly indexed are one refusal', async () => {
    const tool = listed('a', { inputSchema: {} })
    const { manifest } = await discloseTool(tool)
    const refusals = new Set<string>()
    for (const candidate of [
      undefined,
      listed('a', { inputSchema: { changed: 1 } }),
      listed('a', {}),
      raw('a', '{"name":"a","description":"\\ud800","inputSchema":{}}'),
      listed('a', { inputSchema: {}, _meta: { openapi_schema: {} } }),
    ]) {
      const error = await readSchemaUri(manifest.manifest_uri, async () => candidate).catch((thrown: unknown) => thrown)
      expect(ProviderError.is(error)).toBe(true)
      refusals.add(JSON.stringify([(error as ProviderError).message, (error as ProviderError).data]))
    }
    expect(refusals.size).toBe(1)
  })

  it('BC-031: an index is matched as raw text', async () => {
    const tool = listed('a', { inputSchema: { text: 'x'.repeat(9000) } })
    const { manifest } = await discloseTool(tool)
    const read = async (index: string) => {
      try {
        await readSchemaUri(manifest.fragment_uri_template.replace('{index}', index), async () => tool)
        return true
      } catch (error) {
        return ProviderError.is(error) ? false : error
      }
    }
    expect(manifest.fragment_count).toBe(3)
    expect(await Promise.all(['0', '1', '2'].map(read))).toEqual([true, true, true])
    const refused = [
      '00',
      '+1',
      '-0',
      '1.0',
      '%30',
      '０',
      '1e0',
      ' 1',
      '3',
      '99999999999999999999',
      '',
      '0/',
      '0?x',
      '0#x',
    ]
    expect(new Set(await Promise.all(refused.map(read)))).toEqual(new Set([false]))
  })
})
