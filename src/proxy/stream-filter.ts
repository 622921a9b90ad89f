/**
 * Row 23: a response on a GET stream belongs to a POST that was cut off; it is changed by its shape, or the raw list would leak.
 * REQ-P-30.
 * @module
 */

import { JsonError } from '../json/index.ts'
import { eventStream } from './event-stream.ts'
import type { Exchange } from './exchange.ts'
import { faultMessage } from './faults.ts'
import { clientHeaders } from './headers.ts'
import { withAnnouncement } from './initialize.ts'
import { readMembers } from './members.ts'
import { withTemplates } from './resources.ts'
import { changeMessages, errorMessage, isSameId, type RpcMessage, readMessages, withResult } from './rpc.ts'
import type { CommonSettings } from './settings.ts'
import { isEventStream, messageData, withData } from './sse.ts'
import { withTools } from './tools-list.ts'

/** However its name is spelled. */
const isListChanged = ({ method }: RpcMessage): boolean =>
  method !== undefined && isSameId(method, '"notifications/tools/list_changed"')

/** @param onListChanged called when the upstream says that its tools have changed */
export function filterStream(exchange: Exchange, upstream: Response, onListChanged: () => Promise<void>): Response {
  const changeEvent = async (event: Uint8Array, data: Uint8Array): Promise<Uint8Array> => {
    const changed = await changeMessages(
      data,
      async (message) => {
        if (isListChanged(message)) await onListChanged()
        return message.isResponse ? changeByShape(exchange, message) : undefined
      },
      // What cannot be read here could be the list to another reader. Whose answer it is nobody can tell.
      () => errorMessage('null', -32603, 'Cannot read message'),
    )
    return changed === undefined ? event : withData(event, changed)
  }
  const body = eventStream(upstream.body, exchange.settings.limits.maxTotalBytes, {
    each: (event) => {
      const data = messageData(event)
      return data === undefined ? event : changeEvent(event, data)
    },
  })
  return new Response(body, { status: upstream.status, headers: clientHeaders(upstream.headers, false) })
}

/** A stream as it is, event by event. @param onListChanged called when the upstream says that its tools have changed */
export function watched(upstream: Response, { limits }: CommonSettings, onListChanged: () => Promise<void>): Response {
  const headers = clientHeaders(upstream.headers, false)
  if (!isEventStream(upstream)) return new Response(upstream.body, { status: upstream.status, headers })
  const body = eventStream(upstream.body, limits.maxTotalBytes, {
    each: async (event) => {
      const messages = readMessages(messageData(event) ?? NOTHING)
      if (messages.some(isListChanged)) await onListChanged()
      return event
    },
  })
  return new Response(body, { status: upstream.status, headers })
}

const NOTHING = new Uint8Array(0)

function changeByShape(exchange: Exchange, answer: RpcMessage): Uint8Array | undefined {
  const { bytes, result: span } = answer
  if (span === undefined || bytes[span.start] !== 0x7b) return undefined
  const result = bytes.slice(span.start, span.end)
  try {
    const { members } = readMembers(result)
    const tools = members.get('tools')
    const changed = members.has('content')
      ? undefined
      : tools !== undefined && result[tools.start] === 0x5b
        ? // Pins of further pages cannot be told here: the list is short rather than leaking.
          withTools(exchange, result, [])
        : members.has('protocolVersion') && members.has('capabilities') && members.has('serverInfo')
          ? withAnnouncement(result, exchange.settings)
          : members.has('resourceTemplates')
            ? withTemplates(result)
            : undefined
    return changed === undefined ? undefined : withResult(answer, changed)
  } catch (error) {
    // A name that occurs twice could hide the list.
    if (JsonError.is(error)) return faultMessage(answer.id as string, error)
    throw error
  }
}
