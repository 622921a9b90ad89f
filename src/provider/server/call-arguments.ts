/**
 * What the calling tool was asked.
 * @module
 */

import { isSchemaDigest } from '../call-guard.ts'
import { isMembers, type Members } from './messages.ts'

/** A call, or what is wrong with its arguments. */
export type CallArguments =
  | {
      readonly name: string
      /** Undefined where none were given. */
      readonly arguments: Members | undefined
      readonly schemaSha256: string | undefined
    }
  | { readonly problem: string }

/** Arguments as the listed schema says, nothing coerced; but null stands for no arguments. */
export function readCallArguments(value: unknown): CallArguments {
  if (!isMembers(value)) return { problem: 'arguments is not an object' }
  const { name, arguments: args, schema_sha256: schemaSha256, ...others } = value
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) return { problem: `"${unknown.slice(0, 100)}" is not an argument` }
  if (typeof name !== 'string') return { problem: 'name is not a string' }
  if (schemaSha256 !== undefined && !isSchemaDigest(schemaSha256)) {
    return { problem: 'schema_sha256 is not 64 lower-case hex digits' }
  }
  if (args !== undefined && args !== null && !isMembers(args)) {
    return { problem: 'arguments.arguments is not an object' }
  }
  return { name, arguments: args === null ? {} : args, schemaSha256 }
}
