import { execFile, execFileSync } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { reconstructSchema } from '../../src/core/index.ts'
import { createDisclosureProxy } from '../../src/proxy/index.ts'
import { startFixture } from '../conformance/fixture/index.ts'
import { type Listening, listen } from '../conformance/fixture/listen.ts'

/** What one session has seen, as JSON. Through the proxy tools are found, read and called as its instructions say. */
const SESSION = `
import asyncio, json, sys
from mcp import Client
from mcp.types import ElicitResult

url, mode, through = sys.argv[1], sys.argv[2], sys.argv[3] == 'through'
seen = {'progress': [], 'answers': []}

async def elicit(context, params):
    return ElicitResult(action='accept', content={'name': 'Alice', 'username': 'alice', 'email': 'a@example.com'})

async def on_progress(progress, total, message):
    seen['progress'].append([progress, total])

async def main():
    async with Client(url, mode=mode, elicitation_callback=elicit) as client:
        async def call(name, arguments):
            target = ('call_tool', {'name': name, 'arguments': arguments}) if through else (name, arguments)
            result = await client.call_tool(*target, progress_callback=on_progress)
            seen['answers'].append(result.model_dump(mode='json', by_alias=True))
        seen['revision'] = client.protocol_version
        seen['tools'] = [tool.name for tool in (await client.list_tools()).tools]
        if through:
            found = await client.call_tool('search_tools', {'query': 'argument repeated in a header'})
            manifest = found.structured_content['result'][0]['manifest']
            uris = [manifest['manifest_uri'].replace('/manifest', f'/fragments/{index}') for index in range(manifest['fragment_count'])]
            seen['manifest'] = manifest
            seen['fragments'] = [(await client.read_resource(uri)).contents[0].text for uri in uris]
        await call('test_mirrored_argument', {'region': 'naïve'})
        await call('test_error_handling', {})
        await call('test_tool_with_progress', {})
        if mode == 'legacy':
            await call('test_elicitation', {'message': 'Who are you?'})
        else:
            await call('test_input_required_result_elicitation', {})

asyncio.run(main())
print(json.dumps(seen))
`

interface Seen {
  readonly revision: string
  readonly tools: readonly string[]
  readonly answers: readonly { readonly content: readonly { readonly text: string }[] }[]
  readonly progress: readonly (readonly number[])[]
  readonly manifest: never
  readonly fragments: readonly string[]
}

/** Undefined where the Python SDK with a client for both eras is not installed. */
function pythonSdk(): string | undefined {
  const code = 'from mcp import Client; from importlib.metadata import version; print(version("mcp"))'
  try {
    return execFileSync('python3', ['-c', code], { encoding: 'utf8', stdio: 'pipe', timeout: 20_000 }).trim()
  } catch {
    return undefined
  }
}

const version = pythonSdk()
const title = version === undefined ? 'the Python SDK: skipped, python3 has no mcp 2.x' : `the Python SDK ${version}`

describe.skipIf(version === undefined)(title, () => {
  let fixture: Listening
  let proxy: Listening
  beforeAll(async () => {
    fixture = await startFixture()
    const { fetch } = createDisclosureProxy({ upstream: fixture.url })
    proxy = await listen((request) => fetch(request))
  })
  afterAll(async () => {
    await proxy?.close()
    await fixture?.close()
  })

  const session = async (url: URL, mode: string, way: 'direct' | 'through'): Promise<Seen> => {
    const args = ['-c', SESSION, url.href, mode, way]
    const { stdout } = await promisify(execFile)('python3', args, { timeout: 40_000 })
    return JSON.parse(stdout) as Seen
  }

  it.each([
    ['legacy', '2025-11-25'],
    ['auto', '2026-07-28'],
  ])('searches, reads and calls as it does without the proxy: %s', async (mode, revision) => {
    const through = await session(proxy.url, mode, 'through')
    const direct = await session(fixture.url, mode, 'direct')
    expect(through.revision).toBe(revision)
    expect(through.tools).toEqual(['search_tools', 'read_schema', 'call_tool'])
    const { inputSchema } = await reconstructSchema(through.manifest, through.fragments)
    expect(inputSchema).toMatchObject({ properties: { region: { 'x-mcp-header': 'Region' } } })
    expect(through.answers[0]?.content[0]?.text).toBe('naïve')
    expect(through.answers[3]?.content[0]?.text.toLowerCase()).toContain('alice')
    expect([through.answers, through.progress]).toEqual([direct.answers, direct.progress])
    expect(through.progress.length).toBe(3)
  })
})
