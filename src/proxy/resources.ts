/**
 * Rows 14, 15, 17: resources of a server that may have none of its own. REQ-P-24.
 * @module
 */

import { FRAGMENT_URI_TEMPLATE, MANIFEST_URI_TEMPLATE } from '../core/index.ts'
import { JsonReader } from '../json/index.ts'
import { splice } from './bytes.ts'
import { readMembers } from './members.ts'
import { errorCode, errorMessage, type RpcMessage, resultMessage, withResult } from './rpc.ts'

const METHOD_NOT_FOUND = -32601
const RESOURCE_NOT_FOUND = -32002

const TEMPLATES = [
  { uriTemplate: MANIFEST_URI_TEMPLATE, name: 'schema_manifest', mimeType: 'application/json' },
  { uriTemplate: FRAGMENT_URI_TEMPLATE, name: 'schema_fragment', mimeType: 'application/json' },
]

/** Row 14: a server without resources has an empty list of them. */
export function listedResources(answer: RpcMessage): Uint8Array | undefined {
  return errorCode(answer) === METHOD_NOT_FOUND ? resultMessage(answer.id as string, '{"resources":[]}') : undefined
}

/** Row 15: the two templates, on the last page. */
export function listedTemplates(answer: RpcMessage): Uint8Array | undefined {
  const id = answer.id as string
  if (errorCode(answer) === METHOD_NOT_FOUND) {
    return resultMessage(id, `{"resourceTemplates":${JSON.stringify(TEMPLATES)}}`)
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
export function foreignResource(answer: RpcMessage, uri: string): Uint8Array | undefined {
  return errorCode(answer) === METHOD_NOT_FOUND ? resourceNotFound(answer.id as string, uri) : undefined
}

/** REQ-P-23: the one refusal of a resource. */
export const resourceNotFound = (id: string, uri: string): Uint8Array =>
  errorMessage(id, RESOURCE_NOT_FOUND, 'Resource not found', `{"uri":${JSON.stringify(uri)}}`)
