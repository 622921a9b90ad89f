import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isHeldBack, type LabelledQuery, placeOfGold, recallAt, recallText } from '../../bench/recall.ts'
import type { ListedTool } from '../../src/listing/index.ts'
import { RankedSearch, RegexSearch, type SearchEngine } from '../../src/provider/index.ts'
import { Meanings } from '../../src/provider/search/meanings.ts'
import { pairsOf, stem, wordsOf } from '../../src/provider/search/words.ts'
import { NEEDS, TOOLS } from './retrieval-set.ts'

const listed = (name: string, members: object = {}): ListedTool => ({
  name,
  json: new TextEncoder().encode(JSON.stringify({ name, ...members })),
})
const namesOf = (tools: readonly ListedTool[]) => tools.map(({ name }) => name)
const ranked = async (query: string, tools: readonly ListedTool[], limit = 5) =>
  namesOf(await new RankedSearch().search(query, tools, limit))

describe('words', () => {
  it.each<[string, string[]]>([
    ['get_user-name.now', ['get', 'user', 'name', 'now']],
    ['renderChart', ['renderchart', 'render', 'chart']],
    ['HTMLPage', ['htmlpage', 'html', 'page']],
    ['oauth2Token', ['oauth2token', 'oauth', '2', 'token']],
    ['Größe STRASSE', ['grosse', 'strasse']],
    ['straße', ['strasse']],
    ['ＧＡＭＭＡ ﬁle', ['gamma', 'file']],
    ['Ёлка', ['елка']],
    ['タスクを削除', ['タスクを削除']],
    ['PDFを開く', ['を開く', 'pdf']],
    ['ข้อมูล', ['ข้อมูล']],
    ['हिन्दी', ['हिन्दी']],
    ['', []],
    ['--- ___', []],
    ['x'.repeat(49), []],
  ])('of %j', (text, expected) => {
    expect(wordsOf(text, 100).map(({ text: word }) => word)).toEqual(expected)
  })

  it('stop at their limit, and are folded already', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.nat(8), (text, limit) => {
        const words = wordsOf(text, limit)
        expect(words.length).toBeLessThanOrEqual(limit)
        for (const { text: word } of words) expect(word).not.toMatch(/[\s\p{Lu}\p{P}~]/u)
      }),
    )
  })

  it.each([
    ['create creates created creating', 'creat'],
    ['delete deletes deleted deleting', 'delet'],
    ['query queries queried querying', 'queri'],
    ['run runs running', 'run'],
    ['branch branches branching', 'branch'],
    ['issue issues', 'issu'],
    ['status', 'status'],
    ['access', 'access'],
    ['string', 'string'],
    ['api', 'api'],
    ['größer', 'größer'],
  ])('have one stem: %s', (words, expected) => {
    expect([...new Set(words.split(' ').map(stem))]).toEqual([expected])
  })

  it('pairs are of characters, not of UTF-16 units', () => {
    expect(pairsOf('削除する')).toEqual(['削除', '除す', 'する'])
    expect(pairsOf('𠮷野家')).toEqual(['𠮷野', '野家'])
    expect(pairsOf('字')).toEqual(['字'])
  })

  it.each([
    ['remov', 'losche'],
    ['remov', 'supprimer'],
    ['remov', 'eliminar'],
    ['remov', 'apagar'],
    ['folder', 'ordner'],
  ])('of other languages have the meaning of %s: %s', (english, other) => {
    const meanings = new Meanings()
    expect(meanings.ofWord(other, other)).toEqual(expect.arrayContaining([...meanings.ofWord(english, english)]))
    expect(meanings.ofWord(english, english)).toHaveLength(1)
  })

  it.each(['ファイルを削除したい', '파일을 삭제해 주세요', '请删除这个文件'])(
    'in a text without blanks: %s',
    (text) => {
      const meanings = new Meanings()
      const found = wordsOf(text, 100).flatMap(({ text: run }) => meanings.ofRun(run))
      expect(found).toEqual(
        expect.arrayContaining([...meanings.ofWord('delet', 'delet'), ...meanings.ofWord('file', 'fil')]),
      )
    },
  )

  it('that nobody knows have a meaning only as a guess', () => {
    const meanings = new Meanings('project|proyect')
    expect(meanings.ofWord('projekt', 'projekt')).toEqual([])
    expect(meanings.ofWord('projekt', 'projekt', true)).toEqual(['~0'])
    expect(meanings.ofWord('proyectos', 'proyecto')).toEqual(['~0'])
    expect(meanings.ofWord('constructor', 'constructor', true)).toEqual([])
  })
})

describe('the retrieval benchmark', () => {
  const need = (gold: string[], id = 'x'): LabelledQuery => ({
    id,
    track: 'A',
    lang: 'en',
    servers: [],
    query: '',
    gold,
  })

  it('R-B-05: counts the first acceptable tool', () => {
    const answers = [
      { query: need(['s/a']), found: ['s/a', 's/b'] },
      { query: need(['s/a', 's/c']), found: ['s/b', 's/c', 's/a'] },
      { query: need(['s/a']), found: ['t/a', 's/ab'] },
      { query: need(['s/a']), found: [] },
    ]
    expect(answers.map(placeOfGold)).toEqual([1, 2, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY])
    expect([1, 2, 5].map((k) => recallAt(answers, k))).toEqual([0.25, 0.5, 0.5])
    expect(recallText(answers, [1, 5])).toBe('25.0/50.0')
    expect(recallText([], [1])).toBe('–')
  })

  it('R-B-05: halves are about halves, and an id always falls into the same', () => {
    const ids = Array.from({ length: 1000 }, (_, index) => need([], `q${index}`))
    const held = ids.filter(isHeldBack)
    expect(held.length).toBeGreaterThan(400)
    expect(held.length).toBeLessThan(600)
    expect(ids.slice(0, 9).map(isHeldBack)).toEqual(ids.slice(0, 9).map(isHeldBack).slice())
    expect(new Set([isHeldBack(need([], 'Ad001')), isHeldBack(need(['other'], 'Ad001'))]).size).toBe(1)
  })

  const tools = TOOLS.map(([name, description, properties = {}]) =>
    listed(name, { description, inputSchema: { type: 'object', properties } }),
  )
  async function recall(engine: SearchEngine): Promise<[number, number]> {
    const answers = []
    for (const [query, gold] of NEEDS) {
      const found = namesOf(await engine.search(query, tools, 5))
      answers.push({ query: need([gold]), found })
    }
    return [recallAt(answers, 1), recallAt(answers, 5)]
  }

  it('R-B-05: ranked search finds most of a small set, at rank 1 more than half', async () => {
    const [first, five] = await recall(new RankedSearch())
    expect(first).toBeGreaterThanOrEqual(0.6)
    expect(five).toBeGreaterThanOrEqual(0.9)
  })

  it('R-B-05: an engine that does not search fails the same test', async () => {
    const [, five] = await recall({ search: async (_, all, limit) => all.slice(0, limit) })
    expect(five).toBeLessThan(0.5)
  })
})

describe('ranked search', () => {
  it('weighs places: name, title, first sentence, description, parameters, inside of parameters', async () => {
    const filler = { description: 'Does something. And more' }
    const nested = { properties: { outer: { type: 'object', properties: { gadget: { type: 'string' } } } } }
    const tools = [
      listed('f_one', { ...filler, inputSchema: nested }),
      listed('f_two', { ...filler, inputSchema: { properties: { gadget: { type: 'string' } } } }),
      listed('f_three', { description: 'Does something. And gadget' }),
      listed('f_four', { description: 'Does gadget. And more' }),
      listed('f_five', { ...filler, title: 'Gadget' }),
      listed('f_gadget', filler),
    ]
    const names = await ranked('gadget', tools, 10)
    expect(names.slice(0, 1)).toEqual(['f_gadget'])
    expect(new Set(names)).toEqual(new Set(namesOf(tools)))
    expect(names.at(-1)).toBe('f_one')
    expect(names.indexOf('f_four')).toBeLessThan(names.indexOf('f_three'))
  })

  it.each([
    ['user name', 'getUserName'],
    ['GETUSERNAME', 'getUserName'],
    ['oauth2', 'rotate_oauth2_token'],
    ['oauth', 'rotate_oauth2_token'],
    ['configure', 'set_configuration'],
    ['reindexx', 'reindex_all'],
    ['verschiebe den Ordner', 'move_folder'],
    ['フォルダを移動', 'move_folder'],
    ['move a folder', 'ordner_verschieben'],
  ])('%j finds %s first', async (query, expected) => {
    const others = ['alpha', 'beta_gamma', 'ping'].map((name) => listed(name, { description: 'Does one thing' }))
    expect((await ranked(query, [...others, listed(expected, { description: 'Does one thing' })]))[0]).toBe(expected)
  })

  it('ties keep the order of the catalog', async () => {
    const tools = ['b', 'c', 'a'].map((name) => listed(`${name}_x`, { description: 'draws charts' }))
    expect(await ranked('charts', tools)).toEqual(['b_x', 'c_x', 'a_x'])
  })

  it('values and nested names of a schema count, keywords do not', async () => {
    const inputSchema = {
      type: 'object',
      properties: {
        mode: { enum: ['zephyr', 7] },
        list: { type: 'array', items: { anyOf: [{ properties: { quux: {} } }] } },
      },
      $defs: { D: { properties: { corge: { description: 'grault' } } } },
    }
    const tools = [listed('plain', { inputSchema: { type: 'object' } }), listed('rich', { inputSchema })]
    for (const word of ['zephyr', 'quux', 'corge', 'grault']) expect(await ranked(word, tools)).toEqual(['rich'])
    for (const word of ['anyOf', 'properties', 'items']) expect(await ranked(word, tools)).toEqual([])
  })

  it('odd queries and listings are answered', async () => {
    const tools = [listed('a_tool'), listed('__proto__'), listed('constructor', { description: 'toString' })]
    for (const query of [
      '',
      ' ',
      '~0',
      '~',
      '\ud800',
      '𠮷',
      'a'.repeat(100_000),
      '__proto__ constructor toString hasOwn',
    ]) {
      expect((await ranked(query, tools)).length).toBeLessThanOrEqual(3)
    }
    expect(await ranked('constructor', tools)).toEqual(['constructor'])
    expect(await ranked('proto', tools)).toEqual(['__proto__'])
    expect(await ranked('anything', [])).toEqual([])
  })
})

describe('pattern search', () => {
  const tools = [
    listed('p', { inputSchema: { properties: { chart: { description: 'x' } } } }),
    listed('d', { description: 'Does it. Then draws a chart' }),
    listed('l', { description: 'Draws a chart. Then ends' }),
    listed('t', { title: 'Chart' }),
    listed('chart_n'),
  ]

  it('orders by place, or as the catalog does', async () => {
    expect(namesOf(await new RegexSearch().search('chart', tools, 5))).toEqual(['chart_n', 'l', 'd', 'p'])
    expect(namesOf(await new RegexSearch({ order: 'catalog' }).search('chart', tools, 5))).toEqual([
      'p',
      'd',
      'l',
      'chart_n',
    ])
    expect(namesOf(await new RegexSearch({ order: 'catalog' }).search('chart', tools, 2))).toEqual(['p', 'd'])
    expect(namesOf(await new RegexSearch().search('chart', tools, 2))).toEqual(['chart_n', 'l'])
  })

  it.each(['(', '(?=a)a', 'x'.repeat(1001)])('finds nothing for %.20j', async (pattern) => {
    expect(await new RegexSearch().search(pattern, tools, 5)).toEqual([])
  })
})
