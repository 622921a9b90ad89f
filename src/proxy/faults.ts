/**
 * What the client is told of a fault. Row 30. Only messages made here are shown: others could hold anything.
 * @module
 */

import { JsonError } from '../json/index.ts'
import { ListingError } from '../listing/index.ts'
import { ProxyError, statusOf } from './errors.ts'
import { errorMessage } from './rpc.ts'
import { UpstreamRefusal } from './upstream-refusal.ts'

const INTERNAL_ERROR = -32603

/** The text of a fault that may be shown, and the HTTP status it is answered with. Undefined for what nobody foresaw. */
export function describeFault(error: unknown): { readonly text: string; readonly status: number } | undefined {
  if (ProxyError.is(error)) return { text: error.message, status: statusOf(error.code) }
  if (ListingError.is(error)) return { text: error.message, status: error.code === 'timeout' ? 504 : 502 }
  // The caller's own bytes are judged where they are read: this is an answer of the upstream.
  if (JsonError.is(error)) return { text: 'Cannot read answer: not what the protocol says', status: 502 }
  return undefined
}

/** The fault as a JSON-RPC answer to `id`; an upstream's own refusal keeps its words. */
export function faultMessage(id: string, error: unknown): Uint8Array {
  if (error instanceof UpstreamRefusal) {
    return error.answer ?? errorMessage(id, INTERNAL_ERROR, `Upstream refused with ${error.response.status}`)
  }
  return errorMessage(id, INTERNAL_ERROR, describeFault(error)?.text ?? 'Internal error')
}
