/**
 * Rows 9 to 12: `call_tool` becomes a call of the real tool, from the client's own bytes. REQ-P-12, REQ-P-13.
 * @module
 */

import { JsonReader } from '../json/index.ts'
import type { ListedTool } from '../listing/index.ts'
import { isSchemaDigest, refusalOfCall } from '../provider/call-guard.ts'
import { asBody, type Edit, encodeUtf8, readBounded, replay, splice } from './bytes.ts'
import type { CatalogMemory } from './catalog.ts'
import type { Member, RpcRequest } from './classify.ts'
import type { Exchange } from './exchange.ts'
import { clientHeaders, withoutMirrors } from './headers.ts'
import { type ObjectMembers, readMembers } from './members.ts'
import { encodeHeaderValue, isMismatch } from './mirrors.ts'
import { NestedListing } from './nested.ts'
import { mirroredParams, paramHeaders } from './param-headers.ts'
import { toolError } from './results.ts'
import { errorCode, readMessage, unreadableArguments } from './rpc.ts'

/** A call as the client asked for it, or what is wrong with it. */
export type CallArguments =
  | {
      readonly name: string
      readonly schemaSha256: string | undefined
      /** The arguments of the real tool, as JSON. */
      readonly args: Uint8Array
      readonly body: Uint8Array
    }
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
  return {
    name,
    schemaSha256,
    args: args ?? EMPTY,
    body: rewrite(request, bytes.subarray(rawName.start, rawName.end), args),
  }
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
  if ('problem' in call) return toolError(request, `Cannot call with ${callTool}: ${call.problem}`)
  const target = new Target(exchange, request, call, memory)
  const isGuarded = guard !== 'none' || call.schemaSha256 !== undefined
  if (isGuarded && !(await target.isKnown())) {
    const refusal = await target.look()
    if (refusal !== undefined) return toolError(request, refusal, target.listing)
  }
  const answer = await send(exchange, request, call, target.tool)
  if (request.envelope === undefined || target.isLive || answer.status !== 400) return exchange.pass(answer)
  // Row 11: what is known of the tool is nothing, or old, and the upstream misses headers that only its schema tells. Asked once more,
  // not twice.
  const read = await readRefusal(exchange, answer)
  if (!read.isMismatch) return read.response
  const refusal = await target.look()
  if (target.tool === undefined) return read.response
  if (isGuarded && refusal !== undefined) return toolError(request, refusal, target.listing)
  return exchange.pass(await send(exchange, request, call, target.tool))
}

/** What a call is for, as far as it is known. */
class Target {
  readonly #exchange: Exchange
  readonly #request: RpcRequest
  readonly #call: Call
  readonly #memory: CatalogMemory
  tool: ListedTool | undefined
  #listing: NestedListing | undefined
  /** True where the tool comes from a listing of this exchange. */
  isLive = false

  constructor(exchange: Exchange, request: RpcRequest, call: Call, memory: CatalogMemory) {
    this.#exchange = exchange
    this.#request = request
    this.#call = call
    this.#memory = memory
  }

  /** Made where it is needed: a call that nobody guards costs none. */
  get listing(): NestedListing {
    this.#listing ??= new NestedListing(this.#exchange, this.#request)
    return this.#listing
  }

  /** True where what was listed a moment ago lets the call go on. A digest is always compared live. */
  async isKnown(): Promise<boolean> {
    const { name, schemaSha256 } = this.#call
    if (schemaSha256 !== undefined) return false
    this.tool = await this.#memory.targets.find(this.#exchange, this.listing, name)
    return this.tool !== undefined && (await this.#refusal()) === undefined
  }

  /** Lists, and says why the call may not go on. */
  async look(): Promise<string | undefined> {
    const since = Date.now()
    const { name } = this.#call
    this.tool = await this.#memory.find(this.#exchange, this.listing, (candidate) => candidate.name === name)
    this.isLive = true
    if (this.tool !== undefined) await this.#memory.targets.keep(this.#exchange, this.listing, this.tool, since)
    return this.#refusal()
  }

  async #refusal(): Promise<string | undefined> {
    const { name, schemaSha256, args } = this.#call
    const { disclose } = this.#memory
    const refusal = await refusalOfCall(name, this.tool, schemaSha256, disclose)
    const { argumentGuard } = this.#exchange.settings
    if (refusal !== undefined || argumentGuard === undefined || this.tool === undefined) return refusal
    return argumentGuard.refusal(this.tool, args)
  }
}

/** @param tool undefined where nothing is known of it: then no argument is mirrored */
async function send(
  exchange: Exchange,
  { id, envelope }: RpcRequest,
  { name, args, body }: Call,
  tool: ListedTool | undefined,
): Promise<Response> {
  const mirrors: (readonly [string, string])[] = []
  if (envelope !== undefined) {
    mirrors.push(['mcp-name', encodeHeaderValue(name)])
    try {
      if (tool !== undefined) mirrors.push(...paramHeaders(mirroredParams(tool) ?? [], args))
    } catch (error) {
      return unreadableArguments(id, error)
    }
  }
  const headers = (headers: Headers): void => {
    withoutMirrors(headers)
    for (const [header, value] of mirrors) headers.set(header, value)
  }
  return exchange.ask({ method: 'POST', body, headers })
}

type Call = Exclude<CallArguments, { readonly problem: string }>

/** No refusal of headers is longer. */
const REFUSAL_BYTES = 65_536

async function readRefusal(
  exchange: Exchange,
  answer: Response,
): Promise<{ readonly isMismatch: boolean; readonly response: Response }> {
  const read = await readBounded(answer.body, REFUSAL_BYTES, exchange.signal)
  const body = read.complete ? asBody(read.bytes) : replay(read.chunks, read.reader)
  const message = read.complete ? readMessage(read.bytes) : undefined
  const headers = clientHeaders(answer.headers, false)
  return {
    isMismatch: message !== undefined && isMismatch(errorCode(message)),
    response: new Response(body, { status: answer.status, headers }),
  }
}
