/**
 * The rules: how the proxy is set, and what may differ from a run without it.
 * @module
 */

export interface Rule {
  readonly name: string
  readonly about: string
  readonly pin: readonly string[]
  /** Calls go through the calling tool. */
  readonly isShimmed: boolean
  /** Scenarios that cannot be the same, by revision. One of them that is the same all the same is a violation, too. */
  readonly differing: Readonly<Record<string, readonly string[]>>
  /** Scenarios that are not compared. */
  readonly excluded: readonly string[]
}

/** Looks for one tool in the list, by its name. */
const LISTED_SCHEMA = 'json-schema-2020-12'
/** Looks for a tool in the list that wants an argument repeated in a header, and sends it wrong ones. */
const LISTED_HEADER = 'http-custom-header-server-validation'

export const RULES: readonly Rule[] = [
  {
    name: 'A',
    about: 'every tool pinned: as without the proxy',
    pin: ['*'],
    isShimmed: false,
    differing: {},
    excluded: [],
  },
  {
    name: 'B',
    about: 'no tool listed: as without the proxy, but for what looks for a tool in the list',
    pin: [],
    isShimmed: false,
    differing: { '2025-11-25': [LISTED_SCHEMA], '2026-07-28': [LISTED_SCHEMA, LISTED_HEADER] },
    excluded: [],
  },
  {
    name: 'C',
    about: 'every call through call_tool: as without the proxy',
    pin: ['*'],
    isShimmed: true,
    differing: {},
    // The proxy takes off the wrong headers of a call it rewrites, and sends the right ones: nothing is left to refuse.
    excluded: [LISTED_HEADER],
  },
]
