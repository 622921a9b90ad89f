/**
 * The dialects of JSON Schema that are read here.
 * @module
 */

/** A dialect. Draft 06 is read as draft 07, which only adds to it. */
export type Dialect = 'draft-04' | 'draft-06' | 'draft-07' | '2019-09' | '2020-12'

/** All of them, oldest first. */
export const DIALECTS: readonly Dialect[] = ['draft-04', 'draft-06', 'draft-07', '2019-09', '2020-12']

const URIS: ReadonlyMap<string, Dialect> = new Map([
  ['json-schema.org/draft-04/schema', 'draft-04'],
  ['json-schema.org/draft-06/schema', 'draft-06'],
  ['json-schema.org/draft-07/schema', 'draft-07'],
  ['json-schema.org/draft/2019-09/schema', '2019-09'],
  ['json-schema.org/draft/2020-12/schema', '2020-12'],
])

/** The dialect a `$schema` names: `http` or `https`, with or without the empty fragment. */
export const dialectOf = (uri: string): Dialect | undefined =>
  URIS.get(uri.replace(/^https?:\/\//, '').replace(/#$/, ''))

/** The year a dialect's rules are from, to compare with. */
export const edition = (dialect: Dialect): Edition =>
  dialect === 'draft-04' ? 4 : dialect === '2019-09' ? 2019 : dialect === '2020-12' ? 2020 : 7

/** A dialect as a number that grows: draft 04, drafts 06 and 07, 2019-09, 2020-12. */
export type Edition = 4 | 7 | 2019 | 2020

/** Keywords that say something about a schema and judge nothing. `format` is one of them, in every dialect. */
export const ANNOTATIONS: ReadonlySet<string> = new Set(
  (
    '$schema $id id $anchor $dynamicAnchor $recursiveAnchor $vocabulary $comment title description default examples format ' +
    'readOnly writeOnly deprecated contentEncoding contentMediaType contentSchema'
  ).split(' '),
)
