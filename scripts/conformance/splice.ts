/**
 * A call of a tool, as the call of the calling tool that means it: the arguments' bytes and whatever else stays as it is.
 * @module
 */

import { JsonError, JsonReader, type Span } from '../../src/json/index.ts'

export const CALL_TOOL = 'call_tool'

export interface Spliced {
  /** Name of the tool that is meant. */
  readonly name: string
  readonly body: Uint8Array
}

/** Undefined for a body that is no call of a tool. */
export function spliceCall(body: Uint8Array): Spliced | undefined {
  const found = findCall(body)
  if (found === undefined) return undefined
  const text = ({ start, end }: Span) => Buffer.from(body.subarray(start, end)).toString()
  const name = text(found.name)
  const meant =
    found.arguments === undefined ? `{"name":${name}}` : `{"name":${name},"arguments":${text(found.arguments)}}`
  const edits: (readonly [Span, string])[] =
    found.arguments === undefined
      ? [[found.name, `"${CALL_TOOL}","arguments":${meant}`]]
      : [
          [found.name, `"${CALL_TOOL}"`],
          [found.arguments, meant],
        ]
  let end = body.length
  const parts: Uint8Array[] = []
  for (const [span, replacement] of edits.sort(([left], [right]) => right.start - left.start)) {
    parts.unshift(Buffer.from(replacement), body.subarray(span.end, end))
    end = span.start
  }
  return { name: JSON.parse(name) as string, body: Buffer.concat([body.subarray(0, end), ...parts]) }
}

function findCall(body: Uint8Array): { name: Span; arguments: Span | undefined } | undefined {
  let method: string | undefined
  const params = new Map<string, Span>()
  try {
    const reader = new JsonReader(body)
    reader.object((member) => {
      if (member === 'method') method = reader.string()
      else if (member === 'params' && reader.kind() === 'object') {
        reader.object((param) => {
          params.set(param, reader.span())
        })
      } else reader.span()
    })
  } catch (error) {
    if (!JsonError.is(error)) throw error
    return undefined
  }
  const name = params.get('name')
  const isCall = method === 'tools/call' && name !== undefined && body[name.start] === 0x22
  return isCall ? { name, arguments: params.get('arguments') } : undefined
}
