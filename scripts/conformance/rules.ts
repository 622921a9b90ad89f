/**
 * The rules: how the proxy is set, and what may differ from a run without it.
 * @module
 */

import { type ScenarioSet, SETS } from './sets.ts'

export interface Rule {
  readonly name: string
  readonly about: string
  readonly sets: readonly ScenarioSet[]
  readonly pin: readonly string[]
  /** Calls go through the calling tool. */
  readonly isShimmed: boolean
  /**
   * Scenarios that cannot be the same, by revision, and the first check in each that cannot. Where one is the same all the same,
   * that is a violation, too.
   */
  readonly differing: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** Scenarios that are not compared. */
  readonly excluded: readonly string[]
}

/** The last revision of each era. */
const OF_BOTH_ERAS = SETS.filter(({ revision }) => revision === '2025-11-25' || revision === '2026-07-28')

/** Looks for a tool in the list that wants an argument repeated in a header, and sends it wrong ones. */
const MIRRORED = 'http-custom-header-server-validation'

/** Looks for one tool in the list, by its name. */
const SCHEMA = { 'json-schema-2020-12': 'json-schema-2020-12-tool-found' }

/** Call tools that the fixture does not have, and look only whether the answer is a result: that of `call_tool` is one. */
const WITHOUT_TOOL = {
  'tasks-lifecycle': 'tasks-sync-tool-call',
  'tasks-capability-negotiation': 'sep-2663-server-rejects-undeclared-client',
  'tasks-dispatch-and-envelope': 'sep-2663-legacy-task-param-ignored',
}

export const RULES: readonly Rule[] = [
  {
    name: 'A',
    about: 'every tool pinned: as without the proxy',
    sets: SETS,
    pin: ['*'],
    isShimmed: false,
    differing: {},
    excluded: [],
  },
  {
    name: 'B',
    about: 'no tool listed: as without the proxy, but for what looks for a tool in the list',
    sets: OF_BOTH_ERAS,
    pin: [],
    isShimmed: false,
    differing: { '2025-11-25': SCHEMA, '2026-07-28': { ...SCHEMA, [MIRRORED]: 'sep-2243-server-no-xmcp-tool' } },
    excluded: [],
  },
  {
    name: 'C',
    about: 'every call through call_tool: as without the proxy, but for calls of tools that are not there',
    sets: OF_BOTH_ERAS,
    pin: ['*'],
    isShimmed: true,
    differing: { '2026-07-28': WITHOUT_TOOL },
    // The proxy takes off the wrong headers of a call it rewrites, and sends the right ones: nothing is left to refuse.
    excluded: [MIRRORED],
  },
]
