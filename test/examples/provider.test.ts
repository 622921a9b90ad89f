import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningDemo, serveDemo } from '../../scripts/start/serve.ts'
import { callTool, readSchema, searchSchemas } from '../../src/consumer/index.ts'
import type { McpSession } from '../../src/core/index.ts'

const path = fileURLToPath(new URL('../../examples/provider/index.ts', import.meta.url))
const INFO = { name: 'test', version: '1.0.0' }
let worker: RunningDemo

beforeAll(async () => {
  const { outputFiles } = await build({
    entryPoints: [path],
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    target: 'es2022',
    conditions: ['workerd', 'worker', 'browser'],
    logLevel: 'error',
  })
  worker = await serveDemo((outputFiles[0] as { text: string }).text, { port: 0, workerVars: {} })
}, 60_000)

afterAll(() => worker.stop())

describe.each<[string, () => { session: McpSession; connect(url: URL): Promise<void>; close(): Promise<void> }]>([
  [
    'SDK v1',
    () => {
      const client = new ClientV1(INFO)
      return {
        session: client as never,
        connect: (url) => client.connect(new TransportV1(url) as never),
        close: () => client.close(),
      }
    },
  ],
  [
    'SDK v2, legacy',
    () => {
      const client = new ClientV2(INFO)
      return {
        session: client as never,
        connect: (url) => client.connect(new TransportV2(url)),
        close: () => client.close(),
      }
    },
  ],
  [
    'SDK v2, modern',
    () => {
      const client = new ClientV2(INFO, { versionNegotiation: { mode: 'auto' } })
      return {
        session: client as never,
        connect: (url) => client.connect(new TransportV2(url)),
        close: () => client.close(),
      }
    },
  ],
])('the example in workerd, asked by a client of %s', (_, make) => {
  it('R-C-11, R-A-70: lists, searches, gives manifest and fragments, is verified, and called', async () => {
    const { session, connect, close } = make()
    await connect(new URL('/mcp', worker.url))
    const any = { '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) } }
    const pass = { ...any, parse: (value: unknown) => value, safeParse: (data: unknown) => ({ success: true, data }) }
    const { tools } = (await session.request({ method: 'tools/list' }, pass as never)) as { tools: { name: string }[] }
    expect(tools.map(({ name }) => name)).toEqual(['list_stations', 'search_tools', 'call_tool'])
    expect(JSON.stringify(tools)).not.toContain('station_399')
    const { entries } = await searchSchemas(session, 'temperature forecast')
    const selected = entries.find(({ name }) => name === 'get_forecast')
    if (selected === undefined) throw new Error('not found')
    expect(selected.manifest.fragment_count).toBeGreaterThan(1)
    const verified = await readSchema(session, selected.manifest)
    expect(verified.inputSchema).toMatchObject({ properties: { hours: { maximum: 48 } } })
    const answer = await callTool(session, {
      name: selected.name,
      arguments: { station: 'station_80', hours: 3 },
      schemaSha256: verified.manifest.schema_sha256,
    })
    expect(answer).toMatchObject({ isError: false, structuredContent: { celsius: [4, 5, 6] } })
    const guessed = selected.manifest.manifest_uri.replace('get_forecast', 'get_secret')
    await expect(
      session.request({ method: 'resources/read', params: { uri: guessed } }, pass as never),
    ).rejects.toMatchObject({ code: -32602, data: { uri: guessed } })
    await close()
  })
})

it('the server of the README does what it says', async () => {
  const readme = readFileSync(fileURLToPath(new URL('../../README.md', import.meta.url)), 'utf8')
  const contents = /## A server[\s\S]*?```ts\n([\s\S]*?)```/.exec(readme)?.[1] as string
  const { outputFiles } = await build({
    stdin: { contents, loader: 'ts', resolveDir: fileURLToPath(new URL('../../examples', import.meta.url)) },
    tsconfig: fileURLToPath(new URL('../../examples/tsconfig.json', import.meta.url)),
    bundle: true,
    write: false,
    format: 'esm',
    conditions: ['workerd', 'worker', 'browser'],
    logLevel: 'error',
  })
  const script = Buffer.from((outputFiles[0] as { contents: Uint8Array }).contents).toString('base64')
  const module = (await import(/* @vite-ignore */ `data:text/javascript;base64,${script}`)) as {
    default: { fetch(request: Request): Promise<Response> }
  }
  const client = new ClientV2(INFO)
  const answer = (input: string | URL | Request, init?: RequestInit) => module.default.fetch(new Request(input, init))
  await client.connect(new TransportV2(new URL('http://127.0.0.1/mcp'), { fetch: answer }))
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['search_tools', 'call_tool'])
  const { entries } = await searchSchemas(client as never, 'ping')
  expect(entries.map(({ name }) => name)).toEqual(['ping'])
  await client.close()
})

it('the example is short', () => {
  const lines = readFileSync(path, 'utf8').split('\n')
  expect(lines.length).toBeLessThan(50)
})
