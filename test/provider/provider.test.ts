import { describe, expect, it } from 'vitest'
import type { ListedTool } from '../../src/listing/index.ts'
import {
  describeSchemaTools,
  discloseTool,
  distinctTools,
  navigateTools,
  ProviderError,
  RankedSearch,
  RegexSearch,
  readSchemaUri,
  summarizeTool,
  toolAlias,
  toolOperation,
} from '../../src/provider/index.ts'

const utf8 = (text: string) => new TextEncoder().encode(text)
const listed = (entry: { name: string; [member: string]: unknown }): ListedTool => ({
  name: entry.name,
  json: utf8(JSON.stringify(entry)),
})
const simple = (name: string, description = '', properties: object = {}) =>
  listed({ name, description, inputSchema: { type: 'object', properties } })

describe('names', () => {
  it.each([
    ['get_user', 'get_user', /^get_user$/],
    ['list-users', 'list_users', /^list-users$/],
    ['files/read', 'files_read', /^files_read-[0-9a-f]{8}$/],
    ['a.b', 'a_b', /^a_b-[0-9a-f]{8}$/],
    ['1st', 't_1st', /^t_1st-[0-9a-f]{8}$/],
    ['', 't_', /^t_-[0-9a-f]{8}$/],
    ['詳細😀', 't____', /^t____-[0-9a-f]{8}$/],
    ['x'.repeat(129), 'x'.repeat(129), /^x{119}-[0-9a-f]{8}$/],
    ['x'.repeat(600), 'x'.repeat(512), /^x{119}-[0-9a-f]{8}$/],
  ])('R-A-31: of %j', async (name, operation, alias) => {
    expect(toolOperation(name)).toBe(operation)
    expect(await toolAlias(name)).toMatch(alias)
  })

  it('tools of one name or alias are left out', async () => {
    const made = await toolAlias('files/read')
    const { tools, skipped } = await distinctTools([
      simple('a'),
      simple('files/read'),
      simple(made),
      simple('b'),
      simple('b'),
    ])
    expect(tools.map(({ name }) => name)).toEqual(['a'])
    expect(skipped).toBe(4)
  })
})

describe('discloseTool', () => {
  it('R-A-32: source_sha256 follows the whole entry, the schema digests only the schemas', async () => {
    const [before, after] = await Promise.all([discloseTool(simple('a', 'one')), discloseTool(simple('a', 'two'))])
    expect(before.manifest.source_sha256).not.toBe(after.manifest.source_sha256)
    expect(before.manifest.schema_sha256).toBe(after.manifest.schema_sha256)
    const given = await discloseTool(simple('a'), { sourceSha256: 'f'.repeat(64) })
    expect(given.manifest.source_sha256).toBe('f'.repeat(64))
  })

  it('reads the entry before it waits', async () => {
    for (const name of ['a', 'naïve']) {
      const honest = await discloseTool(simple(name))
      const mutable = simple(name)
      const disclosing = discloseTool(mutable)
      mutable.json.fill(0x20)
      expect((await disclosing).manifest).toEqual(honest.manifest)
    }
  })

  it('a missing output schema, or null, is disclosed as {}', async () => {
    const [absent, empty, nothing] = await Promise.all([
      discloseTool(listed({ name: 'a', inputSchema: {} })),
      discloseTool(listed({ name: 'a', inputSchema: {}, outputSchema: {} })),
      discloseTool(listed({ name: 'a', inputSchema: {}, outputSchema: null })),
    ])
    expect(new Set([absent, empty, nothing].map(({ manifest }) => manifest.schema_sha256)).size).toBe(1)
  })

  it('R-A-10, R-A-11, R-A-13: a manifest of its own stands only where it agrees', async () => {
    const entry = { name: 'a', inputSchema: { type: 'object' } }
    const { manifest } = await discloseTool(listed(entry))
    const own = { ...manifest, operation: 'mine', source_sha256: 'e'.repeat(64) }
    const withMeta = (meta: object, more: object = {}) => listed({ ...entry, ...more, _meta: { openapi_schema: meta } })
    expect((await discloseTool(withMeta(own))).manifest).toEqual(own)
    for (const bad of [
      withMeta(own, { inputSchema: { type: 'object', title: 'changed' } }),
      withMeta(own, { name: 'b' }),
      withMeta({ ...own, extra: 1 }),
      withMeta({ ...own, schema_sha256: '0'.repeat(64) }),
    ]) {
      const error = await discloseTool(bad).catch((thrown: unknown) => thrown)
      expect(ProviderError.is(error) && error.code).toBe('manifest-mismatch')
    }
  })
})

describe('navigateTools', () => {
  it('leaves a broken tool out and counts it', async () => {
    const { entries, skipped } = await navigateTools([
      listed({ name: 'a' }),
      simple('b'),
      listed({ name: 'c', inputSchema: [] }),
    ])
    expect(entries.map(({ name }) => name)).toEqual(['b'])
    expect(skipped).toBe(2)
    expect(await describeSchemaTools([simple('b')])).toEqual(entries)
  })

  it('drops hits from the end, cuts one that is too big alone at a line end', async () => {
    const big = (name: string) => simple(name, `${'word '.repeat(19)}\n`.repeat(100))
    const list = await navigateTools([big('a'), big('b'), big('c'), big('d')])
    expect([list.entries.length, list.omitted, list.truncated]).toEqual([3, 1, true])
    expect(Buffer.byteLength(list.text)).toBeLessThanOrEqual(32_768)
    const alone = await navigateTools([simple('a', 'line of text\n'.repeat(10_000))])
    expect([alone.entries.length, alone.omitted, alone.truncated]).toEqual([1, 0, true])
    expect(alone.entries[0]?.summary.endsWith('line of text')).toBe(true)
    const oneLine = await navigateTools([simple('a', 'x'.repeat(100_000))])
    expect(Buffer.byteLength(oneLine.text)).toBeLessThanOrEqual(32_768)
  })
})

describe('summarizeTool', () => {
  it.each([
    [
      'references that loop',
      { properties: { a: { $ref: '#/$defs/A' } }, $defs: { A: { $ref: '#/$defs/B' }, B: { $ref: '#/$defs/A' } } },
    ],
    [
      'unions that explode',
      {
        properties: { a: { $ref: '#/$defs/n0' } },
        $defs: Object.fromEntries(
          Array.from({ length: 40 }, (_, i) => [
            `n${i}`,
            { anyOf: [{ $ref: `#/$defs/n${i + 1}` }, { $ref: `#/$defs/n${i + 1}`, x: 1 }] },
          ]),
        ),
      },
    ],
    [
      'references elsewhere',
      { properties: { a: { $ref: 'https://evil.example/schema' }, b: { $ref: '#/properties/b' } } },
    ],
  ])('%s end soon', (_name, inputSchema) => {
    const start = performance.now()
    expect(summarizeTool(listed({ name: 'a', inputSchema }))).toContain('- `a` (')
    expect(performance.now() - start).toBeLessThan(200)
  })

  it('any nesting a listing lets through', () => {
    const deep = `${'{"properties":{"a":'.repeat(400)}{}${'}}'.repeat(400)}`
    expect(summarizeTool({ name: 'a', json: utf8(`{"name":"a","inputSchema":${deep}}`) })).toContain(
      '- `a` (object): `a`',
    )
  })
})

describe('search', () => {
  const tools = [
    simple('users', 'Lists things. Also finds accounts.', { filter: { description: 'an invoice number' } }),
    simple('find_accounts', 'Nothing else'),
    simple('helper', 'Reads accounts quickly'),
    simple('other', 'First sentence. Then accounts', {}),
    simple('params', '', { accounts: {} }),
  ]

  it('by pattern: name before first sentence before description before parameters', async () => {
    const names = (await new RegexSearch().search('accounts', tools, 5)).map(({ name }) => name)
    expect(names).toEqual(['find_accounts', 'helper', 'users', 'other', 'params'])
    const catalog = (await new RegexSearch({ order: 'catalog' }).search('accounts', tools, 2)).map(({ name }) => name)
    expect(catalog).toEqual(['users', 'find_accounts'])
  })

  it.each(['[', '*', '(?=a)', 'a'.repeat(1001), '\\1'])('an invalid pattern finds nothing: %.20s', async (pattern) => {
    expect(await new RegexSearch().search(pattern, tools, 5)).toEqual([])
  })

  it('a catastrophic pattern is harmless', async () => {
    const start = performance.now()
    await new RegexSearch().search('(x+x+)+y', [simple('a', 'x'.repeat(20_000))], 5)
    await new RegexSearch().search('(a{1000}){1000}', tools, 5)
    expect(performance.now() - start).toBeLessThan(2000)
  })

  it('by words: identifiers are split', async () => {
    const camel = [simple('getUserAccount'), simple('list_open_invoices')]
    const hit = async (need: string) => (await new RankedSearch().search(need, camel, 1))[0]?.name
    expect(await hit('account')).toBe('getUserAccount')
    expect(await hit('invoices')).toBe('list_open_invoices')
    expect(await hit('nothing like it')).toBe(undefined)
  })
})

it('a runtime that cannot hash is no fault of a tool', async () => {
  const tool = simple('a')
  const { manifest } = await discloseTool(tool)
  const { subtle } = crypto
  Object.defineProperty(subtle, 'digest', { value: async () => 32, configurable: true })
  try {
    await expect(navigateTools([simple('a')])).rejects.toMatchObject({ code: 'digest-unavailable' })
    await expect(readSchemaUri(manifest.manifest_uri, async () => tool)).rejects.toMatchObject({
      code: 'digest-unavailable',
    })
  } finally {
    delete (subtle as { digest?: unknown }).digest
  }
})

describe('readSchemaUri', () => {
  it('R-A-12, R-A-14: hashes the tool as it is now, and asks once', async () => {
    const tool = simple('a')
    const { manifest, parts } = await discloseTool(tool)
    let asked = 0
    const find = (candidate: ListedTool) => async (matches: (tool: ListedTool) => boolean | Promise<boolean>) => {
      asked++
      return (await matches(candidate)) ? candidate : undefined
    }
    expect((await readSchemaUri(manifest.manifest_uri, find(tool))).text).toBe(JSON.stringify(manifest))
    const fragment = await readSchemaUri(manifest.fragment_uri_template.replace('{index}', '0'), find(tool))
    expect(JSON.parse(fragment.text).text).toBe(parts[0])
    for (const [uri, candidate] of [
      [manifest.manifest_uri, simple('a', '', { changed: {} })],
      [manifest.manifest_uri, simple('b')],
      [manifest.fragment_uri_template.replace('{index}', '1'), tool],
      [manifest.fragment_uri_template.replace('{index}', '00'), tool],
    ] as const) {
      const error = await readSchemaUri(uri, find(candidate)).catch((thrown: unknown) => thrown)
      expect(ProviderError.is(error) && error.code).toBe('not-found')
    }
    expect(asked).toBe(6)
  })
})
