import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EventSplitter } from '../../src/proxy/event-splitter.ts'
import { createDisclosureProxy } from '../../src/proxy/index.ts'
import { messageData, withData, withoutIds } from '../../src/proxy/sse.ts'
import { fakeUpstream, LIST, post } from './fake-upstream.ts'

const utf8 = (text: string) => new TextEncoder().encode(text)
const decode = (bytes: Uint8Array | undefined) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)

/** An object's text with its members in any order and white space anywhere. */
const spaced = (members: readonly (readonly [string, string])[], gap: string) =>
  `{${gap}${members.map(([name, value]) => `${JSON.stringify(name)}${gap}:${gap}${value}`).join(`${gap},${gap}`)}${gap}}`

const gap = fc.constantFrom('', ' ', '\n\t ')
const extra = fc.uniqueArray(
  fc.tuple(
    fc.string().filter((name) => !['name', 'arguments', 'cursor'].includes(name) && name.isWellFormed()),
    fc.json(),
  ),
  {
    selector: ([name]) => name,
    maxLength: 3,
  },
)

describe("call_tool is rewritten from the client's own bytes", () => {
  it('REQ-P-13: whatever the order, the white space and the other members', async () => {
    const inner = fc.option(
      fc.dictionary(fc.string(), fc.jsonValue()).map((value) => JSON.stringify(value)),
      { nil: undefined },
    )
    await fc.assert(
      fc.asyncProperty(inner, extra, gap, fc.boolean(), fc.nat(), async (args, others, space, nameFirst, rotation) => {
        const own: [string, string][] = [
          ['name', '"get_user"'],
          ...(args === undefined ? [] : [['arguments', args] as [string, string]]),
        ]
        const callArguments = spaced(nameFirst ? own : own.toReversed(), space)
        const members: (readonly [string, string])[] = [
          ['name', '"call_tool"'],
          ['arguments', callArguments],
          ...others,
        ]
        const turn = rotation % members.length
        const params = spaced([...members.slice(turn), ...members.slice(0, turn)], space)
        const body = spaced(
          [
            ['params', params],
            ['method', '"tools/call"'],
            ['id', '7'],
            ['jsonrpc', '"2.0"'],
          ],
          space,
        )
        const upstream = fakeUpstream({ '*': '{"content":[]}' })
        const proxy = createDisclosureProxy({ upstream: upstream.fetch, guard: 'none' })
        const response = await proxy.fetch(post(body))
        const sent = upstream.log[0]?.body
        // Anything that is no strict JSON for this reader is not sent at all.
        if (sent === undefined) return expect(response.status).toBe(400)
        const expected = { ...JSON.parse(body), params: { ...JSON.parse(params), name: 'get_user' } }
        if (args === undefined) delete expected.params.arguments
        else expected.params.arguments = JSON.parse(args)
        expect(JSON.parse(sent)).toEqual(expected)
        if (args !== undefined) expect(sent).toContain(args)
      }),
      { numRuns: 400 },
    )
  })
})

describe('event streams', () => {
  const event = fc
    .tuple(
      fc.array(
        fc.constantFrom(
          'id: 1',
          'retry: 5',
          ': hi',
          'event: message',
          'data: {"a":"é😀"}',
          'data:',
          'data: x',
          'other: y',
        ),
        { minLength: 1, maxLength: 5 },
      ),
      fc.constantFrom('\n', '\r\n', '\r'),
    )
    .map(([lines, end]) => lines.map((line) => line + end).join('') + end)

  it('cut anywhere, give the same events and lose no byte', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 6 }), fc.array(fc.nat(40), { maxLength: 30 }), (events, cuts) => {
        const bytes = utf8(events.join(''))
        const splitter = new EventSplitter(10_000)
        const found: string[] = []
        let at = 0
        for (const cut of [...cuts, bytes.length]) {
          for (const piece of splitter.push(bytes.subarray(at, at + cut))) found.push(decode(piece))
          at = Math.min(at + cut, bytes.length)
        }
        // The second half of a line end may come alone.
        expect(splitter.rest().length).toBeLessThanOrEqual(1)
        const rest = decode(splitter.rest())
        expect(found.join('') + rest).toBe(events.join(''))
        const dataOf = (texts: readonly string[]) =>
          texts.flatMap((text) => decode(messageData(utf8(text)) ?? utf8('')) || [])
        expect(dataOf(found)).toEqual(dataOf(events))
      }),
      { numRuns: 1000 },
    )
  })

  it('data is read and written line by line; ids go', () => {
    const text = 'id: 1\r\nevent: message\r\ndata: {"a":\r\ndata:1}\r\nretry: 4\r\n\r\n'
    expect(decode(messageData(utf8(text)))).toBe('{"a":\n1}')
    expect(decode(withoutIds(utf8(text)))).toBe('event: message\r\ndata: {"a":\r\ndata:1}\r\n\r\n')
    expect(decode(withData(utf8(text), utf8('{"b":\n2}')))).toBe(
      'id: 1\r\nevent: message\r\ndata: {"b":\ndata: 2}\nretry: 4\r\n\r\n',
    )
    expect(messageData(utf8('event: ping\ndata: x\n\n'))).toBe(undefined)
    expect(messageData(utf8(': comment\n\n'))).toBe(undefined)
    expect(messageData(utf8('data:\n\n'))).toBe(undefined)
  })

  it('an event without end is bounded', () => {
    const splitter = new EventSplitter(1000)
    expect(() => {
      for (let chunk = 0; chunk < 100; chunk++) [...splitter.push(utf8('data: '.padEnd(100, 'x')))]
    }).toThrow('longer than 1000 bytes')
  })

  it('one byte at a time is linear', () => {
    const bytes = utf8(`data: ${'x'.repeat(300_000)}\n\n`)
    const splitter = new EventSplitter(1_000_000)
    const start = performance.now()
    let events = 0
    for (let at = 0; at < bytes.length; at++) events += [...splitter.push(bytes.subarray(at, at + 1))].length
    expect(events).toBe(1)
    expect(performance.now() - start).toBeLessThan(2000)
  })
})

it("the answer of a search is the same whatever the upstream's white space", async () => {
  const ask = async (list: string) => {
    const upstream = fakeUpstream({ 'tools/list': list })
    const proxy = createDisclosureProxy({ upstream: upstream.fetch })
    const body =
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_tools","arguments":{"pattern":"."}}}'
    const { result } = JSON.parse(await (await proxy.fetch(post(body))).text())
    return result.structuredContent.result.map((entry: { manifest: object }) => entry.manifest)
  }
  const pretty = LIST.replaceAll(/([{,:])(?=["{[])/g, '$1 \n')
  expect(await ask(pretty)).toEqual(await ask(LIST))
})
