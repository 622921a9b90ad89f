/**
 * Row 1: the result of `initialize` gains the resources capability, the extension and instructions; nothing else changes.
 * REQ-P-02.
 * @module
 */

import { type Edit, splice } from './bytes.ts'
import { addMembers, readMembers } from './members.ts'
import { type RpcMessage, withResult } from './rpc.ts'
import type { CommonSettings } from './settings.ts'

/** The changed answer; undefined where the server has no tools, and so nothing to disclose. */
export function announced(answer: RpcMessage, settings: CommonSettings): Uint8Array | undefined {
  const { bytes, result: span } = answer
  if (span === undefined) return undefined
  const changed = withAnnouncement(bytes.subarray(span.start, span.end), settings)
  return changed === undefined ? undefined : withResult(answer, changed)
}

/** An initialize result with the announcement. */
export function withAnnouncement(result: Uint8Array, settings: CommonSettings): Uint8Array | undefined {
  const object = readMembers(result)
  const place = object.members.get('capabilities')
  if (place === undefined || result[place.start] !== 0x7b) return undefined
  const capabilities = readMembers(result, place.start, place.end)
  if (!capabilities.members.has('tools')) return undefined
  const added: string[] = []
  const edits: Edit[] = []
  if (!capabilities.members.has('resources')) added.push('"resources":{}')
  const entry = `${JSON.stringify(settings.extensionId)}:{}`
  const extensions = capabilities.members.get('extensions')
  if (extensions === undefined) added.push(`"extensions":{${entry}}`)
  else if (result[extensions.start] === 0x7b) {
    const known = readMembers(result, extensions.start, extensions.end)
    if (!known.members.has(settings.extensionId)) edits.push(addMembers(known, entry))
  }
  if (added.length > 0) edits.push(addMembers(capabilities, added.join(',')))
  const more = settings.instructions
  const instructions = object.members.get('instructions')
  if (more !== '' && instructions === undefined)
    edits.push(addMembers(object, `"instructions":${JSON.stringify(more)}`))
  else if (more !== '' && instructions !== undefined && result[instructions.start] === 0x22) {
    // Before the closing quote of the server's own text.
    const at = instructions.end - 1
    edits.push({ start: at, end: at, by: JSON.stringify(`\n\n${more}`).slice(1, -1) })
  }
  return splice(
    result,
    edits.sort((left, right) => left.start - right.start),
  )
}
