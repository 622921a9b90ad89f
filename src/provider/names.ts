/**
 * Names of the wire contract made from real tool names. Functions of the name alone.
 * @module
 */

import { type Operation, sha256Hex, type ToolAlias, WIRE_LIMITS } from '../core/index.ts'
import { ALIAS } from '../core/uri.ts'

const MADE_ALIAS = /-[0-9a-f]{8}$/
const DIGITS = 8
const MADE_LENGTH = WIRE_LIMITS.aliasLength - DIGITS - 1

const isLegalAlias = (name: string): boolean => name.length <= WIRE_LIMITS.aliasLength && ALIAS.test(name)

/** Starts with a letter, as both wire names must. */
const startLegal = (text: string): string => (/^[A-Za-z]/.test(text) ? text : `t_${text}`)

/**
 * The operation id of a tool name: every character but letters, digits and `_` becomes `_`, `t_` goes before a non-letter, cut at
 * 512 characters.
 *
 * @example
 * ```ts
 * toolOperation('files/read') // 'files_read'
 * ```
 */
export function toolOperation(name: string): Operation {
  return startLegal(name.replace(/[^A-Za-z0-9_]/gu, '_')).slice(0, WIRE_LIMITS.operationLength) as Operation
}

/**
 * The alias of a tool name: the name where it is legal, else the name made legal, cut at 119 characters, `-` and eight hex digits
 * of the name's SHA-256.
 *
 * @throws {SchemaDisclosureError} `lone-surrogate`
 *
 * @example
 * ```ts
 * await toolAlias('get_user') // 'get_user'
 * await toolAlias('files/read') // 'files_read-' and eight hex digits
 * ```
 */
export async function toolAlias(name: string): Promise<ToolAlias> {
  if (isLegalAlias(name)) return name as ToolAlias
  const made = startLegal(name.replace(/[^A-Za-z0-9_-]/gu, '_')).slice(0, MADE_LENGTH)
  return `${made}-${(await sha256Hex(name)).slice(0, DIGITS)}` as ToolAlias
}

/** True where `alias` is the alias of `name`; without hashing wherever the name alone decides. */
export function hasAlias(name: string, alias: string): boolean | Promise<boolean> {
  if (isLegalAlias(name)) return name === alias
  return MADE_ALIAS.test(alias) ? toolAlias(name).then((made) => made === alias) : false
}
