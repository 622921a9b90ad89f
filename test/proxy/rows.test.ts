import { describe, expect, it, vi } from 'vitest'
import { createDisclosureProxy, type ProxySettings } from '../../src/proxy/index.ts'
import { type Answers, type FakeUpstream, fakeUpstream, json, LIST, OTHER, post, sse, TOOL } from './fake-upstream.ts'

type Settings = Omit<ProxySettings, 'upstream'>

async function through(
  answers: Answers,
  request: Request | string,
  settings: Settings = {},
): Promise<{ response: Response; body: string; upstream: FakeUpstream }> {
  const upstream = fakeUpstream(answers)
  const proxy = createDisclosureProxy({ upstream: upstream.fetch, ...settings })
  const response = await proxy.fetch(typeof request === 'string' ? post(request) : request)
  return { response, body: await response.text(), upstream }
}

const call = (name: string, args: string, id = '7') =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${name}","arguments":${args}}}`
const rpc = (method: string, params = '{}', id = '7') =>
  `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`

describe('REQ-P-01: what is not intercepted passes byte for byte', () => {
  it.each([
    [
      'row 20: prompts',
      '{"method":"prompts/list","id":"7","jsonrpc":"2.0","params":{"b":1e400,"a":1.0,"n":18446744073709551615}}',
    ],
    ['row 20: unknown methods', ' {"jsonrpc" : "2.0","id":1,"method":"x/y","params":{"z":"é😀"}}\n'],
    ['row 3: notifications', '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}'],
    ['row 21: responses of the client', '{"jsonrpc":"2.0","id":3,"result":{"action":"accept"}}'],
    ['row 13: a call of another tool', call('get_user', '{"id":12345678901234567890}')],
    ['batches', `[${rpc('ping')},${call('get_user', '{}')}]`],
    ['no JSON', 'hello'],
    ['row 25', rpc('subscriptions/listen', '{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}')],
  ])('%s', async (_name, body) => {
    const answer = '{"id":7, "jsonrpc":"2.0","result":{"u":1e400,"v":1.0}}'
    const { body: received, upstream } = await through({ '*': () => json(answer) }, body)
    expect(upstream.log.map((recorded) => recorded.body)).toEqual([body])
    expect(received).toBe(answer)
  })

  it('modern by header alone', async () => {
    const request = post(rpc('tools/list'), { 'mcp-protocol-version': '2026-07-28' })
    const { body } = await through({ 'tools/list': LIST }, request)
    expect(body).toContain('get_user')
  })

  it('REQ-P-29: events pass as they come, ids and comments kept', async () => {
    let release: () => void = () => undefined
    const events = [
      ': hi\n\n',
      'id: 1\nevent: message\ndata: {"jsonrpc":"2.0","method":"notifications/progress"}\n\n',
      'retry: 5\n\n',
    ]
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    const stream = new ReadableStream({
      async start(controller) {
        controller.enqueue(new TextEncoder().encode(events[0]))
        await gate
        for (const event of events.slice(1)) controller.enqueue(new TextEncoder().encode(event))
        controller.close()
      },
    })
    const proxy = createDisclosureProxy({
      upstream: async () => new Response(stream, { headers: { 'content-type': 'text/event-stream' } }),
      guard: 'none',
    })
    const response = await proxy.fetch(post(call('call_tool', '{"name":"get_user"}')))
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    // The first event is here while the upstream still holds the second.
    expect(new TextDecoder().decode((await reader.read()).value)).toBe(events[0])
    release()
    let rest = ''
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read())
      rest += new TextDecoder().decode(chunk.value)
    expect(rest).toBe(events.slice(1).join(''))
  })
})

describe('row 1: initialize', () => {
  const result =
    '{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true},"x":1.0},"serverInfo":{"name":"s","version":"1"},"instructions":"Be \\"kind\\"."}'

  it('REQ-P-02: gains resources, the extension and instructions, and nothing else changes', async () => {
    const { body } = await through({ initialize: result }, rpc('initialize'), { instructions: 'More\nhere' })
    expect(body).toBe(
      `{"jsonrpc":"2.0","id":7,"result":${result
        .replace('"x":1.0}', '"x":1.0,"resources":{},"extensions":{"dev.mcp-schema-disclosure/v1":{}}}')
        .replace('kind\\"."', 'kind\\".\\n\\nMore\\nhere"')}}`,
    )
  })

  it.each([
    [
      'resources kept',
      '{"capabilities":{"tools":{},"resources":{"subscribe":true}}}',
      '{"capabilities":{"tools":{},"resources":{"subscribe":true},"extensions":{"dev.mcp-schema-disclosure/v1":{}}}}',
    ],
    [
      'extensions kept',
      '{"capabilities":{"tools":{},"extensions":{"a/b":{}}}}',
      '{"capabilities":{"tools":{},"extensions":{"a/b":{},"dev.mcp-schema-disclosure/v1":{}},"resources":{}}}',
    ],
    ['no tools: nothing', '{"capabilities":{"prompts":{}}}', '{"capabilities":{"prompts":{}}}'],
  ])('REQ-P-02: %s', async (_name, given, expected) => {
    const { body } = await through({ initialize: given }, rpc('initialize'), { instructions: '' })
    expect(body).toBe(`{"jsonrpc":"2.0","id":7,"result":${expected}}`)
  })

  it('REQ-P-03: on a stream too, with the session header of the upstream and without event ids', async () => {
    const { response, body } = await through(
      {
        initialize: (id) =>
          sse(
            [
              `id: 4\nretry: 9\ndata: \n\n`,
              `event: message\nid: 5\ndata: {"jsonrpc":"2.0","id":${id},\ndata: "result":${result}}\n\n`,
            ],
            {
              'mcp-session-id': 'abc',
            },
          ),
      },
      rpc('initialize'),
    )
    expect(response.headers.get('mcp-session-id')).toBe('abc')
    expect(body).not.toMatch(/^(id|retry):/m)
    expect(body).toContain('"resources":{}')
    expect(body).toContain('event: message\ndata: {')
  })
})

describe('rows 6 and 7: tools/list', () => {
  it('shows the meta-tools only, keeps other members, drops the cursor', async () => {
    const { body, upstream } = await through(
      { 'tools/list': `${LIST.slice(0, -1)},"nextCursor":"2"}` },
      rpc('tools/list'),
    )
    const { result } = JSON.parse(body)
    expect(result.tools.map((tool: { name: string }) => tool.name)).toEqual([
      'search_tools',
      'read_schema',
      'call_tool',
    ])
    expect(body).toContain('"x-kept":1.0}')
    expect(body).not.toContain('nextCursor')
    expect(upstream.count('tools/list')).toBe(1)
  })

  it.each([
    ['2025-03-26', 'read_schema', 1600],
    ['2025-11-25', 'read_schema', 1600],
    ['2025-03-26', '', 1200],
    ['2025-11-25', '', 1200],
  ])('in revision %s with reading tool "%s" is at most %i bytes', async (version, readTool, bytes) => {
    const request = post(rpc('tools/list'), { 'mcp-protocol-version': version })
    const { body } = await through({ 'tools/list': LIST }, request, { readTool })
    const { result } = JSON.parse(body)
    expect(result.tools.length).toBe(readTool === '' ? 2 : 3)
    expect(Buffer.byteLength(JSON.stringify(result.tools))).toBeLessThanOrEqual(bytes)
    expect('outputSchema' in result.tools[0]).toBe(version !== '2025-03-26')
    expect('outputSchema' in result.tools[1]).toBe(false)
  })

  it('REQ-P-18, REQ-P-19: pinned tools of all pages, upstream bytes in upstream order, meta-tools last', async () => {
    const pages: Answers = {
      'tools/list': (_id, { body }) =>
        body.includes('"cursor":""')
          ? `{"tools":[${OTHER}]}`
          : body.includes('"cursor":"a"')
            ? '{"tools":[],"nextCursor":""}'
            : `{"tools":[${TOOL}],"nextCursor":"a"}`,
    }
    const { body, upstream } = await through(pages, rpc('tools/list'), { pin: ['files/*', 'get_*', 'nothing'] })
    expect(body).toContain(`"tools":[${TOOL},${OTHER},{"name":"search_tools"`)
    expect(upstream.count('tools/list')).toBe(3)
  })

  it.each([
    ['*', ['get_user', 'files/read']],
    ['*user', ['get_user']],
    ['g*t*u*r', ['get_user']],
    ['get_user*get_user', []],
    ['GET_USER', []],
  ])('pins by glob %s', async (glob, names) => {
    const { body } = await through({ 'tools/list': LIST }, rpc('tools/list'), { pin: [glob] })
    expect(
      JSON.parse(body)
        .result.tools.slice(0, -3)
        .map((tool: { name: string }) => tool.name),
    ).toEqual(names)
  })

  it('pins of everything list no name twice', async () => {
    const tools = '{"tools":[{"name":"call_tool","inputSchema":{}},{"name":"a","inputSchema":{}}]}'
    const { body } = await through({ 'tools/list': tools }, rpc('tools/list'), { pin: ['*'] })
    const names = JSON.parse(body).result.tools.map((tool: { name: string }) => tool.name)
    expect(names).toEqual(['a', 'search_tools', 'read_schema', 'call_tool'])
  })

  it.each([
    ['2025-03-26', undefined],
    ['2025-06-18', undefined],
    ['2025-11-25', { taskSupport: 'optional' }],
    [undefined, undefined],
  ])(
    'REQ-P-26, REQ-P-27: the calling tool can run as a task in the revision that knows tasks (%s)',
    async (version, execution) => {
      const headers = version === undefined ? {} : { 'mcp-protocol-version': version }
      const { body } = await through({ 'tools/list': LIST }, post(rpc('tools/list'), headers))
      const [search, , call] = JSON.parse(body).result.tools
      expect(call.execution).toEqual(execution)
      expect([search.execution, call.outputSchema]).toEqual([undefined, undefined])
      const isRich = version !== undefined && version >= '2025-06-18'
      expect(['title' in search, 'title' in call, 'outputSchema' in search]).toEqual([isRich, isRich, isRich])
    },
  )

  it('row 7: a cursor is unknown', async () => {
    const { body, upstream } = await through({ 'tools/list': LIST }, rpc('tools/list', '{"cursor":"x"}'))
    expect(JSON.parse(body).error.code).toBe(-32602)
    expect(upstream.log.length).toBe(0)
  })

  it('an error of the upstream passes', async () => {
    const { body } = await through({}, rpc('tools/list'))
    expect(JSON.parse(body).error.code).toBe(-32601)
  })
})

describe('row 8: search_tools', () => {
  it('answers navigation with manifests of the exact schemas; ids stay text (REQ-P-14)', async () => {
    for (const id of ['"7"', '7', '9007199254740993']) {
      const { body, upstream } = await through(
        { 'tools/list': LIST },
        call('search_tools', '{"pattern":"user|file"}', id),
      )
      expect(body).toContain(`"id":${id},`)
      const { structuredContent, content } = JSON.parse(body).result
      expect(structuredContent.result.map((entry: { name: string }) => entry.name)).toEqual(['get_user', 'files/read'])
      expect(JSON.parse(content[0].text)).toEqual(structuredContent)
      expect(structuredContent.result[0].summary).toContain('default 1.0')
      expect(structuredContent.result[1].manifest.alias).toMatch(/^files_read-[0-9a-f]{8}$/)
      // REQ-P-15: an id of our own, a string.
      expect(upstream.log[0]?.id).toMatch(/^"~sd:[0-9a-f-]{36}"$/)
    }
  })

  it('finds nothing: no text block', async () => {
    const { body } = await through({ 'tools/list': LIST }, call('search_tools', '{"query":"zzz"}'))
    expect(JSON.parse(body).result).toEqual({
      content: [],
      structuredContent: { result: [], truncated: false, omitted: 0 },
    })
  })

  it.each([
    ['{}', 'exactly one'],
    ['{"query":"a","pattern":"b"}', 'exactly one'],
    ['{"query":1}', 'query'],
    ['{"pattern":null}', 'pattern'],
    ['{"query":"a","limit":0}', 'limit'],
    ['{"query":"a","limit":1.0}', 'limit'],
    ['{"query":"a","limit":21}', 'limit'],
    ['{"query":"a","x":1}', '"x"'],
    ['[]', 'object'],
  ])('REQ-P-28: refuses %s as a tool error that names the field; nothing is sent', async (args, named) => {
    const { response, body, upstream } = await through({ 'tools/list': LIST }, call('search_tools', args))
    expect(response.status).toBe(200)
    expect(JSON.parse(body).result.isError).toBe(true)
    expect(JSON.parse(body).result.content[0].text).toContain(named)
    expect(upstream.log.length).toBe(0)
  })

  it('two tools of one name are left out, a broken one spoils nothing', async () => {
    const list = `{"tools":[${TOOL},${TOOL},{"name":"bad","description":"user","inputSchema":[1]},{"name":"user2","inputSchema":{}}]}`
    const { body } = await through({ 'tools/list': list }, call('search_tools', '{"pattern":"user"}'))
    expect(JSON.parse(body).result.structuredContent.result.map((entry: { name: string }) => entry.name)).toEqual([
      'user2',
    ])
  })

  it('REQ-P-19: a repeated cursor is a tool error, not a loop', async () => {
    const { body, upstream } = await through(
      { 'tools/list': `{"tools":[],"nextCursor":"a"}` },
      call('search_tools', '{"query":"a"}'),
    )
    expect(JSON.parse(body).result.content[0].text).toContain('cursor "a" came twice')
    expect(upstream.count('tools/list')).toBe(2)
  })
})

describe('what goes where', () => {
  const search = call('search_tools', '{"pattern":"user"}')
  it('R-A-16, R-A-17: everything goes upstream in the session of the caller, and no other is begun', async () => {
    const upstream = fakeUpstream({ 'tools/list': LIST, 'tools/call': '{"content":[]}' })
    const proxy = createDisclosureProxy({ upstream: upstream.fetch })
    const ask = async (body: string) =>
      JSON.parse(await (await proxy.fetch(post(body, { 'mcp-session-id': 'S' }))).text())
    const found = await ask(search)
    const [{ manifest }] = found.result.structuredContent.result
    await ask(rpc('resources/read', JSON.stringify({ uri: manifest.manifest_uri })))
    await ask(call('call_tool', JSON.stringify({ name: 'get_user', schema_sha256: manifest.schema_sha256 })))
    expect(upstream.log.map((recorded) => recorded.rpc)).toEqual([
      'tools/list',
      'tools/list',
      'tools/list',
      'tools/call',
    ])
    expect(upstream.log.map(({ method, headers }) => [method, headers.get('mcp-session-id')])).toEqual(
      Array(4).fill(['POST', 'S']),
    )
  })

  it('R-A-47: no answer a model is shown holds a schema', async () => {
    const schema = '"maximum":18446744073709551615'
    for (const body of [rpc('tools/list'), search, call('search_tools', '{"query":"fetch a user"}')]) {
      const { body: answer } = await through({ 'tools/list': LIST }, body)
      expect(answer).not.toContain('"error"')
      expect(answer).not.toContain(schema)
      expect(answer.replaceAll('\\', '')).not.toContain(schema)
    }
  })
})

describe('rows 9 and 12: call_tool', () => {
  const answers: Answers = {
    'tools/list': LIST,
    'tools/call': '{"content":[],"structuredContent":{"n":1.0,"big":18446744073709551615}}',
  }
  const manifestOf = async (name: string) => {
    const { body } = await through(answers, call('search_tools', '{"pattern":"."}'))
    const { result } = JSON.parse(body).result.structuredContent
    return result.find((entry: { name: string }) => entry.name === name).manifest
  }

  it.each([
    [
      'REQ-P-13: numbers as written',
      '{"name":"get_user","arguments":{"id":12345678901234567890,"f":1.0}}',
      '{"id":12345678901234567890,"f":1.0}',
    ],
    ['null is no arguments', '{"arguments":null,"name":"get_user"}', '{}'],
    ['spaces kept', '{ "name" : "get_user", "arguments" : { "a" : [ ] } }', '{ "a" : [ ] }'],
    [
      'escapes kept',
      '{"name":"get\\u005fuser","arguments":{"\\u0061":"\\ud83d\\ude00"}}',
      '{"\\u0061":"\\ud83d\\ude00"}',
    ],
  ])('%s', async (_name, args, sent) => {
    const { body, upstream } = await through(answers, call('call_tool', args))
    const name = args.includes('\\u005f') ? 'get\\u005fuser' : 'get_user'
    expect(upstream.log.at(-1)?.body).toBe(call(name, sent))
    expect(body).toContain('{"n":1.0,"big":18446744073709551615}')
  })

  it.each([
    [
      '{"name":"call_tool","arguments":{"name":"get_user"},"_meta":{"progressToken":1}}',
      '{"name":"get_user","_meta":{"progressToken":1}}',
    ],
    [
      '{"arguments":{"name":"get_user"},"task":{"ttl":1.0},"name":"call_tool"}',
      '{"task":{"ttl":1.0},"name":"get_user"}',
    ],
    ['{ "arguments" : {"name":"get_user"} , "name":"call_tool"}', '{ "name":"get_user"}'],
    ['{"_meta":{},"arguments":{"name":"get_user","schema_sha256":null},"name":"call_tool"}', undefined],
  ])('REQ-P-13: absent arguments stay absent, other members stay: %s', async (params, sent) => {
    const { body, upstream } = await through(answers, rpc('tools/call', params))
    if (sent === undefined) expect(JSON.parse(body).result.content[0].text).toContain('schema_sha256')
    else expect(JSON.parse(upstream.log.at(-1)?.body as string)).toEqual(JSON.parse(rpc('tools/call', sent)))
  })

  it('guard "catalog": an unknown tool is not called', async () => {
    const { body, upstream } = await through(answers, call('call_tool', '{"name":"nope"}'))
    expect(JSON.parse(body).result.isError).toBe(true)
    expect(upstream.count('tools/call')).toBe(0)
  })

  it('guard "none": the upstream alone decides, with one request', async () => {
    const { upstream } = await through(answers, call('call_tool', '{"name":"nope"}'), { guard: 'none' })
    expect(upstream.log.map((recorded) => recorded.rpc)).toEqual(['tools/call'])
  })

  it.each(['catalog', 'none'] as const)('guard %s: the digest is compared live', async (guard) => {
    const { schema_sha256: digest } = await manifestOf('get_user')
    const right = await through(answers, call('call_tool', `{"name":"get_user","schema_sha256":"${digest}"}`), {
      guard,
    })
    expect(right.upstream.count('tools/call')).toBe(1)
    const wrong = '0'.repeat(64)
    const stale = await through(answers, call('call_tool', `{"name":"get_user","schema_sha256":"${wrong}"}`), { guard })
    expect(stale.upstream.count('tools/call')).toBe(0)
    expect(JSON.parse(stale.body).result.content[0].text).toContain(wrong)
    expect(JSON.parse(stale.body).result.content[0].text).toContain(digest)
  })

  it.each([
    ['{}', 'name'],
    ['{"name":1}', 'name'],
    ['{"name":"a","arguments":"x"}', 'arguments'],
    ['{"name":"a","arguments":[]}', 'arguments'],
    ['{"name":"a","schema_sha256":"A"}', 'schema_sha256'],
    ['{"name":"a","extra":1}', '"extra"'],
    ['"x"', 'arguments'],
  ])('REQ-P-28: refuses %s naming the field; nothing is sent', async (args, named) => {
    const { body, upstream } = await through(answers, call('call_tool', args))
    expect(JSON.parse(body).result.isError).toBe(true)
    expect(JSON.parse(body).result.content[0].text).toContain(named)
    expect(upstream.log.length).toBe(0)
  })

  it('row 12: a tool of the upstream that is named like a meta-tool stays reachable', async () => {
    const named = { ...answers, 'tools/list': '{"tools":[{"name":"search_tools","inputSchema":{}}]}' }
    const { upstream } = await through(named, call('call_tool', '{"name":"search_tools","arguments":{"q":1}}'))
    expect(upstream.log.at(-1)?.body).toBe(call('search_tools', '{"q":1}'))
  })

  it('a read of a guarded call stops at the page of its tool', async () => {
    const pages: Answers = { ...answers, 'tools/list': `{"tools":[${TOOL}],"nextCursor":"2"}` }
    const { upstream } = await through(pages, call('call_tool', '{"name":"get_user"}'))
    expect(upstream.log.map((recorded) => recorded.rpc)).toEqual(['tools/list', 'tools/call'])
  })
})

describe('REQ-P-40: a name that occurs twice is refused, never forwarded', () => {
  it.each([
    '{"jsonrpc":"2.0","id":7,"method":"tools/call","method":"tools/list"}',
    '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"a","name":"call_tool"}}',
    '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"a","_meta":{"x":1,"x":2}}}',
    call('call_tool', '{"name":"a","name":"b"}'),
    call('search_tools', '{"query":"a","query":"b"}'),
  ])('%s', async (body) => {
    const { response, body: answer, upstream } = await through({ 'tools/list': LIST }, body)
    expect(response.status).toBe(400)
    expect(JSON.parse(answer).error.code).toBe(-32600)
    expect(upstream.log.length).toBe(0)
  })
})

describe('rows 14 to 18: resources', () => {
  it('REQ-P-24: a server without resources has an empty list, our templates, and no foreign resource', async () => {
    expect(JSON.parse((await through({}, rpc('resources/list'))).body).result).toEqual({ resources: [] })
    const { body } = await through({}, rpc('resources/templates/list'))
    expect(JSON.parse(body).result.resourceTemplates.map((template: { name: string }) => template.name)).toEqual([
      'schema_manifest',
      'schema_fragment',
    ])
    const foreign = await through({}, rpc('resources/read', '{"uri":"file:///x"}'))
    expect(JSON.parse(foreign.body).error).toMatchObject({ code: -32002, data: { uri: 'file:///x' } })
  })

  it('row 15: templates are appended on the last page, once', async () => {
    const mine = '{"resourceTemplates":[{"uriTemplate":"a://{x}","name":"a"}],"y":1.0'
    const { body } = await through({ 'resources/templates/list': `${mine}}` }, rpc('resources/templates/list'))
    expect(JSON.parse(body).result.resourceTemplates.length).toBe(3)
    expect(body).toContain('"y":1.0}')
    const first = await through(
      { 'resources/templates/list': `${mine},"nextCursor":"2"}` },
      rpc('resources/templates/list'),
    )
    expect(first.body).toContain(`${mine},"nextCursor":"2"}`)
  })

  it('row 17: foreign resources and row 14: lists pass', async () => {
    const answers = { 'resources/read': '{"contents":[],"z":1.0}', 'resources/list': '{"resources":[],"z":1.0}' }
    expect((await through(answers, rpc('resources/read', '{"uri":"file:///x"}'))).body).toContain('"z":1.0')
    expect((await through(answers, rpc('resources/list'))).body).toContain('"z":1.0')
  })

  it('row 16, BC-025, R-A-60: own URIs are answered from the catalog as it is now', async () => {
    const { body } = await through({ 'tools/list': LIST }, call('search_tools', '{"pattern":"get_user"}'))
    const { manifest } = JSON.parse(body).result.structuredContent.result[0]
    const read = await through({ 'tools/list': LIST }, rpc('resources/read', `{"uri":"${manifest.manifest_uri}"}`))
    const { contents } = JSON.parse(read.body).result
    expect(contents).toEqual([
      { uri: manifest.manifest_uri, mimeType: 'application/json', text: JSON.stringify(manifest) },
    ])
    const changed = LIST.replace('"default":1.0', '"default":1')
    const stale = await through({ 'tools/list': changed }, rpc('resources/read', `{"uri":"${manifest.manifest_uri}"}`))
    expect(JSON.parse(stale.body).error.code).toBe(-32002)
  })

  it('REQ-P-23, R-A-15: hidden, unknown, stale and malformed are one refusal', async () => {
    const zeros = '0'.repeat(64)
    const answers = new Set<string>()
    for (const path of [
      `get_user/${zeros}/manifest`,
      `nope/${zeros}/manifest`,
      `get_user/${zeros}/fragments/0`,
      `get_user/${zeros}/fragments/07`,
      'get_user',
      `get%5Fuser/${zeros}/manifest`,
    ]) {
      const uri = `openapi-schema://v1/${path}`
      const { response, body, upstream } = await through(
        { 'tools/list': LIST },
        rpc('resources/read', `{"uri":"${uri}"}`),
      )
      expect(response.status).toBe(200)
      expect(upstream.count('tools/list')).toBe(1)
      answers.add(body.replace(uri, ''))
    }
    expect(answers.size).toBe(1)
  })

  it('row 18: subscribing to what never changes needs nobody', async () => {
    const { body, upstream } = await through(
      {},
      rpc('resources/subscribe', '{"uri":"openapi-schema://v1/a/b/manifest"}'),
    )
    expect(body).toBe('{"jsonrpc":"2.0","id":7,"result":{}}')
    expect(upstream.log.length).toBe(0)
    const foreign = await through(
      { 'resources/subscribe': '{"z":1.0}' },
      rpc('resources/subscribe', '{"uri":"file:///x"}'),
    )
    expect(foreign.body).toContain('1.0')
  })
})

describe('read window', () => {
  it('searches that come together build a disclosure once, and its bytes are counted once', async () => {
    const digests = vi.spyOn(crypto.subtle, 'digest')
    const proxy = createDisclosureProxy({ upstream: fakeUpstream({ 'tools/list': LIST }).fetch })
    const ask = () => proxy.fetch(post(call('search_tools', '{"pattern":"get_user"}')))
    await Promise.all(Array.from({ length: 20 }, ask))
    // One key of the listing and one of the hit each, and one building: source, document and both schemas.
    expect(digests.mock.calls.length).toBeLessThanOrEqual(20 * 3 + 4)
    digests.mockRestore()
  })

  it('R-A-09: without it every read lists; with it further reads of the same caller do not', async () => {
    const { body } = await through({ 'tools/list': LIST }, call('search_tools', '{"pattern":"get_user"}'))
    const uri = JSON.parse(body).result.structuredContent.result[0].manifest.manifest_uri
    for (const [readWindowMs, lists] of [
      [0, 3],
      [5000, 1],
    ] as const) {
      const upstream = fakeUpstream({ 'tools/list': LIST })
      const proxy = createDisclosureProxy({ upstream: upstream.fetch, readWindowMs, forwardHeaders: ['authorization'] })
      for (let read = 0; read < 3; read++) {
        expect(
          await (await proxy.fetch(post(rpc('resources/read', `{"uri":"${uri}"}`), { authorization: 'a' }))).text(),
        ).toContain('contents')
      }
      expect(upstream.count('tools/list')).toBe(lists)
      await proxy.fetch(post(rpc('resources/read', `{"uri":"${uri}"}`), { authorization: 'b' }))
      await proxy.fetch(post(rpc('resources/read', `{"uri":"${uri}"}`), { authorization: 'a', 'mcp-session-id': 's' }))
      expect(upstream.count('tools/list')).toBe(lists + 2)
    }
  })
})
