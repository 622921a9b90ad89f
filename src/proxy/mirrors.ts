/**
 * Headers that mirror the body in the modern era, and the encoding of their values. REQ-P-06, REQ-P-07, REQ-P-08.
 * @module
 */

import { decodeUtf8, encodeUtf8 } from './bytes.ts'
import { type RpcRequest, stringParam } from './classify.ts'
import { errorMessage, jsonResponse } from './rpc.ts'

const HEADER_MISMATCH = -32020
const ENCODED = /^=\?base64\?(.*)\?=$/
/** What a field value may hold as it is: visible, and blanks inside. */
const PLAIN = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/

/** Which member of `params` the name header mirrors. */
const NAMED: Readonly<Record<string, string>> = { 'tools/call': 'name', 'resources/read': 'uri' }

/**
 * The refusal of a modern request whose headers do not say what its body says. Whoever answers or rewrites a request has to
 * refuse it: behind a rewrite nobody could see the difference any more. Undefined where all is well, and in the legacy era.
 */
export function refuseMismatch(headers: Headers, request: RpcRequest): Response | undefined {
  const { id, method, envelope } = request
  if (envelope === undefined) return undefined
  const member = NAMED[method]
  const wrong =
    headers.get('mcp-protocol-version') !== envelope.version
      ? 'MCP-Protocol-Version'
      : headers.get('mcp-method') !== method
        ? 'Mcp-Method'
        : member !== undefined && !isName(headers.get('mcp-name'), stringParam(request, member))
          ? 'Mcp-Name'
          : undefined
  if (wrong === undefined) return undefined
  return jsonResponse(
    errorMessage(id, HEADER_MISMATCH, `Bad Request: header ${wrong} does not agree with the body`),
    400,
  )
}

/** The headers that mirror a modern request, as its client would send them over HTTP; none in the legacy era. */
export function mirrorsOf(request: RpcRequest): readonly (readonly [string, string])[] {
  const { method, envelope } = request
  if (envelope === undefined) return []
  const member = NAMED[method]
  const name = member === undefined ? undefined : stringParam(request, member)
  return [
    ['mcp-protocol-version', envelope.version],
    ['mcp-method', method],
    ...(name === undefined ? [] : [['mcp-name', encodeHeaderValue(name)] as const]),
  ]
}

const isName = (value: string | null, name: string | undefined): boolean =>
  value !== null && name !== undefined && decodeHeaderValue(value) === name

/** Whether an upstream refused a request because of its headers. */
export const isMismatch = (code: number | undefined): boolean => code === HEADER_MISMATCH

/** A text as a field value: itself where it can stand there, otherwise its UTF-8 in padded base64 between marks. */
export function encodeHeaderValue(text: string): string {
  if (PLAIN.test(text) && !ENCODED.test(text)) return text
  return `=?base64?${toBase64(encodeUtf8(text))}?=`
}

/** The text of a field value; undefined where its base64 is not the one way to write it, or not UTF-8. */
export function decodeHeaderValue(value: string): string | undefined {
  const encoded = ENCODED.exec(value)?.[1]
  if (encoded === undefined) return value
  try {
    const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0))
    return toBase64(bytes) === encoded ? decodeUtf8(bytes) : undefined
  } catch {
    return undefined
  }
}

function toBase64(bytes: Uint8Array): string {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary)
}
