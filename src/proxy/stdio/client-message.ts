/**
 * What a line of the client says that is not the engine's: which ids it uses, which it cancels.
 * @module
 */

import { JsonError, JsonReader, type Span } from '../../json/index.ts'
import { textOf } from '../bytes.ts'
import { readMembers } from '../members.ts'
import { type RpcMessage, readMessages } from '../rpc.ts'
import { idKey } from './ids.ts'
import { MAX_BATCH } from './noise.ts'

/** Of one message, or of those of a batch. */
export interface ClientMessage {
  /** Ids of its requests: their keys, and as they are spelled. */
  readonly asks: readonly { readonly key: string; readonly id: string }[]
  /** Keys of the ids it cancels. */
  readonly cancels: readonly string[]
}

/** What cannot be read says nothing. */
export function readClientMessage(line: Uint8Array): ClientMessage {
  const messages = readMessages(line, MAX_BATCH)
  return {
    asks: messages.flatMap(({ id, isRequest }) => (isRequest && id !== undefined ? [{ key: idKey(id), id }] : [])),
    cancels: messages.flatMap((message) => cancelledId(message) ?? []),
  }
}

/** The method, however it is spelled: some writers escape slashes. */
export function methodOf({ bytes, root }: RpcMessage): string | undefined {
  const place = root.members.get('method')
  return place === undefined ? undefined : textAt(bytes, place)
}

/** Undefined where it is no text, or none that can be read. */
function textAt(bytes: Uint8Array, { start, end }: Span): string | undefined {
  if (bytes[start] !== 0x22) return undefined
  try {
    return new JsonReader(bytes, start, end).string()
  } catch (error) {
    if (JsonError.is(error)) return undefined
    throw error
  }
}

function cancelledId(message: RpcMessage): string | undefined {
  if (message.id !== undefined || methodOf(message) !== 'notifications/cancelled') return undefined
  const params = member(message.bytes, message.root.members.get('params'), 'requestId')
  return params === undefined ? undefined : idKey(textOf(message.bytes, params))
}

function member(bytes: Uint8Array, object: { start: number; end: number } | undefined, name: string) {
  if (object === undefined || bytes[object.start] !== 0x7b) return undefined
  try {
    return readMembers(bytes, object.start, object.end).members.get(name)
  } catch (error) {
    if (JsonError.is(error)) return undefined
    throw error
  }
}

/** The revision that an answer to `initialize` agrees on. */
export function agreedVersion(answer: RpcMessage): string | undefined {
  const { bytes, result } = answer
  const place = member(bytes, result, 'protocolVersion')
  return place === undefined ? undefined : textAt(bytes, place)
}
