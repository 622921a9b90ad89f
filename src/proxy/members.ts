/**
 * Members of JSON objects as byte ranges, and edits on them: nothing is ever re-encoded.
 * @module
 */

import { JsonError, JsonReader, type Span } from '../json/index.ts'
import { type Edit, textOf } from './bytes.ts'
import type { Member } from './classify.ts'

/** An object's members by name, in source order, and where the object itself stands. */
export interface ObjectMembers {
  readonly span: Span
  readonly members: ReadonlyMap<string, Member>
}

/** @throws {JsonError} where `start … end` is not one object, or a name occurs twice in it */
export function readMembers(bytes: Uint8Array, start = 0, end: number = bytes.length): ObjectMembers {
  const reader = new JsonReader(bytes, start, end)
  const members = new Map<string, Member>()
  reader.kind()
  const open = reader.position
  let after = open + 1
  reader.object((name) => {
    members.set(name, { ...reader.span(), after })
    after = reader.position
  })
  const close = reader.position
  reader.end()
  return { span: { start: open, end: close }, members }
}

/** JSON text of a member of an object inside; undefined where there is none, or it cannot be told. */
export function innerText(bytes: Uint8Array, object: Span | undefined, name: string): string | undefined {
  if (object === undefined) return undefined
  try {
    const place = readMembers(bytes, object.start, object.end).members.get(name)
    return place === undefined ? undefined : textOf(bytes, place)
  } catch (error) {
    if (JsonError.is(error) || error instanceof TypeError) return undefined
    throw error
  }
}

/** The edit that adds members (JSON text, without braces) at the end of an object. */
export function addMembers({ span, members }: ObjectMembers, text: string): Edit {
  const at = span.end - 1
  return { start: at, end: at, by: members.size > 0 ? `,${text}` : text }
}

/** The edit that removes a member with the comma that goes with it. */
export function removeMember(bytes: Uint8Array, { span, members }: ObjectMembers, name: string): Edit | undefined {
  const member = members.get(name)
  if (member === undefined) return undefined
  let { after: start, end } = member
  // The first of several takes the comma behind it along, every other one the comma before it.
  if (start === span.start + 1 && members.size > 1) {
    while (bytes[end] !== 0x2c) end++
    end++
  }
  return { start, end, by: '' }
}
