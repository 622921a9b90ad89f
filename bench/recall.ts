/**
 * What a retrieval benchmark counts: at which place the first acceptable tool stands.
 * @module
 */

/** One need or pattern of a labelled set; a tool is named `server/tool`. */
export interface LabelledQuery {
  readonly id: string
  /** A: inside one server, B: over the union of several, R: a regular expression. */
  readonly track: string
  readonly lang: string
  readonly servers: readonly string[]
  readonly query: string
  readonly pattern?: string
  readonly gold: readonly string[]
}

/** One query and the tools found for it, best first. */
export interface Answered {
  readonly query: LabelledQuery
  readonly found: readonly string[]
}

/** Place of the first acceptable tool, from 1; Infinity where there is none. */
export function placeOfGold({ query, found }: Answered): number {
  const place = found.findIndex((name) => query.gold.includes(name))
  return place === -1 ? Number.POSITIVE_INFINITY : place + 1
}

/** Share of queries with an acceptable tool among the first `k`; NaN for no queries. */
export const recallAt = (answers: readonly Answered[], k: number): number =>
  answers.filter((answer) => placeOfGold(answer) <= k).length / answers.length

/** `38.9/72.2`: recall at each of `ks`, in percent. */
export const recallText = (answers: readonly Answered[], ks: readonly number[]): string =>
  answers.length === 0 ? '–' : ks.map((k) => (recallAt(answers, k) * 100).toFixed(1)).join('/')

/**
 * Splits a set in two by a digest of each id: word tables and weights may be tuned on the first half, the second is for checking.
 * The halves stay the same when queries are added.
 */
export function isHeldBack({ id }: LabelledQuery): boolean {
  let hash = 2_166_136_261
  for (const unit of id) hash = Math.imul(hash ^ (unit.codePointAt(0) as number), 16_777_619) >>> 0
  return ((hash >>> 15) & 1) === 1
}
