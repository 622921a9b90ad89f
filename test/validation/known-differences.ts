/**
 * Where the verdict differs from the JSON Schema Test Suite's, and why. A group that starts to agree fails the run.
 * @module
 */

import type { SchemaValidationErrorCode } from '../../src/validation/index.ts'

export interface KnownDifference {
  /** `folder/file`; the folder is a draft's, or `*` for all. */
  readonly file: string
  /** The group's description; `*` for all of the file. */
  readonly group: string
  /** What `compile` refuses the schema with, or the verdict that differs. */
  readonly instead: SchemaValidationErrorCode | 'valid'
  readonly reason: string
}

const NOTHING_FETCHED = 'the schema refers to another document, and nothing is ever fetched'
const OWN_METASCHEMA = 'a dialect is known by name; a metaschema of the author’s own is not read'
const ANNOTATION = 'content keywords are annotations, as the later drafts say'
const ONE_DIALECT = 'one document, one dialect'

/** Differences from the required tests. */
export const REQUIRED: readonly KnownDifference[] = [
  { file: '*/refRemote.json', group: '*', instead: 'reference-remote', reason: NOTHING_FETCHED },
  {
    file: '*/ref.json',
    group: 'remote ref, containing refs itself',
    instead: 'reference-remote',
    reason: NOTHING_FETCHED,
  },
  {
    file: '*/definitions.json',
    group: 'validate definition against metaschema',
    instead: 'reference-remote',
    reason: NOTHING_FETCHED,
  },
  {
    file: '*/defs.json',
    group: 'validate definition against metaschema',
    instead: 'reference-remote',
    reason: NOTHING_FETCHED,
  },
  ...[
    'strict-tree schema, guards against misspelled properties',
    'tests for implementation dynamic anchor and reference link',
    '$ref and $dynamicAnchor are independent of order - $defs first',
    '$ref and $dynamicAnchor are independent of order - $ref first',
    '$ref to $dynamicRef finds detached $dynamicAnchor',
  ].map((group) => ({
    file: 'draft2020-12/dynamicRef.json',
    group,
    instead: 'reference-remote' as const,
    reason: NOTHING_FETCHED,
  })),
  { file: '*/vocabulary.json', group: '*', instead: 'dialect-unknown', reason: OWN_METASCHEMA },
]

/** Differences from the optional tests. */
export const OPTIONAL: readonly KnownDifference[] = [
  {
    file: 'draft4/zeroTerminatedFloats.json',
    group: '*',
    instead: 'valid',
    reason: 'a whole number is an integer however it is written, as every later draft says',
  },
  { file: 'draft7/content.json', group: '*', instead: 'valid', reason: ANNOTATION },
  { file: '*/cross-draft.json', group: '*', instead: 'reference-remote', reason: ONE_DIALECT },
  { file: 'draft2020-12/format-assertion.json', group: '*', instead: 'dialect-unknown', reason: OWN_METASCHEMA },
]

/** Differences that stay when every document referred to is put into the schema. */
export const BUNDLED: readonly KnownDifference[] = [
  ...REQUIRED.filter(({ instead }) => instead === 'dialect-unknown'),
  {
    file: 'draft4/definitions.json',
    group: '*',
    instead: 'reference-remote',
    reason: 'no metaschema of draft 04 is at hand to put in',
  },
  {
    file: 'draft4/ref.json',
    group: 'remote ref, containing refs itself',
    instead: 'reference-remote',
    reason: 'no metaschema of draft 04 is at hand to put in',
  },
]
