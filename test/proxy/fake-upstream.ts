/**
 * An upstream function with a recorder, whose answers are raw text.
 * @module
 */

export interface Recorded {
  readonly method: string
  readonly headers: Headers
  readonly body: string
  readonly rpc: string | undefined
  readonly id: unknown
}

export interface FakeUpstream {
  readonly fetch: (request: Request) => Promise<Response>
  readonly log: Recorded[]
  /** Requests of one RPC method. */
  count(rpc: string): number
}

/** Answers by RPC method: the JSON text of a result, or a whole Response, made from the raw id. */
export type Answers = Readonly<Record<string, string | ((id: string, recorded: Recorded) => Response | string)>>

const RAW_ID = /"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?[0-9.eE+-]+)/

export const json = (text: string, init: ResponseInit = {}): Response =>
  new Response(text, { ...init, headers: { 'content-type': 'application/json', ...init.headers } })

export const rpcResult = (id: string, result: string): string => `{"jsonrpc":"2.0","id":${id},"result":${result}}`

export const sse = (chunks: readonly string[], headers: Record<string, string> = {}): Response =>
  new Response(
    new ReadableStream({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk))
        controller.close()
      },
    }),
    { headers: { 'content-type': 'text/event-stream', ...headers } },
  )

export function fakeUpstream(answers: Answers): FakeUpstream {
  const log: Recorded[] = []
  return {
    log,
    count: (rpc) => log.filter((recorded) => recorded.rpc === rpc).length,
    async fetch(request) {
      const body = await request.text()
      const rpc = /"method"\s*:\s*"([^"]*)"/.exec(body)?.[1]
      const id = RAW_ID.exec(body)?.[1]
      const recorded = { method: request.method, headers: request.headers, body, rpc, id }
      log.push(recorded)
      const answer = answers[rpc ?? request.method] ?? answers['*']
      if (answer === undefined) {
        return json(`{"jsonrpc":"2.0","id":${id ?? null},"error":{"code":-32601,"message":"Method not found"}}`)
      }
      const made = typeof answer === 'string' ? answer : answer(id ?? 'null', recorded)
      return typeof made === 'string' ? json(rpcResult(id ?? 'null', made)) : made
    },
  }
}

export const TOOL =
  '{"name":"get_user","description":"Fetch a user","inputSchema":{"type":"object","properties":{"id":{"type":"integer","maximum":18446744073709551615,"default":1.0}}}}'
export const OTHER =
  '{"name":"files/read","description":"Reads a file","inputSchema":{"type":"object"},"outputSchema":{"type":"object"}}'
export const LIST = `{"tools":[${TOOL},${OTHER}],"x-kept":1.0}`

export function post(body: string, headers: Record<string, string> = {}, url = 'http://127.0.0.1/mcp'): Request {
  return new Request(url, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
  })
}
