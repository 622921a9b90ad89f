/**
 * What a schema is bound to, and who decides: the options of `bindSchema`, checked at run time.
 * @module
 */

import type { SchemaValidator, Sha256Hex } from '../core/index.ts'
import type { Confirm, Generation, IsCurrent } from './binding.ts'
import { ConsumerError } from './errors.ts'

const DEFAULT_CONFIRM_TIMEOUT_MS = 300_000

/** What a schema is bound to, and who decides. */
export interface BindOptions {
  /** Judges arguments and answers. Required: there is no default. */
  readonly validator: SchemaValidator
  /** The real tool name, from the navigation entry. Default the manifest's alias. */
  readonly name?: string
  /**
   * The way of a call: through the front's calling tool (default `{ callTool: 'call_tool' }`), which compares the schema's
   * digest with the tool as it is now, or `'direct'`, by `tools/call` of the tool itself, where nobody compares.
   */
  readonly via?: 'direct' | { readonly callTool?: string }
  /** The caller this binding belongs to. */
  readonly scope: string
  /** The catalog and the child session it was selected in. */
  readonly generation: Generation
  /** Asked before each call, and again after a confirmation; anything but `true` refuses. */
  readonly isCurrent: IsCurrent
  /**
   * `'read-only'` is said by trusted code that knows the tool; otherwise this is asked before each call, and anything but `true`
   * sends nothing. Hints of a server never replace it.
   */
  readonly confirm: 'read-only' | Confirm
  /** Milliseconds until `confirm` or `isCurrent` must have answered. Default 300,000. */
  readonly confirmTimeoutMs?: number
  /** Judges the manifest's `source_sha256`, once, here; anything but `true` refuses. Default: any source. */
  readonly acceptSource?: (sourceSha256: Sha256Hex) => boolean
  /**
   * What happens where the validator cannot judge (a pattern it does not support, a budget that is used up). `'refuse'`
   * (default), or `'allow'`, said by trusted code: such arguments are sent and such answers given as unchecked.
   */
  readonly whenUnjudged?: 'refuse' | 'allow'
}

/** Options read once and checked at run time, whatever their type says. */
export function readOptions(options: BindOptions, alias: string) {
  if (typeof options !== 'object' || options === null) refuseOption('options', 'an object')
  const { validator, name = alias, via = {}, scope, generation, isCurrent, confirm, acceptSource } = options
  const { confirmTimeoutMs = DEFAULT_CONFIRM_TIMEOUT_MS, whenUnjudged = 'refuse' } = options
  if (typeof validator?.compile !== 'function') refuseOption('validator', 'a SchemaValidator')
  if (typeof name !== 'string' || name === '') refuseOption('name', 'a tool name')
  if (typeof scope !== 'string' || scope === '') refuseOption('scope', 'a text that is not empty')
  const { catalog, child } = generation ?? {}
  if (typeof catalog !== 'string' || typeof child !== 'string') refuseOption('generation', 'catalog and child as texts')
  if (typeof isCurrent !== 'function') refuseOption('isCurrent', 'a function')
  if (confirm !== 'read-only' && typeof confirm !== 'function') refuseOption('confirm', 'a function or "read-only"')
  if (acceptSource !== undefined && typeof acceptSource !== 'function') refuseOption('acceptSource', 'a function')
  if (whenUnjudged !== 'refuse' && whenUnjudged !== 'allow') refuseOption('whenUnjudged', '"refuse" or "allow"')
  if (!Number.isSafeInteger(confirmTimeoutMs) || confirmTimeoutMs < 1 || confirmTimeoutMs > 2 ** 31 - 1) {
    refuseOption('confirmTimeoutMs', 'a whole number of milliseconds')
  }
  if (via !== 'direct' && (typeof via !== 'object' || via === null)) refuseOption('via', '"direct" or an object')
  const callTool = via === 'direct' ? undefined : (via.callTool ?? 'call_tool')
  if (via !== 'direct' && (typeof callTool !== 'string' || callTool === '')) refuseOption('via', 'a way to call')
  return {
    validator,
    name,
    via: callTool,
    scope,
    generation: Object.freeze({ catalog, child }),
    isCurrent,
    confirm,
    acceptSource,
    confirmTimeoutMs,
    whenUnjudged,
  }
}

function refuseOption(argument: string, expected: string): never {
  throw new ConsumerError(
    'argument-invalid',
    { argument, expected },
    `Cannot bind schema: ${argument} is not ${expected}`,
  )
}
