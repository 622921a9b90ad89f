/**
 * How a search is attached.
 * @module
 */

import type { SchemaManifest } from '../../core/index.ts'
import type { ListingLimits } from '../../listing/index.ts'
import type { DiscloseTool } from '../disclose.ts'
import { DisclosureMemo } from '../disclosure-memo.ts'
import { hasOwnManifest } from '../entry.ts'
import { ProviderError, refuseOption } from '../errors.ts'
import type { MetaToolNames } from '../meta-tools.ts'
import type { SearchEngine } from '../search/engine.ts'

/** What became of one search: entries answered with, hits dropped to fit 32 KiB, tools left out because they are broken. */
export interface SearchReport {
  readonly entries: number
  readonly omitted: number
  readonly skipped: number
}

/** How a search is attached; everything has a default. */
export interface AttachOptions {
  /** Tools listed as the server lists them, beside the meta-tools: names, or globs with `*`. Default none. */
  readonly pin?: readonly string[]
  /** Name of the searching tool. Default `search_tools`. */
  readonly searchTool?: string
  /** Name of the calling tool. Default `call_tool`. */
  readonly callTool?: string
  /**
   * The engines for needs in words and for patterns. Default: the attached one for what it is for – `RegexSearch` for patterns,
   * any other for words – and `RankedSearch` or `RegexSearch` for the rest.
   */
  readonly engines?: { readonly query?: SearchEngine; readonly pattern?: SearchEngine }
  /**
   * Bounds of one listing, overrides of `DEFAULT_LISTING_LIMITS`. Bytes count where entries are spelled: all of them for a search, that
   * of its tool for a read or a call.
   */
  readonly limits?: Partial<ListingLimits>
  /** Told after each search. */
  readonly onSearch?: (report: SearchReport) => void
}

/** The options, completed. */
export interface AttachSettings extends MetaToolNames {
  readonly search: SearchEngine
  readonly pin: readonly string[]
  readonly engines: { readonly query?: SearchEngine; readonly pattern?: SearchEngine }
  readonly limits: Partial<ListingLimits>
  readonly disclose: DiscloseTool
  readonly onSearch: ((report: SearchReport) => void) | undefined
}

/** What every server of one search shares: a stateless server is made anew for each request. */
const memos = new WeakMap<SearchEngine, DisclosureMemo>()
const TOOL_NAME = /^[A-Za-z0-9_.-]{1,128}$/

/** @throws {ProviderError} `option-invalid` */
export function completeOptions(
  search: SearchEngine,
  options: AttachOptions,
  registered: () => ReadonlyMap<string, SchemaManifest>,
): AttachSettings {
  check('options', typeof options === 'object' && options !== null)
  const { pin = [], searchTool = 'search_tools', callTool = 'call_tool', engines = {}, limits = {}, onSearch } = options
  check('search', isEngine(search))
  check('pin', Array.isArray(pin) && pin.every((name) => typeof name === 'string'))
  check('searchTool', isToolName(searchTool))
  check('callTool', isToolName(callTool) && callTool !== searchTool)
  check(
    'limits',
    Object.values(limits).every((limit) => limit === undefined || (Number.isSafeInteger(limit) && limit > 0)),
  )
  check('onSearch', onSearch === undefined || typeof onSearch === 'function')
  check('engines', isEngine(engines.query ?? search) && isEngine(engines.pattern ?? search))
  const memo = memos.get(search) ?? new DisclosureMemo()
  memos.set(search, memo)
  return {
    search,
    pin: [...pin],
    searchTool,
    callTool,
    engines: { ...engines },
    limits: { ...limits },
    onSearch,
    disclose: discloseRegistered(memo, registered),
  }
}

/**
 * The one rule of what a tool's manifest is. Registered beforehand: that one, where the tool agrees with it in every field. Carried
 * but not registered: none, for anybody can write into `_meta`. Neither: made from the tool as it is listed now.
 */
export function discloseRegistered(
  memo: DisclosureMemo,
  registered: () => ReadonlyMap<string, SchemaManifest>,
): DiscloseTool {
  return async (tool) => {
    const manifest = registered().get(tool.name)
    if (manifest === undefined && hasOwnManifest(tool)) {
      throw new ProviderError(
        'manifest-mismatch',
        { tool: tool.name, field: 'openapi_schema' },
        `Cannot disclose "${tool.name}": its own manifest is not registered`,
      )
    }
    return memo.disclose(tool, manifest)
  }
}

const isEngine = (value: unknown): value is SearchEngine =>
  typeof value === 'object' && value !== null && typeof (value as SearchEngine).search === 'function'

const isToolName = (value: unknown): boolean => typeof value === 'string' && TOOL_NAME.test(value)

function check(option: string, holds: boolean): void {
  if (!holds) refuseOption('attach search', option)
}
