/**
 * Upstreams whose answers are cut, dribbled, doubled or out of order: each ends in an answer of its own, or passes.
 */
import { describe, expect, it } from 'vitest'
import { createDisclosureProxy } from '../../src/proxy/index.ts'
import { type Answers, fakeUpstream, json, LIST, post, rpcResult, sse } from './fake-upstream.ts'

const rpc = (method: string, params = '{}') => `{"jsonrpc":"2.0","id":7,"method":"${method}","params":${params}}`
const SEARCH = rpc('tools/call', '{"name":"search_tools","arguments":{"pattern":"user"}}')
const GUARDED = rpc('tools/call', '{"name":"call_tool","arguments":{"name":"get_user"}}')
const LISTING = rpc('tools/list')
const CALLERS: readonly (readonly [string, string])[] = [
  ['a search', SEARCH],
  ['a guarded call', GUARDED],
  ['a list', LISTING],
]
const asJson = (id: string): string => rpcResult(id, LIST)
const asStream = (id: string): string => `: hello\r\n\r\nid: 1\r\ndata: ${rpcResult(id, LIST)}\r\n\r\n`
const FORMS = [
  ['JSON', 'application/json', asJson],
  ['a stream', 'text/event-stream', asStream],
] as const

/** A body of these chunks that then ends, or breaks. */
const body = (chunks: readonly Uint8Array[], breaks = false): ReadableStream<Uint8Array> => {
  let next = 0
  return new ReadableStream({
    pull(controller) {
      const chunk = chunks[next++]
      if (chunk !== undefined) controller.enqueue(chunk)
      else if (breaks) controller.error(new Error('connection reset'))
      else controller.close()
    },
  })
}

async function ask(
  answers: Answers,
  request: string,
): Promise<{ status: number; text: string; log: readonly unknown[] }> {
  const upstream = fakeUpstream({ 'tools/call': '{"content":[{"type":"text","text":"called"}]}', ...answers })
  const response = await createDisclosureProxy({ upstream: upstream.fetch, timeoutMs: 5_000 }).fetch(post(request))
  return { status: response.status, text: await response.text(), log: upstream.log }
}

/** The one message in an answer, JSON or stream. */
function messageIn(text: string): { id: unknown; result?: object; error?: { code: number } } {
  const lines = text.split(/\r\n|\n|\r/).filter((line) => line.startsWith('data: '))
  return JSON.parse(text.startsWith('{') ? text : (lines.at(-1) as string).slice(6))
}

describe.each(CALLERS)('%s', (_caller, request) => {
  it.each(FORMS)('answers as ever where the list dribbles as %s, byte by byte', async (_form, type, spell) => {
    const dribbled = await ask(
      {
        'tools/list': (id) =>
          new Response(body([...new TextEncoder().encode(spell(id))].map((byte) => Uint8Array.of(byte))), {
            headers: { 'content-type': type },
          }),
      },
      request,
    )
    const whole = await ask(
      { 'tools/list': (id) => new Response(spell(id), { headers: { 'content-type': type } }) },
      request,
    )
    expect([dribbled.status, dribbled.text]).toEqual([whole.status, whole.text])
    expect(messageIn(whole.text).result).toBeDefined()
  })

  it.each(FORMS)('ends in an error of its own wherever the list is cut off as %s', async (_form, type, spell) => {
    let isWhole = false
    for (let cut = 0; !isWhole; cut += cut < 100 ? 1 : 7) {
      for (const breaks of [false, true]) {
        let length = 0
        const cutOff = (id: string): Response => {
          const bytes = new TextEncoder().encode(spell(id))
          length = bytes.length
          return new Response(body([bytes.subarray(0, cut)], breaks), { headers: { 'content-type': type } })
        }
        const { text } = await ask({ 'tools/list': cutOff }, request)
        const message = messageIn(text)
        expect(message.id).toBe(7)
        if (message.result === undefined) expect(text).not.toContain('inputSchema')
        // Of a stream only the end of the last blank line may be missing.
        else expect(cut).toBeGreaterThan(length - 5)
        isWhole ||= cut >= length
      }
    }
  })

  it('takes the answer to its own question, not one that comes before, behind or twice', async () => {
    const other = '{"tools":[{"name":"forged","inputSchema":{}}]}'
    const answer = (id: string) =>
      sse([
        `data: ${rpcResult('"~sd:forged"', other)}\n\n`,
        `data: ${rpcResult('8', other)}\n\n`,
        `data: ${rpcResult(id, LIST)}\n\n`,
        `data: ${rpcResult(id, other)}\n\n`,
      ])
    const { text } = await ask({ 'tools/list': answer }, request)
    expect(text).not.toContain('"name":"forged"')
  })
})

describe('what nobody reads here', () => {
  it.each(FORMS)('passes as far as it came, then breaks: %s', async (_form, type) => {
    const text = 'data: {"jsonrpc":"2.0","id":7,"result":{"content":"é"}}\n\n'
    const bytes = new TextEncoder().encode(text)
    for (let cut = 1; cut < bytes.length; cut++) {
      const upstream = fakeUpstream({
        'tools/call': () => new Response(body([bytes.subarray(0, cut)], true), { headers: { 'content-type': type } }),
      })
      const response = await createDisclosureProxy({ upstream: upstream.fetch }).fetch(
        post(rpc('tools/call', '{"name":"get_user"}')),
      )
      const reader = (response.body as ReadableStream<Uint8Array>).getReader()
      const { value } = await reader.read()
      expect(value).toEqual(bytes.subarray(0, cut))
      await expect(reader.read()).rejects.toThrow()
    }
  })
})

describe('many at once', () => {
  it.each(['catalog', 'none'] as const)(
    'REQ-P-14, REQ-P-15: 200 calls in one session, guard %s, each get their own answer',
    async (guard) => {
      const waiting: (() => void)[] = []
      const upstream = fakeUpstream({
        'tools/list': LIST,
        // Answers in the reverse order, by JSON and by stream in turn.
        'tools/call': ((id: string, { body: sent }: { body: string }) =>
          new Promise<Response>((resolve) => {
            const echo = rpcResult(id, `{"content":[],"echo":${/"arguments":(\{"n":\d+\})/.exec(sent)?.[1]}}`)
            waiting.push(() => resolve(waiting.length % 2 === 0 ? json(echo) : sse([`id: 1\ndata: ${echo}\n\n`])))
            if (waiting.length === 200) while (waiting.length > 0) waiting.pop()?.()
          })) as never,
      })
      const proxy = createDisclosureProxy({ upstream: upstream.fetch, guard })
      const ids = (n: number) => [String(n), `"${n}"`, '1', '"1"', '"~sd:1"'][n % 5] as string
      const answers = await Promise.all(
        Array.from({ length: 200 }, async (_, n) => {
          const request = `{"jsonrpc":"2.0","id":${ids(n)},"method":"tools/call","params":{"name":"call_tool","arguments":{"name":"get_user","arguments":{"n":${n}}}}}`
          return (await proxy.fetch(post(request, { 'mcp-session-id': 'S' }))).text()
        }),
      )
      for (const [n, text] of answers.entries())
        expect(text).toContain(rpcResult(ids(n), `{"content":[],"echo":{"n":${n}}}`))
      const nested = upstream.log.filter(({ rpc: method }) => method === 'tools/list').map(({ id }) => id)
      expect(new Set(nested).size).toBe(nested.length)
    },
  )
})
