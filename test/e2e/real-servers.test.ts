import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callTool, readSchema, searchSchemas } from '../../src/consumer/index.ts'
import { createDisclosureProxy } from '../../src/proxy/index.ts'
import { CLIENTS, type FetchHandler } from './clients.ts'
import { packageFile, startEverything } from './http-server.ts'
import { type StdioUpstream, stdioUpstream } from './stdio-bridge.ts'

interface Subject {
  readonly upstream: URL | FetchHandler
  readonly query: string
  readonly tool: string
  readonly arguments: Record<string, unknown>
  /** Text the answer holds. */
  readonly answer: string
}

const subjects = new Map<string, Subject>()
const closing: (() => Promise<void>)[] = []
const folder = mkdtempSync(join(tmpdir(), 'disclosure-e2e-'))

beforeAll(async () => {
  const everything = await startEverything()
  closing.push(() => everything.close())
  subjects.set('server-everything', {
    upstream: everything.url,
    query: 'sum of two numbers',
    tool: 'get-sum',
    arguments: { a: 2, b: 3 },
    answer: '5',
  })
  const behind = (script: string, args: string[], env?: NodeJS.ProcessEnv): StdioUpstream => {
    const upstream = stdioUpstream(packageFile(script), args, env)
    closing.push(() => upstream.close())
    return upstream
  }
  writeFileSync(join(folder, 'hello.txt'), 'hello from a file')
  subjects.set('server-filesystem', {
    upstream: behind('@modelcontextprotocol/server-filesystem/dist/index.js', [folder]).fetch,
    query: 'read the complete contents of a file as text',
    tool: 'read_text_file',
    arguments: { path: join(folder, 'hello.txt') },
    answer: 'hello from a file',
  })
  const memory = { MEMORY_FILE_PATH: join(folder, 'memory.json') }
  subjects.set('server-memory', {
    upstream: behind('@modelcontextprotocol/server-memory/dist/index.js', [], memory).fetch,
    query: 'search for nodes in the knowledge graph',
    tool: 'search_nodes',
    arguments: { query: 'nobody' },
    answer: 'entities',
  })
}, 60_000)

afterAll(async () => {
  await Promise.all(closing.map((close) => close()))
  rmSync(folder, { recursive: true, force: true })
})

describe.each(Object.keys(CLIENTS))('client %s', (version) => {
  it.each(['server-everything', 'server-filesystem', 'server-memory'])(
    'R-C-12: %s: short list, search, read, verify, call',
    async (name) => {
      const subject = subjects.get(name) as Subject
      const proxy = createDisclosureProxy({ upstream: subject.upstream })
      const client = await (CLIENTS[version] as (typeof CLIENTS)['v1'])((request) => proxy.fetch(request))
      try {
        const { tools } = await client.listTools()
        expect(tools.map((tool) => tool.name)).toEqual(['search_tools', 'read_schema', 'call_tool'])
        const { entries, skipped } = await searchSchemas(client.session, subject.query)
        expect(skipped).toBe(0)
        const selected = entries.find((entry) => entry.name === subject.tool)
        if (selected === undefined) throw new Error(`found only ${entries.map((entry) => entry.name).join(', ')}`)
        const verified = await readSchema(client.session, selected.manifest)
        expect(verified.inputSchema).toHaveProperty('type', 'object')
        const result = await callTool(client.session, {
          name: selected.name,
          arguments: subject.arguments,
          schemaSha256: verified.manifest.schema_sha256,
        })
        expect(result.isError).toBe(false)
        expect(JSON.stringify(result.content)).toContain(subject.answer)
        const stale = await callTool(client.session, {
          name: selected.name,
          arguments: subject.arguments,
          schemaSha256: '0'.repeat(64) as never,
        })
        expect(stale.isError).toBe(true)
      } finally {
        await client.close()
      }
    },
  )
})
