/**
 * What a request body is (§5 of the decision table): body-primary, once per HTTP request, in one pass over the bytes.
 * @module
 */

import { JsonError, JsonReader, type Span } from '../json/index.ts'
import { isUtf8, textOf } from './bytes.ts'

type Era = 'legacy' | 'modern'

/** The methods that are looked at further, and the one era that has a method where the other has not; all else is forwarded. */
const INTERCEPTED: ReadonlyMap<string, Era | undefined> = new Map([
  ['initialize', 'legacy'],
  ['server/discover', 'modern'],
  ['tools/list', undefined],
  ['tools/call', undefined],
  ['resources/list', undefined],
  ['resources/templates/list', undefined],
  ['resources/read', undefined],
  ['resources/subscribe', 'legacy'],
  ['resources/unsubscribe', 'legacy'],
  ['completion/complete', undefined],
  ['subscriptions/listen', 'modern'],
])

/** Members of `params` whose place in the bytes a row may need. */
const PARAMS = new Set(['name', 'arguments', 'uri', 'cursor', 'ref'])

/** First protocol revision without sessions: the modern era. */
const MODERN = '2026-07-28'
export const REVISION = /^\d{4}-\d{2}-\d{2}$/
const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion'

/** A member's value, and where the text before it ends: behind the previous member, or behind the opening brace. */
export interface Member extends Span {
  readonly after: number
}

/** What a request of the modern era says of itself in `params._meta`. */
export interface Envelope {
  /** The revision it names. */
  readonly version: string
  /** Where `_meta` stands. */
  readonly meta: Span
}

/** A request that a row of the decision table may be about. */
export interface RpcRequest {
  /** The whole body, as the client sent it. */
  readonly bytes: Uint8Array
  /** The id's text, to be written back as it is. */
  readonly id: string
  readonly method: string
  /** `params` members by name; empty where there are none. */
  readonly params: ReadonlyMap<string, Member>
  /** Undefined in the legacy era. */
  readonly envelope: Envelope | undefined
}

/** What to do with a body: pass it on (`id` is JSON text, where it holds one; `isModern` where it claims that era), refuse it as ambiguous (`id` is JSON text), or look at the request in it. */
export type Classified =
  | { readonly kind: 'forward'; readonly id: string | undefined; readonly isModern: boolean }
  | { readonly kind: 'ambiguous'; readonly id: string }
  | { readonly kind: 'request'; readonly request: RpcRequest }

const FORWARD: Classified = { kind: 'forward', id: undefined, isModern: false }

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
  // §5.2: scalars are forwarded. What becomes of batches, row 26 says.
  if (reader.kind() !== 'object') return FORWARD
  let id: Span | undefined
  let method: string | undefined
  let claim: Envelope | 'invalid' | undefined
  const params = new Map<string, Member>()
  reader.object((name) => {
    if (name === 'id') {
      const kind = reader.kind()
      const span = reader.span()
      if (kind === 'string' || kind === 'number') id = span
    } else if (name === 'method' && reader.kind() === 'string') method = reader.string()
    else if (name === 'params' && reader.kind() === 'object') claim = readParams(reader, params)
    else reader.span()
  })
  reader.end()
  // §5.4: answers of the client, and notifications.
  if (id === undefined || method === undefined || !isUtf8(bytes)) return FORWARD
  const idText = textOf(bytes, id)
  const envelope = claim === 'invalid' ? undefined : claim
  // §5.5: what claims the modern era without being of it is the upstream's to refuse.
  const isInvalid = claim === 'invalid' || (envelope === undefined && version !== null && isModern(version))
  const era = INTERCEPTED.get(method)
  const isOfOtherEra = era !== undefined && era !== (envelope === undefined ? 'legacy' : 'modern')
  if (isInvalid || isOfOtherEra || !INTERCEPTED.has(method)) {
    return { kind: 'forward', id: idText, isModern: isInvalid || envelope !== undefined }
  }
  return { kind: 'request', request: { bytes, id: idText, method, params, envelope } }
}

/** Notes the members rows need. What `_meta` claims: the modern era, or a version that is none; undefined for the legacy era. */
function readParams(reader: JsonReader, params: Map<string, Member>): Envelope | 'invalid' | undefined {
  let claim: Envelope | 'invalid' | undefined
  // Behind white space, where the object starts.
  reader.kind()
  let after = reader.position + 1
  reader.object((name) => {
    if (name === '_meta' && reader.kind() === 'object') claim = readMeta(reader)
    else if (PARAMS.has(name)) params.set(name, { ...reader.span(), after })
    else reader.span()
    after = reader.position
  })
  return claim
}

function readMeta(reader: JsonReader): Envelope | 'invalid' | undefined {
  let named: string | undefined
  let isNamed = false
  // Behind the colon, where the object starts.
  const start = reader.position
  reader.object((name) => {
    if (name !== VERSION_KEY) return void reader.span()
    isNamed = true
    if (reader.kind() === 'string') named = reader.string()
    else reader.span()
  })
  if (!isNamed) return undefined
  if (named === undefined || !REVISION.test(named)) return 'invalid'
  return isModern(named) ? { version: named, meta: { start, end: reader.position } } : undefined
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
