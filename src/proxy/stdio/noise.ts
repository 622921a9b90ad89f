/**
 * Lines of a server that are no messages: banners, logs. They never pass, and somebody may be told, within bounds.
 * @module
 */

import { ProxyError } from '../errors.ts'
import { type RpcMessage, readMessages } from '../rpc.ts'

/** Most messages of one batch that are told apart. */
export const MAX_BATCH = 1024
/** So many lines in a row without one message: this is no server. */
const MAX_IN_A_ROW = 1000
/** Most characters of a line that are told. */
const SHOWN = 200

/** The messages of a line: one, or a batch. Undefined where it holds none, such as JSON that a logger wrote. */
export function messagesOf(line: Uint8Array): readonly RpcMessage[] | undefined {
  const messages = readMessages(line, MAX_BATCH)
  return messages.some(isMessage) ? messages : undefined
}

const isMessage = ({ root, isRequest, isResponse, method }: RpcMessage): boolean =>
  root.members.has('jsonrpc') && (isRequest || isResponse || method !== undefined)

/** What a person may be shown of a line: short, and without what a terminal would act on. */
export function shownLine(line: Uint8Array): string {
  const text = new TextDecoder().decode(line.subarray(0, SHOWN * 4)).trim()
  const short = text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text
  return short.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd')
}

/** Counts lines that are no messages, and tells of them. */
export class Noise {
  readonly #report: (fault: ProxyError) => void
  #inARow = 0

  constructor(report: (fault: ProxyError) => void) {
    this.#report = report
  }

  /** A message came: this is a server. */
  reset(): void {
    this.#inARow = 0
  }

  /** @throws {ProxyError} `malformed` where nothing else comes */
  take(line: Uint8Array): void {
    this.#report(
      new ProxyError('malformed', 'Cannot read line of the server: not a message', { line: shownLine(line) }),
    )
    if (++this.#inARow < MAX_IN_A_ROW) return
    throw new ProxyError('malformed', `Cannot read server: ${MAX_IN_A_ROW} lines in a row are no messages`)
  }
}
