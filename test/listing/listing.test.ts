import { describe, expect, it } from 'vitest'
import { collectTools, DEFAULT_LISTING_LIMITS, ListingError, readToolsPage } from '../../src/listing/index.ts'

const utf8 = (text: string) => new TextEncoder().encode(text)
const tool = (name: string, more = '') => `{"name":"${name}","inputSchema":{}${more}}`
const page = (tools: string[], cursor?: string) =>
  utf8(`{"tools":[${tools.join(',')}]${cursor === undefined ? '' : `,"nextCursor":${JSON.stringify(cursor)}`}}`)

async function codeOf(run: () => unknown): Promise<string> {
  try {
    await run()
    return 'accepted'
  } catch (error) {
    if (ListingError.is(error)) return error.code
    throw error
  }
}

const pages = (list: readonly Uint8Array[]) => {
  const cursors: (string | undefined)[] = []
  return {
    cursors,
    fetchPage: async (cursor: string | undefined) => {
      cursors.push(cursor)
      return list[cursors.length - 1] as Uint8Array
    },
  }
}

describe('collectTools', () => {
  it('REQ-P-19: follows cursors verbatim, the empty one too, and keeps every byte', async () => {
    const entry = '{ "name" : "b", "x":1.0, "inputSchema":{"maximum":18446744073709551615} }'
    const { fetchPage, cursors } = pages([page([tool('a')], 'x'), page([entry], ''), page([])])
    const { tools, pages: count, skipped } = await collectTools(fetchPage)
    expect(cursors).toEqual([undefined, 'x', ''])
    expect([count, skipped]).toEqual([3, 0])
    expect(tools.map(({ json }) => new TextDecoder().decode(json))).toEqual([tool('a'), entry])
  })

  it('BC-100, BC-118: a null cursor ends the list, an empty page with a cursor does not', async () => {
    const { fetchPage, cursors } = pages([
      page([tool('a')], 'x'),
      page([], 'z'),
      utf8('{"tools":[],"nextCursor":null}'),
    ])
    expect((await collectTools(fetchPage)).tools.map(({ name }) => name)).toEqual(['a'])
    expect(cursors).toEqual([undefined, 'x', 'z'])
  })

  it('each page is asked for no more than is left of the total', async () => {
    const left: number[] = []
    const list = [page([tool('a')], '1'), page([tool('b')])]
    const { bytes } = await collectTools(
      async (_cursor, { maxBytes, signal }) => {
        expect(signal.aborted).toBe(false)
        left.push(maxBytes)
        return list[left.length - 1] as Uint8Array
      },
      { limits: { maxTotalBytes: 1000 } },
    )
    expect(left).toEqual([1000, 1000 - (list[0]?.length ?? 0)])
    expect(bytes).toBe((list[0]?.length ?? 0) + (list[1]?.length ?? 0))
  })

  it('BC-104: an endless list costs as many requests as pages are allowed', async () => {
    let requests = 0
    const code = await codeOf(() => collectTools(async () => page([tool(`t${requests}`)], String(++requests))))
    expect([code, requests]).toEqual(['page-limit', 64])
  })

  it('a fetch that fails at the deadline is a timeout, whatever it throws; the signal given to it has fired', async () => {
    const timeout = new AbortController()
    let given: AbortSignal | undefined
    const code = await codeOf(() =>
      collectTools(
        (_cursor, { signal }) => {
          given = signal
          return new Promise((_, reject) => {
            signal.addEventListener('abort', () => reject(new Error('network')))
            timeout.abort()
          })
        },
        { timeout: () => timeout.signal },
      ),
    )
    expect([code, given?.aborted]).toEqual(['timeout', true])
  })

  it('an asynchronous judge is waited for', async () => {
    const { fetchPage, cursors } = pages([page([tool('a'), tool('b')], '1'), page([tool('c')])])
    const { found } = await collectTools(fetchPage, { until: async ({ name }) => name === 'b' })
    expect([found?.name, cursors.length]).toEqual(['b', 1])
  })

  it('stops at the page of the tool that is wanted', async () => {
    const { fetchPage, cursors } = pages([page([tool('a')], '1'), page([tool('b'), tool('c')], '2'), page([tool('d')])])
    const { found } = await collectTools(fetchPage, { until: ({ name }) => name === 'b' })
    expect(found?.name).toBe('b')
    expect(cursors.length).toBe(2)
  })

  it('a name twice on its page is no hit', async () => {
    const { fetchPage } = pages([page([tool('b'), tool('b')], '2')])
    expect((await collectTools(fetchPage, { until: ({ name }) => name === 'b' })).found).toBe(undefined)
  })

  const at = (limits: object, list: Uint8Array[]) => () => collectTools(pages(list).fetchPage, { limits })
  const two = [page([tool('a')], '1'), page([tool('b')])]
  const bytes = two.reduce((sum, { length }) => sum + length, 0)
  it.each([
    ['accepted', at({ maxPages: 2 }, two)],
    ['page-limit', at({ maxPages: 1 }, two)],
    ['accepted', at({ maxTools: 2 }, two)],
    ['tool-limit', at({ maxTools: 1 }, two)],
    ['accepted', at({ maxTotalBytes: bytes }, two)],
    ['total-bytes', at({ maxTotalBytes: bytes - 1 }, two)],
    ['accepted', at({ maxEntryBytes: tool('a').length }, two)],
    ['entry-bytes', at({ maxEntryBytes: tool('a').length - 1 }, two)],
    ['accepted', at({ maxSchemaBytes: 2 }, two)],
    ['schema-bytes', at({ maxSchemaBytes: 1 }, two)],
    ['schema-bytes', at({ maxSchemaBytes: 5 }, [page([tool('a', ',"outputSchema":{"a":1}')])])],
    ['repeated-cursor', at({}, [page([], 'a'), page([], 'b'), page([], 'a')])],
    ['repeated-cursor', at({}, [page([], ''), page([], '')])],
    ['malformed-page', at({}, [utf8('{}')])],
    ['malformed-page', at({}, [utf8('{"tools":{}}')])],
    ['malformed-page', at({}, [utf8('{"tools":[],"nextCursor":5}')])],
    ['malformed-page', at({}, [utf8('{"tools":[],"tools":[]}')])],
    ['malformed-page', at({}, [utf8('{"tools":[')])],
    ['malformed-page', at({}, [utf8('{"tools":[]} x')])],
    ['timeout', () => collectTools(() => new Promise(() => undefined), { limits: { timeoutMs: 10 } })],
    ['aborted', () => collectTools(() => new Promise(() => undefined), { signal: AbortSignal.abort() })],
  ])('%s', async (code, run) => {
    expect(await codeOf(run)).toBe(code)
  })

  it.each([
    ['no object', '5'],
    ['no name', '{"inputSchema":{}}'],
    ['a name that is no string', '{"name":1}'],
    ['a member twice', '{"name":"a","name":"b"}'],
    ['a name without UTF-8', '{"name":"\\ud800"}'],
  ])('an entry with %s is left out and counted, its neighbours stay', (_name, entry) => {
    const { tools, skipped } = readToolsPage(page([tool('a'), entry, tool('b')]), DEFAULT_LISTING_LIMITS)
    expect(tools.map(({ name }) => name)).toEqual(['a', 'b'])
    expect(skipped).toBe(1)
  })

  it('what the fetch throws passes through', async () => {
    await expect(collectTools(async () => Promise.reject(new Error('network')))).rejects.toThrow('network')
  })
})
