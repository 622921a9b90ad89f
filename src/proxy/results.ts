/**
 * Results of our own, as the era of the request wants them. REQ-P-20, REQ-P-21.
 * @module
 */

import { textOf } from './bytes.ts'
import type { RpcRequest } from './classify.ts'
import { innerText, type ObjectMembers } from './members.ts'
import { jsonResponse, resultMessage } from './rpc.ts'

/** For how long a result of the modern era may be kept, and by whom. */
export interface Freshness {
  readonly ttlMs: number
  readonly cacheScope: 'public' | 'private'
}

/** What says nothing about it must not be kept. */
export const NOT_KEPT: Freshness = { ttlMs: 0, cacheScope: 'private' }

/** What a page of a list says of itself. */
export function freshnessOf(bytes: Uint8Array, { members }: ObjectMembers): Freshness {
  const [ttl, scope] = [members.get('ttlMs'), members.get('cacheScope')]
  const ttlMs = ttl === undefined ? 0 : Number(textOf(bytes, ttl))
  const isPublic = scope !== undefined && textOf(bytes, scope) === '"public"'
  return { ttlMs: ttlMs >= 0 && Number.isFinite(ttlMs) ? ttlMs : 0, cacheScope: isPublic ? 'public' : 'private' }
}

/** Of two parts of one result: as long as both hold, and public only where both are. */
export const leastFresh = (left: Freshness, right: Freshness): Freshness => ({
  ttlMs: Math.min(left.ttlMs, right.ttlMs),
  cacheScope: left.cacheScope === right.cacheScope ? left.cacheScope : 'private',
})

/** Where a result comes from: what is copied from there into ours. */
export interface Source {
  readonly headers: Headers
  /** Undefined where nothing was listed. */
  readonly freshness: Freshness | undefined
  /** JSON text of the member of `_meta` in which the upstream names itself, where it does. */
  readonly serverInfo: string | undefined
}

/** @param members JSON text without braces @param options `isKept`: a list or a read, which says for how long it holds */
export function ownMessage(
  { id, envelope }: RpcRequest,
  members: string,
  { source, isKept = false }: { readonly source?: Source; readonly isKept?: boolean } = {},
): Uint8Array {
  if (envelope === undefined) return resultMessage(id, `{${members}}`)
  const { ttlMs, cacheScope } = source?.freshness ?? NOT_KEPT
  const kept = isKept ? `,"ttlMs":${ttlMs},"cacheScope":"${cacheScope}"` : ''
  const meta = source?.serverInfo === undefined ? '' : `,"_meta":{${source.serverInfo}}`
  return resultMessage(id, `{"resultType":"complete",${members}${kept}${meta}}`)
}

export const ownResult = (
  request: RpcRequest,
  members: string,
  options: { readonly source?: Source; readonly isKept?: boolean } = {},
): Response => jsonResponse(ownMessage(request, members, options), 200, options.source?.headers)

/** A tool's own error as the model reads it: HTTP 200, `isError`. REQ-P-28. */
export const toolError = (request: RpcRequest, text: string, source?: Source): Response =>
  ownResult(
    request,
    `"content":[{"type":"text","text":${JSON.stringify(text)}}],"isError":true`,
    source === undefined ? {} : { source },
  )

const SERVER_INFO = 'io.modelcontextprotocol/serverInfo'

/** In which words the upstream names itself in a result. */
export function serverInfoOf(bytes: Uint8Array, { members }: ObjectMembers): string | undefined {
  const info = innerText(bytes, members.get('_meta'), SERVER_INFO)
  return info === undefined ? undefined : `"${SERVER_INFO}":${info}`
}
