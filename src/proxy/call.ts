/**
 * Rows 9 and 12: `call_tool` becomes a call of the real tool, from the client's own bytes. REQ-P-13.
 * @module
 */

import { JsonReader } from '../json/index.ts'
import { isSchemaDigest, refusalOfCall } from '../provider/call-guard.ts'
import { type Edit, encodeUtf8, splice } from './bytes.ts'
import type { CatalogMemory } from './catalog.ts'
import type { Member, RpcRequest } from './classify.ts'
import type { Exchange } from './exchange.ts'
import { withoutMirrors } from './headers.ts'
import { type ObjectMembers, readMembers } from './members.ts'
import { NestedListing } from './nested.ts'
import { jsonResponse, resultMessage, toolError, unreadableArguments } from './rpc.ts'

/** A call as the client asked for it, or what is wrong with it. */
export type CallArguments =
  | { readonly name: string; readonly schemaSha256: string | undefined; readonly body: Uint8Array }
  | { readonly problem: string }

const KNOWN = new Set(['name', 'arguments', 'schema_sha256'])
const EMPTY = encodeUtf8('{}')

/**
 * Reads the arguments and rewrites the body: `params.name` becomes the raw text of `arguments.name`, `params.arguments` the raw
 * text of `arguments.arguments`, where absent stays absent. A pure function of the client's bytes.
 *
 * @throws {JsonError} where a name occurs twice in the arguments
 */
export function readCallArguments(request: RpcRequest): CallArguments {
  const { bytes, params } = request
  const place = params.get('arguments')
  if (place === undefined || bytes[place.start] !== 0x7b) return { problem: 'arguments is not an object' }
  const object = readMembers(bytes, place.start, place.end)
  for (const name of object.members.keys()) {
    if (!KNOWN.has(name)) return { problem: `"${name.slice(0, 100)}" is not an argument` }
  }
  const name = stringMember(bytes, object, 'name')
  if (name === undefined) return { problem: 'name is not a string' }
  const schemaSha256 = stringMember(bytes, object, 'schema_sha256')
  if (object.members.has('schema_sha256') && !isSchemaDigest(schemaSha256)) {
    return { problem: 'schema_sha256 is not 64 lower-case hex digits' }
  }
  const inner = object.members.get('arguments')
  const first = inner === undefined ? undefined : bytes[inner.start]
  // An object, or null for none.
  if (first !== undefined && first !== 0x7b && first !== 0x6e)
    return { problem: 'arguments.arguments is not an object' }
  const args = inner === undefined ? undefined : first === 0x6e ? EMPTY : bytes.subarray(inner.start, inner.end)
  const rawName = object.members.get('name') as Member
  return { name, schemaSha256, body: rewrite(request, bytes.subarray(rawName.start, rawName.end), args) }
}

function rewrite({ bytes, params }: RpcRequest, name: Uint8Array, args: Uint8Array | undefined): Uint8Array {
  const namePlace = params.get('name') as Member
  const place = params.get('arguments') as Member
  const edits: Edit[] = [{ start: namePlace.start, end: namePlace.end, by: name }]
  if (args !== undefined) edits.push({ start: place.start, end: place.end, by: args })
  else {
    // `name` is a member too: behind the first one there is a comma, before every other one as well.
    const isFirst = bytes[place.after - 1] === 0x7b
    const end = isFirst ? bytes.indexOf(0x2c, place.end) + 1 : place.end
    edits.push({ start: place.after, end, by: '' })
  }
  return splice(
    bytes,
    edits.sort((left, right) => left.start - right.start),
  )
}

function stringMember(bytes: Uint8Array, { members }: ObjectMembers, name: string): string | undefined {
  const place = members.get(name)
  if (place === undefined || bytes[place.start] !== 0x22) return undefined
  return new JsonReader(bytes, place.start, place.end).string()
}

/** Guards the call, sends it, and passes the answer on as it streams. */
export async function answerCall(exchange: Exchange, request: RpcRequest, memory: CatalogMemory): Promise<Response> {
  const { callTool, guard } = exchange.settings
  let call: CallArguments
  try {
    call = readCallArguments(request)
  } catch (error) {
    return unreadableArguments(request.id, error)
  }
  if ('problem' in call) return refuse(request, `Cannot call with ${callTool}: ${call.problem}`)
  if (guard !== 'none' || call.schemaSha256 !== undefined) {
    const refusal = await judge(exchange, request, memory, call.name, call.schemaSha256)
    if (refusal !== undefined) return refusal
  }
  return exchange.pass(await exchange.ask({ method: 'POST', body: call.body, headers: withoutMirrors }))
}

async function judge(
  exchange: Exchange,
  request: RpcRequest,
  memory: CatalogMemory,
  name: string,
  schemaSha256: string | undefined,
): Promise<Response | undefined> {
  const listing = new NestedListing(exchange, request.id)
  const tool = await memory.find(exchange, listing, (candidate) => candidate.name === name)
  const refusal = await refusalOfCall(name, tool, schemaSha256, memory.disclose)
  return refusal === undefined ? undefined : refuse(request, refusal, listing)
}

const refuse = (request: RpcRequest, text: string, listing?: NestedListing): Response =>
  jsonResponse(resultMessage(request.id, toolError(text)), 200, listing?.headers)
