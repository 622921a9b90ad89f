/**
 * Row 26: several messages in one body, as revision 2025-03-26 has them. REQ-P-40.
 * @module
 */

import { isSchemaUri } from '../core/index.ts'
import { concat, encodeUtf8 } from './bytes.ts'
import { type Classified, classify, type RpcRequest, stringParam } from './classify.ts'
import { completesTemplate } from './resources.ts'
import { elementsOf } from './rpc.ts'
import type { CommonSettings } from './settings.ts'

/** Most messages of one batch. What is in a longer one nobody looks at. */
const MAX_ELEMENTS = 64
/** The one revision that has batches. Without a header it is the one that is meant. */
const REVISION = '2025-03-26'

/** A batch that is taken apart: what is answered here, one by one, and what goes on together. */
export interface Batch {
  readonly own: readonly RpcRequest[]
  readonly rest: readonly Uint8Array[]
  /** Ids of the requests in `rest`, as JSON text. */
  readonly restIds: readonly string[]
}

/** What becomes of an array: a refusal of ours, a batch to take apart, or undefined where its bytes go on as they are. */
export function readBatch(
  bytes: Uint8Array,
  version: string | null,
  settings: CommonSettings,
): Batch | { readonly problem: string } | undefined {
  const elements = elementsOf(bytes, MAX_ELEMENTS)
  if (elements === undefined) return undefined
  if (elements.length > MAX_ELEMENTS) return { problem: `A batch has more than ${MAX_ELEMENTS} messages` }
  const classified = elements.map((element) => classify(element, version))
  if (classified.some(({ kind }) => kind === 'ambiguous')) return { problem: 'A name occurs twice in the request' }
  // The upstream refuses both: batches of the modern era, and a session that begins inside one.
  if (classified.some(isRefusedAnyway)) return undefined
  const isOwn = (one: Classified): boolean => one.kind === 'request' && isIntercepted(one.request, settings)
  if (!classified.some(isOwn)) return undefined
  if (version !== null && version !== REVISION) return { problem: `Revision ${version.slice(0, 32)} has no batches` }
  const rest = classified.flatMap((one, index) => (isOwn(one) ? [] : [{ one, element: elements[index] as Uint8Array }]))
  return {
    own: classified.flatMap((one) => (one.kind === 'request' && isOwn(one) ? [one.request] : [])),
    rest: rest.map(({ element }) => element),
    restIds: rest.flatMap(({ one }) => (one.kind === 'request' ? one.request.id : (one.id ?? []))),
  }
}

const isRefusedAnyway = (one: Classified): boolean =>
  one.kind === 'request'
    ? one.request.envelope !== undefined || one.request.method === 'initialize'
    : one.kind === 'forward' && one.isModern

/** True for what is answered or changed here; a plain call passes as it is. */
function isIntercepted(request: RpcRequest, { searchTool, readTool, callTool }: CommonSettings): boolean {
  const { method } = request
  if (method === 'tools/call') {
    const name = stringParam(request, 'name')
    return name !== undefined && name !== '' && [searchTool, readTool, callTool].includes(name)
  }
  if (method === 'completion/complete') return completesTemplate(request)
  if (method.startsWith('resources/') && !method.endsWith('list')) return isSchemaUri(stringParam(request, 'uri') ?? '')
  return true
}

const COMMA = encodeUtf8(',')

/** Messages as one array. */
export const together = (elements: readonly Uint8Array[]): Uint8Array =>
  concat([
    encodeUtf8('['),
    ...elements.flatMap((element, index) => (index === 0 ? [element] : [COMMA, element])),
    encodeUtf8(']'),
  ])
