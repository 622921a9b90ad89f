/**
 * Prints how well searches find the right tool, beside what other engines reach, and what they cost. Asserts nothing.
 *
 * Word table and weights were tuned on the first half of the queries alone: the second half is the figure to quote.
 * @module
 */

import type { ListedTool } from '../src/listing/index.ts'
import { navigateTools, RankedSearch, RegexSearch, type SearchEngine } from '../src/provider/index.ts'
import { listingDigest } from '../src/provider/search/listing-cache.ts'
import { Meanings } from '../src/provider/search/meanings.ts'
import { RankedIndex } from '../src/provider/search/ranked-index.ts'
import { TermReader } from '../src/provider/search/terms.ts'
import { median, ms, percentile, printTable } from './measure.ts'
import { type Answered, isHeldBack, type LabelledQuery, recallText } from './recall.ts'
import { FRESH_BASELINES, RANKED_BASELINES, REGEX_BASELINES } from './retrieval-baselines.ts'
import { catalogOf, labelledQueries, listingOf } from './retrieval-data.ts'

const KS = [1, 5]
const TIMED_TOOLS = 1024

const isTrack = (track: string) => (query: LabelledQuery) => query.track === track
const isEnglish = ({ lang }: LabelledQuery): boolean => lang === 'en'

async function answer(engine: SearchEngine, queries: readonly LabelledQuery[]): Promise<Answered[]> {
  const answers: Answered[] = []
  for (const query of queries) {
    const { tools, labels } = listingOf(query.servers)
    const hits = await engine.search(query.pattern ?? query.query, tools, 10)
    answers.push({ query, found: hits.map((hit) => labels.get(hit) as string) })
  }
  return answers
}

/** The columns of the tables: each track as a whole, in English, in other languages. */
function columns(label: string, answers: readonly Answered[]): string[] {
  const cells = ['A', 'B'].flatMap((track) => {
    const own = answers.filter(({ query }) => query.track === track)
    return [own, own.filter(({ query }) => isEnglish(query)), own.filter(({ query }) => !isEnglish(query))]
  })
  return [label, ...cells.map((cell) => recallText(cell, KS))]
}

/** The engine without its table of meanings: what plain words are worth. */
function withoutMeanings(): SearchEngine {
  const indexes = new WeakMap<readonly ListedTool[], RankedIndex>()
  return {
    async search(query, tools, limit) {
      const index = indexes.get(tools) ?? new RankedIndex(tools, new TermReader(new Meanings('')))
      indexes.set(tools, index)
      return index.search(query, limit).map((place) => tools[place] as ListedTool)
    },
  }
}

async function benchRanked(queries: readonly LabelledQuery[]): Promise<void> {
  const needs = queries.filter(({ track }) => track !== 'R')
  const answers = await answer(new RankedSearch(), needs)
  const plain = await answer(withoutMeanings(), needs)
  const held = ({ query }: Answered): boolean => isHeldBack(query)
  const head = ['recall@1/@5 in %', 'A all', 'A en', 'A other', 'B all', 'B en', 'B other']
  printTable(`Needs in words: inside one server (A), over the union of many (B); ${needs.length} queries`, [
    head,
    ...RANKED_BASELINES,
    columns('RankedSearch, no word table', plain),
    columns('RankedSearch', answers),
    columns(
      '  half it was tuned on',
      answers.filter((entry) => !held(entry)),
    ),
    columns('  half held back', answers.filter(held)),
    columns('  half held back, no word table', plain.filter(held)),
  ])
  printTable('Other engines on queries written after all was fixed', [
    ['recall@1/@5 in %', 'A all', 'A en', 'A other', 'B all'],
    ...FRESH_BASELINES,
  ])
  const languages = [...new Set(needs.map(({ lang }) => lang))]
  printTable('RankedSearch by language', [
    ['recall@1/@5 in %', ...languages],
    ...['A', 'B'].map((track) => [
      track,
      ...languages.map((lang) => {
        const own = answers.filter(({ query }) => query.track === track && query.lang === lang)
        return `${recallText(own, KS)} (${own.length})`
      }),
    ]),
  ])
}

async function benchRegex(queries: readonly LabelledQuery[]): Promise<void> {
  const patterns = queries.filter(isTrack('R'))
  const rows = []
  for (const order of ['catalog', 'place'] as const) {
    rows.push([`RegexSearch, order: '${order}'`, recallText(await answer(new RegexSearch({ order }), patterns), KS)])
  }
  const needs = patterns.map(({ pattern: _, ...need }) => need)
  rows.push(['RankedSearch on the need', recallText(await answer(new RankedSearch(), needs), KS)])
  printTable(`Patterns; ${patterns.length} queries`, [['recall@1/@5 in %', 'R'], ...REGEX_BASELINES, ...rows])
}

/** What a model is shown instead of whole catalogs. */
async function benchBytes(queries: readonly LabelledQuery[]): Promise<void> {
  const engine = new RankedSearch()
  const shown: number[] = []
  const listed: number[] = []
  for (const { query, servers } of queries.filter(isTrack('A'))) {
    const { tools } = listingOf(servers)
    shown.push(Buffer.byteLength((await navigateTools(await engine.search(query, tools, 5))).text))
    listed.push(tools.reduce((sum, { json }) => sum + json.length, 0))
  }
  printTable('Bytes a model is shown, track A', [
    ['', 'p50', 'p95'],
    ['all tools listed', String(median(listed)), String(percentile(listed, 0.95))],
    ['5 hits navigated', String(median(shown)), String(percentile(shown, 0.95))],
  ])
}

async function benchSpeed(queries: readonly LabelledQuery[]): Promise<void> {
  const all = [...new Set(queries.flatMap(({ servers }) => servers))].flatMap(catalogOf)
  const rows = [['', 'tools', 'bytes', 'first search', 'p50', 'p95', 'of it digest']]
  for (const tools of [all.slice(0, TIMED_TOOLS), all]) {
    const engines = { words: new RankedSearch(), patterns: new RegexSearch() }
    for (const [kind, engine] of Object.entries(engines)) {
      const asked = queries.filter(({ pattern }) => (pattern === undefined) === (kind === 'words')).slice(0, 150)
      const search = ({ query, pattern }: LabelledQuery) => timed(() => engine.search(pattern ?? query, tools, 5))
      const first = await search(asked[0] as LabelledQuery)
      const times: number[] = []
      for (let round = 0; round < 3; round++) for (const query of asked) times.push(await search(query))
      const digests: number[] = []
      for (let round = 0; round < 15; round++) digests.push(await timed(() => listingDigest(tools)))
      const bytes = tools.reduce((sum, { json }) => sum + json.length, 0)
      rows.push([
        kind,
        String(tools.length),
        String(bytes),
        ms(first),
        ms(median(times.slice(asked.length))),
        ms(percentile(times.slice(asked.length), 0.95)),
        ms(median(digests)),
      ])
    }
  }
  printTable(
    'Milliseconds a search; the first one reads the listing and builds its index, the others find the machine warm',
    rows,
  )
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await run()
  return performance.now() - start
}

const queries = labelledQueries()
if (queries === undefined) {
  console.log('Retrieval: no labelled queries or no catalogs here (RETRIEVAL_DIR, CORPORA_DIR)')
} else {
  console.log(`Node ${process.version}, ${process.platform} ${process.arch}`)
  const servers = new Set(queries.flatMap((query) => query.servers))
  const missing = [...servers].filter((server) => catalogOf(server).length === 0)
  if (missing.length > 0)
    console.log(`Catalogs that are not here, their tools count as not found: ${missing.join(', ')}`)
  await benchRanked(queries)
  await benchRegex(queries)
  await benchBytes(queries)
  await benchSpeed(queries)
}
