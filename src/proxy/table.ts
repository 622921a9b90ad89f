/**
 * The table of exchanges, row by row: what each one is, and who answers it.
 * @module
 */

import { isSchemaUri } from '../core/index.ts'
import { ListingError } from '../listing/index.ts'
import { answerOrStream } from './answer-stream.ts'
import { readBatch } from './batch.ts'
import { answerBatch } from './batch-answer.ts'
import { readAll } from './bytes.ts'
import { answerCall } from './call.ts'
import type { CatalogMemory } from './catalog.ts'
import { classify, type RpcRequest, stringParam } from './classify.ts'
import { ProxyError } from './errors.ts'
import type { Exchange } from './exchange.ts'
import { describeFault, faultMessage } from './faults.ts'
import { announced } from './initialize.ts'
import { refuseMismatch } from './mirrors.ts'
import { NestedListing } from './nested.ts'
import { answerMetadata, isMetadataRequest } from './protected-resource.ts'
import { answerRead } from './read.ts'
import { answerReadTool } from './read-tool.ts'
import { completesTemplate, foreignResource, listedResources, listedTemplates, NO_VALUES } from './resources.ts'
import { ownResult, toolError } from './results.ts'
import { errorMessage, jsonResponse } from './rpc.ts'
import { answerSearch } from './search.ts'
import { isEventStream } from './sse.ts'
import { filterStream, watched } from './stream-filter.ts'
import { shortList } from './tools-list.ts'
import { changeAnswer, changeError } from './transform.ts'
import { UpstreamRefusal } from './upstream-refusal.ts'

/** One exchange of the table, with a caller who may ask. */
export async function handle(exchange: Exchange, memory: CatalogMemory): Promise<Response> {
  const { request, settings } = exchange
  if (isMetadataRequest(request)) return guarded(exchange, 'null', () => answerMetadata(exchange)) // row 28
  if (request.method !== 'POST') return guarded(exchange, 'null', () => handleStream(exchange, memory))
  const bytes = await readRequest(exchange)
  if (bytes instanceof Response) return bytes
  const batch = readBatch(bytes, exchange.version, settings)
  if (batch !== undefined && 'problem' in batch) return jsonResponse(errorMessage('null', -32600, batch.problem), 400)
  if (batch !== undefined) {
    const answers = {
      one: (asked: RpcRequest) => answer(exchange.part(), asked, memory),
      rest: (body: Uint8Array) => guarded(exchange, 'null', () => forward(exchange, body)),
    }
    return guarded(exchange, 'null', () => answerBatch(exchange, batch, answers))
  }
  const classified = classify(bytes, exchange.version)
  if (classified.kind === 'ambiguous') {
    return jsonResponse(errorMessage(classified.id, -32600, 'A name occurs twice in the request'), 400)
  }
  if (classified.kind === 'forward') return guarded(exchange, classified.id ?? 'null', () => forward(exchange, bytes))
  return answer(exchange, classified.request, memory)
}

const answer = (exchange: Exchange, request: RpcRequest, memory: CatalogMemory): Promise<Response> =>
  answerOrStream(exchange, request, () =>
    guarded(exchange, request.id, () => handleRequest(exchange, request, memory), request),
  )

/** The client's own body. One that breaks off while the client stays is a bad request, not a fault of the exchange. */
async function readRequest({ request, settings, signal }: Exchange): Promise<Uint8Array | Response> {
  const { maxRequestBytes } = settings
  try {
    // HTTP holds a body to the length it names, and reading one at once costs a fraction.
    const isShort = Number(request.headers.get('content-length') ?? Number.NaN) <= maxRequestBytes
    const read = isShort
      ? new Uint8Array(await request.arrayBuffer())
      : await readAll(request.body, maxRequestBytes, signal)
    const bytes = read !== undefined && read.length <= maxRequestBytes ? read : undefined
    return bytes ?? jsonResponse(errorMessage('null', -32600, `Request is longer than ${maxRequestBytes} bytes`), 413)
  } catch {
    signal.throwIfAborted()
    return jsonResponse(errorMessage('null', -32700, 'The request broke off'), 400)
  }
}

/** Rows 23 and 24, and whatever else is not a POST. */
async function handleStream(exchange: Exchange, memory: CatalogMemory): Promise<Response> {
  const { method, body } = exchange.request
  if (method === 'DELETE') await memory.forget(exchange)
  const upstream = await exchange.ask({ method, body: method === 'GET' || method === 'HEAD' ? null : body })
  return method === 'GET' && isEventStream(upstream)
    ? filterStream(exchange, upstream, () => memory.forget(exchange))
    : exchange.pass(upstream)
}

/** Rows 3, 13, 20, 21, 22: bytes both ways. */
async function forward(exchange: Exchange, body: Uint8Array): Promise<Response> {
  return exchange.pass(await exchange.ask({ method: 'POST', body }))
}

/** True where a member is there and says something: clients may write absent ones as null. */
function isPresent({ bytes, params }: RpcRequest, name: string): boolean {
  const member = params.get(name)
  return member !== undefined && bytes[member.start] !== 0x6e
}

async function handleRequest(exchange: Exchange, request: RpcRequest, memory: CatalogMemory): Promise<Response> {
  const { bytes, id, method } = request
  const { settings } = exchange
  const ask = () => exchange.ask({ method: 'POST', body: bytes, timeoutMs: settings.timeoutMs })
  /** What is answered or rewritten here is judged here; what goes on as it is, by the upstream. Row 10. */
  const own = (answer: () => Response | Promise<Response>) =>
    refuseMismatch(exchange.request.headers, request) ?? answer()
  switch (method) {
    case 'initialize': // row 1
    case 'server/discover': // rows 4, 5
      return changeAnswer(exchange, await ask(), id, (answer) => announced(answer, settings))
    case 'tools/list': {
      // Row 7: no cursor was ever handed out.
      if (isPresent(request, 'cursor')) return own(() => jsonResponse(errorMessage(id, -32602, 'Unknown cursor')))
      return changeAnswer(exchange, await ask(), id, (answer, upstream) =>
        shortList(exchange, answer, new NestedListing(exchange, request, upstream)),
      ) // row 6
    }
    case 'tools/call': {
      const name = stringParam(request, 'name')
      if (name === settings.searchTool) return own(() => answerSearch(exchange, request, memory)) // row 8
      if (name !== '' && name === settings.readTool) return own(() => answerReadTool(exchange, request, memory))
      if (name === settings.callTool) return own(() => answerCall(exchange, request, memory)) // rows 9 to 12
      return forward(exchange, bytes) // row 13
    }
    case 'resources/list': // row 14
      return changeAnswer(exchange, await ask(), id, (answer) => listedResources(answer, request))
    case 'resources/templates/list': // row 15
      return changeAnswer(exchange, await ask(), id, (answer) => listedTemplates(answer, request))
    case 'resources/read': {
      const uri = stringParam(request, 'uri')
      const foreign = async () =>
        changeError(exchange, await ask(), id, (answer) => foreignResource(answer, request, uri ?? '')) // row 17
      if (uri === undefined || !isSchemaUri(uri)) return foreign()
      return own(async () => (await answerRead(exchange, request, uri, memory)) ?? foreign()) // row 16
    }
    case 'resources/subscribe':
    case 'resources/unsubscribe': {
      // Row 18: content-addressed resources never change.
      const uri = stringParam(request, 'uri')
      return uri !== undefined && isSchemaUri(uri) ? ownResult(request, '') : forward(exchange, bytes)
    }
    case 'completion/complete': // row 19
      return completesTemplate(request) ? own(() => ownResult(request, NO_VALUES)) : forward(exchange, bytes)
    case 'subscriptions/listen': {
      // Row 25: as it is; only whoever has a window has to hear that it holds no more.
      if (settings.readWindowMs === 0) return forward(exchange, bytes)
      const listing = new NestedListing(exchange, request)
      return watched(await exchange.ask({ method: 'POST', body: bytes }), settings, () =>
        memory.forget(exchange, listing),
      )
    }
    default:
      return forward(exchange, bytes)
  }
}

/** Row 30: every fault of an exchange becomes an answer with the client's id. */
async function guarded(
  exchange: Exchange,
  id: string,
  run: () => Promise<Response>,
  request?: RpcRequest,
): Promise<Response> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof UpstreamRefusal) return error.response
    // A limit, a repeated cursor, a broken page, a cut stream: a model can read it where a tool was called. REQ-P-31.
    const isOfListing = ListingError.is(error) || (ProxyError.is(error) && error.code === 'interrupted')
    if (request?.method === 'tools/call' && isOfListing) return toolError(request, error.message)
    const fault = describeFault(error)
    if (fault === undefined) exchange.signal.throwIfAborted()
    return jsonResponse(faultMessage(id, error), fault?.status ?? 500)
  }
}
