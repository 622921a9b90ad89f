import { beforeAll, describe, expect, it } from 'vitest'
import type { SchemaDisclosure } from '../../src/core/index.ts'
import { RegexSearch, type SearchReport } from '../../src/provider/index.ts'
import { type Caller, type FixtureOptions, type MakeFixture, SDKS } from './fixture.ts'
import { buildDisclosures, search as find, foundNames, read, refusalOf } from './helpers.ts'

type Json = { [name: string]: unknown }

const ALL = ['get_user', 'delete_user', 'ping', 'slow']

describe.each(Object.entries(SDKS))('%s: disclosures that were built beforehand', (_, make: MakeFixture) => {
  let built: Map<string, SchemaDisclosure>
  const manifest = (name: string): SchemaDisclosure['manifest'] => (built.get(name) as SchemaDisclosure).manifest
  const carriedBy = (...names: string[]): Json => Object.fromEntries(names.map((name) => [name, manifest(name)]))

  beforeAll(async () => {
    built = await buildDisclosures(make)
  })

  /** A server with a report of what its searches left out. */
  const serve = async (options: FixtureOptions) => {
    const reports: SearchReport[] = []
    const fixture = make({ ...options, onSearch: (report) => reports.push(report) })
    return { fixture, caller: await fixture.connect(), reports }
  }

  it('are what navigation names and reads give, manifest and fragment, carried by the tool or not', async () => {
    const { caller, reports } = await serve({ disclosures: built, carried: carriedBy('get_user', 'slow') })
    const { result } = (await find(caller, { pattern: '.' })).structuredContent
    expect(result.map(({ manifest }) => manifest)).toEqual(ALL.map(manifest))
    expect(reports).toEqual([{ entries: 4, omitted: 0, skipped: 0 }])
    for (const name of ALL) {
      const { manifest_uri, fragment_uri_template } = manifest(name)
      expect(JSON.parse(await read(caller, manifest_uri))).toEqual(manifest(name))
      const fragment = JSON.parse(await read(caller, fragment_uri_template.replace('{index}', '0')))
      expect(fragment).toMatchObject({
        ...manifest(name),
        index: 0,
        text: (built.get(name) as SchemaDisclosure).parts[0],
      })
    }
  })

  it.each<[string, () => FixtureOptions]>([
    [
      'the manifest of another tool is carried',
      () => ({ disclosures: built, carried: { delete_user: manifest('get_user') } }),
    ],
    [
      'a manifest is carried that nobody registered',
      () => ({
        disclosures: new Map([...built].filter(([name]) => name !== 'delete_user')),
        carried: carriedBy('delete_user'),
      }),
    ],
    [
      'a manifest is carried with another source',
      () => ({
        disclosures: built,
        carried: { delete_user: { ...manifest('delete_user'), source_sha256: '0'.repeat(64) } },
      }),
    ],
    ['what is carried is no manifest', () => ({ disclosures: built, carried: { delete_user: 'v1' } })],
    [
      "the disclosure of another tool is registered under this one's name",
      () => ({ disclosures: new Map([...built, ['delete_user', built.get('get_user') as SchemaDisclosure]]) }),
    ],
    [
      'its disclosure names another alias',
      () => ({ disclosures: new Map([...built, ['delete_user', renamed('delete_user', 'remove_user')]]) }),
    ],
    [
      'an older schema was disclosed',
      () => ({ disclosures: new Map([...built, ['delete_user', stale()]]), carried: carriedBy('delete_user') }),
    ],
  ])('R-A-10, R-A-13: a tool is left out and counted, and not readable, where %s', async (_what, options) => {
    const given = options()
    const { caller, reports } = await serve(given)
    expect(await foundNames(caller)).toEqual(ALL.filter((name) => name !== 'delete_user'))
    expect(reports).toEqual([{ entries: 3, omitted: 0, skipped: 1 }])
    for (const uri of [manifest('delete_user').manifest_uri, stale().manifest.manifest_uri]) {
      expect((await refusalOf(read(caller, uri))).message).toBe('Resource not found')
    }
    expect(JSON.parse(await read(caller, manifest('get_user').manifest_uri))).toEqual(manifest('get_user'))
  })

  /** The disclosure of one tool under the alias of another. */
  const renamed = (name: string, alias: string, operation: string = manifest(name).operation): SchemaDisclosure => {
    const fields = Object.entries(manifest(name)).map(([field, value]) => [
      field,
      typeof value === 'string' ? value.replace(`/${name}/`, `/${alias}/`) : value,
    ])
    const disclosure = built.get(name) as SchemaDisclosure
    return { ...disclosure, manifest: { ...Object.fromEntries(fields), alias, operation } as never }
  }
  /** As if `delete_user` had had the schemas of `ping` before. */
  const stale = () => renamed('ping', 'delete_user', manifest('delete_user').operation)

  it('R-A-13: a tool whose schema changes afterwards is gone from search and reads, whatever it carries', async () => {
    const { fixture, caller, reports } = await serve({ disclosures: built, carried: carriedBy(...ALL) })
    expect(await foundNames(caller)).toEqual(ALL)
    fixture.show = (tools) =>
      tools.map((tool) => (tool.name === 'ping' ? { ...tool, outputSchema: { type: 'object' } } : tool))
    expect(await foundNames(caller)).toEqual(ALL.filter((name) => name !== 'ping'))
    await refusalOf(read(caller, manifest('ping').manifest_uri))
    expect(reports.map(({ skipped }) => skipped)).toEqual([0, 1])
  })

  it('the map is copied: what is put into it later is not served', async () => {
    const map = new Map(built)
    const { caller } = await serve({ disclosures: map })
    map.clear()
    const { result } = (await find(caller, { pattern: '^ping ' })).structuredContent
    expect(result[0]?.manifest).toEqual(manifest('ping'))
  })

  it('are those of one server: the same search elsewhere knows nothing of them, nor does it when they are taken away', async () => {
    const search = new RegexSearch()
    const manifests = async (caller: Caller) => {
      const { result } = (await find(caller, { pattern: '^(ping|slow) ' })).structuredContent
      return result.map(({ manifest }) => manifest)
    }
    const first = await serve({ search, disclosures: built, carried: carriedBy('slow') })
    const second = await serve({ search })
    expect(await manifests(first.caller)).toEqual([manifest('ping'), manifest('slow')])
    expect((await manifests(second.caller)).map(({ operation }) => operation)).toEqual(['ping', 'slow'])
    first.fixture.disposables.resources[Symbol.dispose]()
    expect((await manifests(first.caller)).map(({ operation }) => operation)).toEqual(['ping'])
  })

  it('one that is none is refused when it is registered', () => {
    const broken = { manifest: { ...manifest('ping'), version: 2 as never } }
    expect(() => make({ disclosures: new Map([['ping', broken]]) })).toThrow(
      expect.objectContaining({ code: 'manifest-invalid' }),
    )
  })
})
