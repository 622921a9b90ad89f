/**
 * The three requests a search answers in its server's place: the tool list, and calls of the two meta-tools.
 * @module
 */

import { ListingError } from '../../listing/index.ts'
import { refusalOfCall } from '../call-guard.ts'
import { distinctTools } from '../distinct.ts'
import { ProviderError } from '../errors.ts'
import { matchesGlob } from '../glob.ts'
import { metaTools } from '../meta-tools.ts'
import { navigateTools } from '../navigate.ts'
import { readSearchArguments } from '../search-arguments.ts'
import { findTools } from '../search-tools.ts'
import { readCallArguments } from './call-arguments.ts'
import { findableAs, listAs } from './catalog.ts'
import { type OpenRequest, ServerRefusal } from './connection.ts'
import { enginesOf, serializerOf } from './engines.ts'
import { isMembers, type Members, type Message, own } from './messages.ts'
import { errorMessage, resultMessage, toolError, versionOf } from './replies.ts'
import type { AttachSettings } from './settings.ts'

const INVALID_PARAMS = -32602
const INTERNAL_ERROR = -32603

/** Answers a request that `isAnswered` said yes to. */
export function answer(request: OpenRequest, settings: AttachSettings): Promise<void> {
  const { method, params } = request.message
  if (method === 'tools/list') return guarded(request, () => list(request, settings))
  const run = own(params, 'name') === settings.searchTool ? find : call
  return guarded(request, () => run(request, settings))
}

/** Gives every fault of a listing to its caller, in the server's own words where they are the server's. */
async function guarded(request: OpenRequest, run: () => Promise<Message | undefined>): Promise<void> {
  const { connection, message } = request
  let reply: Message | undefined
  let fault: unknown
  try {
    reply = await run()
  } catch (error) {
    if (error instanceof ServerRefusal) reply = errorMessage(message, error)
    // A model can read a limit or a broken page where it called a tool.
    else if (ListingError.is(error) && message.method === 'tools/call') reply = toolError(message, error.message)
    else {
      const text = ListingError.is(error) ? error.message : 'Internal error'
      reply = errorMessage(message, { code: INTERNAL_ERROR, message: text })
      fault = error
    }
  }
  if (reply !== undefined) await connection.reply(request, reply)
  if (fault !== undefined && !request.signal.aborted) throw fault
}

/** Pinned tools as the server made them, then the meta-tools. */
async function list(request: OpenRequest, settings: AttachSettings): Promise<Message> {
  const { connection, message, signal } = request
  const { pin, limits, searchTool, callTool } = settings
  // No cursor was ever handed out.
  if (own(message.params, 'cursor') !== undefined) {
    return errorMessage(message, { code: INVALID_PARAMS, message: 'Unknown cursor' })
  }
  const pages: Members[] = []
  const onPage = (page: Members): void => void pages.push(page)
  if (pin.length > 0) await listAs(request, { limits, onPage })
  else onPage(listResult(await connection.ask(request, 'tools/list', {}, signal)))
  // The server's tools of these names would be listed twice.
  const isPinned = (name: unknown): boolean =>
    typeof name === 'string' && name !== searchTool && name !== callTool && pin.some((glob) => matchesGlob(name, glob))
  const pinned = pages.flatMap((page) => {
    const tools = own(page, 'tools')
    return Array.isArray(tools) ? tools.filter((tool) => isPinned(own(tool, 'name'))) : []
  })
  const { nextCursor: _, ...first } = pages[0] as Members
  const tools = [...pinned, ...metaTools(settings, versionOf(request))]
  return { jsonrpc: '2.0', id: message.id, result: { ...first, tools } }
}

/** @throws {ListingError} `malformed-page` */
function listResult(result: unknown): Members {
  if (isMembers(result) && Array.isArray(own(result, 'tools'))) return result
  const reason = 'no tools'
  throw new ListingError('malformed-page', { page: 1, reason }, `page 1 is not a tools/list result (${reason})`)
}

async function find(request: OpenRequest, settings: AttachSettings): Promise<Message> {
  const { message, signal } = request
  const { search, searchTool, disclose, limits, onSearch } = settings
  const asked = readSearchArguments(own(message.params, 'arguments') ?? {})
  if ('problem' in asked) return toolError(message, `Cannot search with ${searchTool}: ${asked.problem}`)
  const { engine, text, limit } = asked
  const listing = await listAs(request, { limits })
  const { tools, skipped } = await distinctTools(listing.tools)
  try {
    const searching = settings.engines[engine] ?? enginesOf(search)[engine]
    const hits = await findTools(text, tools, { engine: searching, limit, signal })
    const serialize = serializerOf(search)
    const found =
      serialize === undefined
        ? await navigateTools(hits, { disclose })
        : { entries: await serialize(hits), truncated: false, omitted: 0, skipped: 0 }
    const { entries, truncated, omitted } = found
    onSearch?.({ entries: entries.length, omitted, skipped: listing.skipped + skipped + found.skipped })
    const structuredContent = { result: entries, truncated, omitted }
    const content = entries.length === 0 ? [] : [{ type: 'text', text: JSON.stringify(structuredContent) }]
    return resultMessage(message, { content, structuredContent })
  } catch (error) {
    if (!ProviderError.is(error)) throw error
    return toolError(message, `Cannot search with ${searchTool}: its engine for ${engine} failed`)
  }
}

/** Guards the call, then lets the server answer it as a call of the target: same id, same sender, all that belongs to it. */
async function call(request: OpenRequest, settings: AttachSettings): Promise<Message | undefined> {
  const { connection, message, extra } = request
  const { callTool, disclose, limits } = settings
  const asked = readCallArguments(own(message.params, 'arguments'))
  if ('problem' in asked) return toolError(message, `Cannot call with ${callTool}: ${asked.problem}`)
  const { name, schemaSha256 } = asked
  const tools = await findableAs(request, { limits })
  const targets = tools.filter((tool) => tool.name === name)
  const refusal = await refusalOfCall(name, targets.length === 1 ? targets[0] : undefined, schemaSha256, disclose)
  if (refusal !== undefined) return toolError(message, refusal)
  const { arguments: _, ...params } = message.params as Members
  const target = {
    ...message,
    params: { ...params, name, ...(asked.arguments === undefined ? undefined : { arguments: asked.arguments }) },
  }
  // The transport asked for the scopes of the calling tool, which has none.
  const challenge = await connection.challenge(target, own(extra, 'authInfo'))
  if (challenge !== undefined) {
    return toolError(message, `Cannot call "${name.slice(0, 200)}": it needs the scopes ${challenge.scopes.join(' ')}`)
  }
  connection.pass(request, target)
  return undefined
}
