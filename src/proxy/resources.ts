/**
 * Rows 14, 15, 17, 19: resources of a server that may have none of its own. REQ-P-24, REQ-P-25.
 * @module
 */

import { FRAGMENT_URI_TEMPLATE, MANIFEST_URI_TEMPLATE } from '../core/index.ts'
import { JsonError, JsonReader, parseJsonText } from '../json/index.ts'
import { splice } from './bytes.ts'
import type { RpcRequest } from './classify.ts'
import { readMembers } from './members.ts'
import { ownMessage } from './results.ts'
import { errorCode, errorMessage, type RpcMessage, withResult } from './rpc.ts'

const METHOD_NOT_FOUND = -32601
const RESOURCE_NOT_FOUND = { legacy: -32002, modern: -32602 }

const TEMPLATES = [
  { uriTemplate: MANIFEST_URI_TEMPLATE, name: 'schema_manifest', mimeType: 'application/json' },
  { uriTemplate: FRAGMENT_URI_TEMPLATE, name: 'schema_fragment', mimeType: 'application/json' },
]

/** Row 14: a server without resources has an empty list of them. */
export function listedResources(answer: RpcMessage, request: RpcRequest): Uint8Array | undefined {
  return errorCode(answer) === METHOD_NOT_FOUND ? ownMessage(request, '"resources":[]', { isKept: true }) : undefined
}

/** Row 15: the two templates, on the last page. */
export function listedTemplates(answer: RpcMessage, request: RpcRequest): Uint8Array | undefined {
  if (errorCode(answer) === METHOD_NOT_FOUND) {
    return ownMessage(request, `"resourceTemplates":${JSON.stringify(TEMPLATES)}`, { isKept: true })
  }
  const { bytes, result: span } = answer
  if (span === undefined) return undefined
  const changed = withTemplates(bytes.subarray(span.start, span.end))
  return changed === undefined ? undefined : withResult(answer, changed)
}

/** A templates result with ours appended, those it lacks. */
export function withTemplates(result: Uint8Array): Uint8Array | undefined {
  const { members } = readMembers(result)
  const list = members.get('resourceTemplates')
  const cursor = members.get('nextCursor')
  if (list === undefined || result[list.start] !== 0x5b) return undefined
  // A null cursor is the end of the list too.
  if (cursor !== undefined && result[cursor.start] === 0x22) return undefined
  const known = new Set<string>()
  let count = 0
  const reader = new JsonReader(result, list.start, list.end)
  reader.array(() => {
    count++
    if (reader.kind() !== 'object') return void reader.span()
    reader.object((name) => {
      if (name === 'uriTemplate' && reader.kind() === 'string') known.add(reader.string())
      else reader.span()
    })
  })
  const missing = TEMPLATES.filter(({ uriTemplate }) => !known.has(uriTemplate)).map((template) =>
    JSON.stringify(template),
  )
  if (missing.length === 0) return undefined
  const at = list.end - 1
  return splice(result, [{ start: at, end: at, by: `${count > 0 ? ',' : ''}${missing.join(',')}` }])
}

/** Row 17: a server without resources does not have this one either. */
export function foreignResource(answer: RpcMessage, request: RpcRequest, uri: string): Uint8Array | undefined {
  return errorCode(answer) === METHOD_NOT_FOUND ? resourceNotFound(request, uri) : undefined
}

/** REQ-P-23: the one refusal of a resource. */
export function resourceNotFound({ id, envelope }: RpcRequest, uri: string): Uint8Array {
  const code = envelope === undefined ? RESOURCE_NOT_FOUND.legacy : RESOURCE_NOT_FOUND.modern
  return errorMessage(id, code, 'Resource not found', `{"uri":${JSON.stringify(uri)}}`)
}

/** Row 19: true where values for one of our templates are asked for. There are none to offer: names come from searches. */
export function completesTemplate({ bytes, params }: RpcRequest): boolean {
  const place = params.get('ref')
  if (place === undefined || bytes[place.start] !== 0x7b) return false
  try {
    const { type, uri } = parseJsonText(bytes.subarray(place.start, place.end)) as { type?: unknown; uri?: unknown }
    return type === 'ref/resource' && TEMPLATES.some(({ uriTemplate }) => uriTemplate === uri)
  } catch (error) {
    // The upstream may read it otherwise, and says what it thinks of it.
    if (JsonError.is(error)) return false
    throw error
  }
}

/** Row 19. */
export const NO_VALUES = '"completion":{"values":[],"total":0,"hasMore":false}'
