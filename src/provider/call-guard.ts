/**
 * Whether a call or a read by name may go on to its target.
 * @module
 */

import type { ListedTool } from '../listing/index.ts'
import type { DiscloseTool } from './disclose.ts'
import { isToolFault } from './errors.ts'

const SHA256 = /^[0-9a-f]{64}$/

/** True for what may stand in `schema_sha256`. */
export const isSchemaDigest = (value: unknown): value is string => typeof value === 'string' && SHA256.test(value)

/**
 * Why a call or a read is refused, in words a model can act on; undefined where it may go on.
 *
 * @param tool the target as this caller may see it now; undefined where there is none, for whatever reason
 * @param schemaSha256 the digest its caller read; undefined where none was given
 */
export async function refusalOfCall(
  name: string,
  tool: ListedTool | undefined,
  schemaSha256: string | undefined,
  disclose: DiscloseTool,
): Promise<string | undefined> {
  const shown = name.slice(0, 200).toWellFormed()
  if (tool === undefined) return `Unknown tool: "${shown}"`
  if (schemaSha256 === undefined) return undefined
  const current = await digestOf(tool, disclose)
  if (current === undefined) return `Cannot use "${shown}": its schema cannot be disclosed`
  if (current === schemaSha256) return undefined
  return `Cannot use "${shown}": its schema is ${current} now, not ${schemaSha256}. Read it again`
}

/** Undefined where the tool's schemas have no digest: they are broken, or its own manifest contradicts them. */
async function digestOf(tool: ListedTool, disclose: DiscloseTool): Promise<string | undefined> {
  try {
    return (await disclose(tool)).manifest.schema_sha256
  } catch (error) {
    if (isToolFault(error)) return undefined
    throw error
  }
}
