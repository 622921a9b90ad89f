/**
 * What can still be told of a line that cannot be read, so that nobody waits for its answer in vain.
 * @module
 */

import { JsonReader } from '../../json/index.ts'
import { errorMessage } from '../rpc.ts'

/** Whether it asks or answers, as far as its beginning says; `id` is JSON text. */
export interface Remains {
  readonly kind: 'request' | 'response' | 'unknown'
  /** It says that it is of the protocol: a log may have an id and an error, too. */
  readonly isOfProtocol: boolean
  readonly id: string | undefined
}

/** In an object that ends here, behind a comma, this is a member of the object itself: no string and no inner object can end so. */
const LAST_ID = /[{,]\s*"id"\s*:\s*("(?:[^"\\]|\\.){0,256}"|-?[0-9][0-9.eE+-]{0,64})\s*\}\s*$/

/** @param head where the line begins @param tail where it ends */
export function remainsOf(head: Uint8Array, tail: Uint8Array): Remains {
  const lenient = new TextDecoder()
  const names = new Set<string>()
  let id: string | undefined
  try {
    const reader = new JsonReader(head)
    reader.object((name) => {
      names.add(name)
      const kind = reader.kind()
      const { start, end } = reader.span()
      if (name === 'id' && (kind === 'string' || kind === 'number')) id = lenient.decode(head.subarray(start, end))
    })
  } catch {
    // It ends in the middle: what came before counts.
  }
  const isOfProtocol = names.has('jsonrpc')
  if (names.size === 0) return { kind: 'unknown', isOfProtocol, id: undefined }
  const kind = names.has('method') ? 'request' : names.has('result') || names.has('error') ? 'response' : 'unknown'
  return { kind, isOfProtocol, id: id ?? LAST_ID.exec(lenient.decode(tail))?.[1] }
}

/** What takes its place: for a request an answer to its sender, for an answer an error in its stead. Undefined where neither can be told. */
export function standIn(
  { kind, id }: Remains,
  problem: string,
): { readonly to: 'sender' | 'receiver'; readonly message: Uint8Array } | undefined {
  if (id === undefined || kind === 'unknown') return undefined
  return kind === 'request'
    ? { to: 'sender', message: errorMessage(id, -32600, `Cannot read request: ${problem}`) }
    : { to: 'receiver', message: errorMessage(id, -32603, `Cannot read answer: ${problem}`) }
}
