/**
 * JSON-RPC answers: read as byte ranges, written as text.
 * @module
 */

import { JsonError, JsonReader, type Span } from '../json/index.ts'
import { asBody, concat, encodeUtf8, splice, textOf } from './bytes.ts'
import { innerText, type ObjectMembers, readMembers } from './members.ts'

/** A message read from the upstream, as ranges of its bytes. */
export interface RpcMessage {
  readonly bytes: Uint8Array
  readonly root: ObjectMembers
  /** Text of the id; undefined for notifications. */
  readonly id: string | undefined
  readonly isResponse: boolean
  /** Asks the client something. */
  readonly isRequest: boolean
  readonly result: Span | undefined
  readonly error: Span | undefined
  /** JSON text of the method; undefined for answers. */
  readonly method: string | undefined
}

/** Undefined where the bytes are no JSON object. */
export function readMessage(bytes: Uint8Array): RpcMessage | undefined {
  try {
    const root = readMembers(bytes)
    const { members } = root
    const id = members.get('id')
    const result = members.get('result')
    const error = members.get('error')
    const method = members.get('method')
    const hasMethod = method !== undefined
    return {
      bytes,
      root,
      id: id === undefined ? undefined : textOf(bytes, id),
      isResponse: !hasMethod && id !== undefined && (result !== undefined || error !== undefined),
      isRequest: hasMethod && id !== undefined,
      result,
      error,
      method: method === undefined ? undefined : textOf(bytes, method),
    }
  } catch (error) {
    if (JsonError.is(error) || error instanceof TypeError) return undefined
    throw error
  }
}

/**
 * Every message of an event's data: one, or the elements of a batch, each passed through `each`. Undefined where nothing changed.
 * Servers of revision 2025-03-26 may batch their answers. `unreadable` makes what stands for anything that is no message.
 */
export async function changeMessages(
  data: Uint8Array,
  each: (message: RpcMessage) => Promise<Uint8Array | undefined> | Uint8Array | undefined,
  unreadable: () => Uint8Array,
): Promise<Uint8Array | undefined> {
  const elements = batchElements(data)
  if (elements === undefined) {
    const message = readMessage(data)
    return message === undefined ? unreadable() : each(message)
  }
  let isChanged = false
  const parts: Uint8Array[] = []
  for (const element of elements) {
    const message = readMessage(element)
    const changed = message === undefined ? unreadable() : await each(message)
    isChanged ||= changed !== undefined
    parts.push(encodeUtf8(parts.length === 0 ? '[' : ','), changed ?? element)
  }
  return isChanged ? concat([...parts, encodeUtf8(']')]) : undefined
}

/** The messages of an event's data, or of a line: one, or those of a batch. What is no message is left out. */
export const readMessages = (data: Uint8Array, maxBatch = MAX_BATCH): readonly RpcMessage[] =>
  (batchElements(data, maxBatch) ?? [data]).flatMap((element) => readMessage(element) ?? [])

/** Most elements of one batch: more than any client asks for, few enough to take apart. */
const MAX_BATCH = 64

function batchElements(data: Uint8Array, maxBatch = MAX_BATCH): readonly Uint8Array[] | undefined {
  const elements = elementsOf(data, maxBatch)
  return elements !== undefined && elements.length > maxBatch ? undefined : elements
}

/** Ends the reading of an array. */
class TooMany extends Error {}

/** The elements of an array; of more than `most`, the first and no more than one beyond. Undefined for what is no array that can be read. */
export function elementsOf(bytes: Uint8Array, most: number): readonly Uint8Array[] | undefined {
  const elements: Uint8Array[] = []
  try {
    const reader = new JsonReader(bytes)
    if (reader.kind() !== 'array') return undefined
    reader.array(() => {
      if (elements.length > most) throw new TooMany()
      reader.kind()
      const { start, end } = reader.span()
      elements.push(bytes.subarray(start, end))
    })
    reader.end()
    return elements
  } catch (error) {
    if (error instanceof TooMany) return elements
    if (JsonError.is(error)) return undefined
    throw error
  }
}

/** The number in an error's `code`. */
export function errorCode({ bytes, error }: RpcMessage): number | undefined {
  const code = innerText(bytes, error, 'code')
  return code === undefined ? undefined : Number(code)
}

/**
 * True where two id texts mean one id: the same text, or one value spelled twice. A server that reads numbers as doubles gives
 * 9007199254740993 back as …992, and no other request of this exchange could be meant. REQ-P-14.
 */
export function isSameId(left: string, right: string): boolean {
  if (left === right) return true
  const isText = left.startsWith('"')
  if (isText !== right.startsWith('"')) return false
  try {
    return isText ? stringOf(left) === stringOf(right) : Number(left) === Number(right)
  } catch (error) {
    if (JsonError.is(error)) return false
    throw error
  }
}

const stringOf = (text: string): string => new JsonReader(encodeUtf8(text)).string()

/** The message under another id, which is JSON text; its other bytes stay. */
export function withId({ bytes, root }: RpcMessage, id: string): Uint8Array {
  const place = root.members.get('id')
  return place === undefined ? bytes : splice(bytes, [{ start: place.start, end: place.end, by: id }])
}

/** The response with another result and with `answer.id` as its id; its other members stay byte for byte. */
export function withResult({ bytes, id, result, root }: RpcMessage, by: Uint8Array): Uint8Array {
  const place = root.members.get('id')
  if (place === undefined || id === undefined || result === undefined) return bytes
  const edits = [
    { start: place.start, end: place.end, by: id as string | Uint8Array },
    { start: result.start, end: result.end, by },
  ]
  return splice(
    bytes,
    edits.sort((left, right) => left.start - right.start),
  )
}

/**
 * The answer to arguments that cannot be read. REQ-P-40: a name that occurs twice could mean one thing here and another
 * upstream; everything else is a parameter that is wrong. Rethrows other errors.
 */
export function unreadableArguments(id: string, error: unknown): Response {
  if (!JsonError.is(error)) throw error
  return error.code === 'duplicate-name'
    ? jsonResponse(errorMessage(id, -32600, error.message), 400)
    : jsonResponse(errorMessage(id, -32602, error.message))
}

/** A response message around a result's bytes. `id` is JSON text. */
export function resultMessage(id: string, result: string | Uint8Array): Uint8Array {
  const body = typeof result === 'string' ? encodeUtf8(result) : result
  return concat([encodeUtf8(`{"jsonrpc":"2.0","id":${id},"result":`), body, encodeUtf8('}')])
}

/** An error message. `id` and `data` are JSON text. */
export function errorMessage(id: string, code: number, message: string, data?: string): Uint8Array {
  const more = data === undefined ? '' : `,"data":${data}`
  return encodeUtf8(`{"jsonrpc":"2.0","id":${id},"error":{"code":${code},"message":${JSON.stringify(message)}${more}}}`)
}

/** One message as an HTTP answer. */
export function jsonResponse(message: Uint8Array, status = 200, headers: Headers = new Headers()): Response {
  headers.set('content-type', 'application/json')
  return new Response(asBody(message), { status, headers })
}
