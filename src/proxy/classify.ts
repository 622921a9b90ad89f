/**
 * What a request body is (§5 of the decision table): body-primary, once per HTTP request, in one pass over the bytes.
 * @module
 */

import { JsonError, JsonReader, type Span } from '../json/index.ts'
import { isUtf8, textOf } from './bytes.ts'

/** The methods that are looked at further; every other one is forwarded. */
const INTERCEPTED = new Set([
  'initialize',
  'tools/list',
  'tools/call',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
])

/** Members of `params` whose place in the bytes a row may need. */
const PARAMS = new Set(['name', 'arguments', 'uri', 'cursor'])

/** First protocol revision without sessions: the modern era. */
const MODERN = '2026-07-28'
const REVISION = /^\d{4}-\d{2}-\d{2}$/
const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion'

/** A member's value, and where the text before it ends: behind the previous member, or behind the opening brace. */
export interface Member extends Span {
  readonly after: number
}

/** A legacy request that a row of the decision table may be about. */
export interface RpcRequest {
  /** The whole body, as the client sent it. */
  readonly bytes: Uint8Array
  /** The id's text, to be written back as it is. */
  readonly id: string
  readonly method: string
  /** `params` members by name; empty where there are none. */
  readonly params: ReadonlyMap<string, Member>
}

/** What to do with a body: pass it on (`id` is JSON text, where it holds one), refuse it as ambiguous (`id` is JSON text), or look at the request in it. */
export type Classified =
  | { readonly kind: 'forward'; readonly id: string | undefined }
  | { readonly kind: 'ambiguous'; readonly id: string }
  | { readonly kind: 'request'; readonly request: RpcRequest }

const FORWARD: Classified = { kind: 'forward', id: undefined }

/** True for the revisions of the modern era, by date. */
export const isModern = (version: string): boolean => REVISION.test(version) && version >= MODERN

/**
 * Classifies the body of a POST.
 *
 * @param version the `mcp-protocol-version` header, where there is one
 */
export function classify(bytes: Uint8Array, version: string | null): Classified {
  try {
    return read(bytes, version)
  } catch (error) {
    if (!JsonError.is(error)) throw error
    // REQ-P-40: a name that occurs twice could mean one thing here and another upstream.
    if (error.code === 'duplicate-name') return { kind: 'ambiguous', id: looseId(bytes) }
    // §5.2: what this reader cannot read is forwarded as bytes; the upstream judges it.
    return FORWARD
  }
}

function read(bytes: Uint8Array, version: string | null): Classified {
  const reader = new JsonReader(bytes)
  // §5.2, §5.3: batches and scalars are forwarded.
  if (reader.kind() !== 'object') return FORWARD
  let id: Span | undefined
  let method: string | undefined
  let modern = version !== null && isModern(version)
  const params = new Map<string, Member>()
  reader.object((name) => {
    if (name === 'id') {
      const kind = reader.kind()
      const span = reader.span()
      if (kind === 'string' || kind === 'number') id = span
    } else if (name === 'method' && reader.kind() === 'string') method = reader.string()
    else if (name === 'params' && reader.kind() === 'object') modern = readParams(reader, params) || modern
    else reader.span()
  })
  reader.end()
  // §5.4: answers of the client, and notifications. §5.5: the modern era, valid or not, is the upstream's.
  if (id === undefined || method === undefined || !isUtf8(bytes)) return FORWARD
  const idText = textOf(bytes, id)
  if (modern || !INTERCEPTED.has(method)) return { kind: 'forward', id: idText }
  return { kind: 'request', request: { bytes, id: idText, method, params } }
}

/** Notes the members rows need; true where `_meta` names the modern era or a version that is none. */
function readParams(reader: JsonReader, params: Map<string, Member>): boolean {
  let modern = false
  // Behind white space, where the object starts.
  reader.kind()
  let after = reader.position + 1
  reader.object((name) => {
    if (name === '_meta' && reader.kind() === 'object') modern = readMeta(reader)
    else if (PARAMS.has(name)) params.set(name, { ...reader.span(), after })
    else reader.span()
    after = reader.position
  })
  return modern
}

function readMeta(reader: JsonReader): boolean {
  let modern = false
  reader.object((name) => {
    if (name !== VERSION_KEY) return void reader.span()
    if (reader.kind() !== 'string') {
      reader.span()
      modern = true
      return
    }
    const named = reader.string()
    modern = !REVISION.test(named) || isModern(named)
  })
  return modern
}

/** The id of an ambiguous body, where it can be told; otherwise `null`. */
function looseId(bytes: Uint8Array): string {
  try {
    const reader = new JsonReader(bytes)
    let id = 'null'
    reader.object((name) => {
      const kind = reader.kind()
      const span = reader.span()
      if (name === 'id' && (kind === 'string' || kind === 'number')) id = textOf(bytes, span)
    })
    return id
  } catch {
    return 'null'
  }
}

/** The text of a string member; undefined where it is absent or no string. */
export function stringParam(request: RpcRequest, name: string): string | undefined {
  const member = request.params.get(name)
  if (member === undefined) return undefined
  const reader = new JsonReader(request.bytes, member.start, member.end)
  if (reader.kind() !== 'string') return undefined
  try {
    return reader.string()
  } catch (error) {
    if (JsonError.is(error)) return undefined
    throw error
  }
}
