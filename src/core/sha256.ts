/**
 * SHA-256 over WebCrypto.
 * @module
 */

import { encodeUtf8 } from '../json/bytes.ts'
import { refuse, refuseArgument } from './errors.ts'
import type { Sha256Hex } from './types.ts'

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/**
 * SHA-256 as 64 lower-case hex digits.
 *
 * @param data a string, hashed as its UTF-8, or bytes; the bytes are read before the first `await`
 * @throws {SchemaDisclosureError} `lone-surrogate`: an encoder would silently hash U+FFFD instead; `argument-invalid`;
 * `digest-unavailable`
 *
 * @example
 * ```ts
 * await sha256Hex('{}') // '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a'
 * ```
 */
export async function sha256Hex(data: string | Uint8Array): Promise<Sha256Hex> {
  return digestHex(typeof data === 'string' ? utf8(data, 'data') : bytes(data))
}

/** The UTF-8 of a string. @throws {SchemaDisclosureError} `lone-surrogate`; `what` names the string */
export function utf8(text: string, what: string): Uint8Array {
  if (!text.isWellFormed()) {
    refuse('lone-surrogate', { what }, `Cannot encode ${what}: half of a surrogate pair has no UTF-8`)
  }
  return encodeUtf8(text)
}

/** SHA-256 of bytes. WebCrypto copies them before it returns, so they may change afterwards. */
export async function digestHex(data: Uint8Array): Promise<Sha256Hex> {
  const subtle = globalThis.crypto?.subtle
  if (subtle === undefined) refuseBackend('a secure context (https or localhost) with crypto.subtle')
  const result: ArrayBuffer = await subtle.digest('SHA-256', data as Uint8Array<ArrayBuffer>)
  // A number would be taken for that many zeros.
  const digest = new Uint8Array(result?.byteLength === 32 ? result : [])
  if (digest.length !== 32) refuseBackend('32 bytes')
  let hex = ''
  for (let index = 0; index < 32; index++) hex += HEX[digest[index] as number]
  return hex as Sha256Hex
}

function refuseBackend(expected: string): never {
  return refuse('digest-unavailable', { expected }, `Cannot hash: WebCrypto gave no SHA-256, expected ${expected}`)
}

function bytes(data: unknown): Uint8Array {
  if (data instanceof Uint8Array) return data
  return refuseArgument('hash', 'data', 'a string or a Uint8Array')
}
