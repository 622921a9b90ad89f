import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client as ClientV2 } from '@modelcontextprotocol/client'
import { StdioClientTransport as TransportV2 } from '@modelcontextprotocol/client/stdio'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callTool, readSchema, searchSchemas } from '../../src/consumer/index.ts'
import type { McpSession } from '../../src/core/index.ts'
import { INITIALIZE } from './fake.ts'
import { bundle, isAlive, packageFile, STUBBORN } from './programs.ts'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'disclosure-front-')))
const pidFile = join(folder, 'pids')
const INFO = { name: 'test', version: '1' }
let front = ''
let both = ''
/** Says the pid of each server that is started, whoever starts it. */
let noting = ''

beforeAll(async () => {
  front = await bundle('examples/stdio-front.mjs', join(folder, 'front.mjs'))
  // A server of both eras.
  const code = `
    import { McpServer } from '@modelcontextprotocol/server'
    import { serveStdio } from '@modelcontextprotocol/server/stdio'
    import * as z from 'zod'
    serveStdio(() => {
      const server = new McpServer({ name: 'both', version: '1' })
      const inputSchema = z.object({ text: z.string(), times: z.int() })
      server.registerTool('repeat', { description: 'Repeats a text.', inputSchema }, ({ text, times }) =>
        ({ content: [{ type: 'text', text: text.repeat(times) }] }))
      return server
    })`
  both = await bundle({ code }, join(folder, 'both.mjs'))
  noting = join(folder, 'noting.mjs')
  writeFileSync(
    noting,
    `import { appendFileSync } from 'node:fs'; appendFileSync(${JSON.stringify(pidFile)}, process.pid + '\\n')`,
  )
  writeFileSync(join(folder, 'hello.txt'), 'hello from a file')
}, 60_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const pids = (): number[] => readFileSync(pidFile, 'utf8').trim().split('\n').map(Number)

interface Connected {
  readonly session: McpSession
  readonly pid: number
  listTools(): Promise<{ tools: { name: string }[] }>
  close(): Promise<void>
  era(): string | undefined
}

const CLIENTS: Readonly<
  Record<string, (parameters: { command: string; args: string[]; env: Record<string, string> }) => Promise<Connected>>
> = {
  'SDK v1': async (parameters) => {
    const client = new ClientV1(INFO)
    const transport = new TransportV1(parameters)
    await client.connect(transport as never)
    return connected(client as never, transport.pid, () => 'legacy')
  },
  'SDK v2': async (parameters) => {
    const client = new ClientV2(INFO)
    const transport = new TransportV2(parameters)
    await client.connect(transport)
    return connected(client as never, transport.pid, () => client.getProtocolEra())
  },
  'SDK v2, era by negotiation': async (parameters) => {
    const client = new ClientV2(INFO, { versionNegotiation: { mode: 'auto' } })
    const transport = new TransportV2(parameters)
    await client.connect(transport)
    return connected(client as never, transport.pid, () => client.getProtocolEra())
  },
}

const connected = (
  client: McpSession & { listTools(): Promise<{ tools: { name: string }[] }>; close(): Promise<void> },
  pid: number | null,
  era: () => string | undefined,
): Connected => ({
  session: client,
  pid: pid as number,
  listTools: () => client.listTools(),
  close: () => client.close(),
  era,
})

const SERVERS = {
  everything: {
    args: () => [packageFile('@modelcontextprotocol/server-everything/dist/index.js'), 'stdio'],
    query: 'sum of two numbers',
    tool: 'get-sum',
    arguments: { a: 2, b: 3 },
    answer: '5',
  },
  filesystem: {
    args: () => [packageFile('@modelcontextprotocol/server-filesystem/dist/index.js'), folder],
    query: 'read the complete contents of a file as text',
    tool: 'read_text_file',
    arguments: { path: join(folder, 'hello.txt') },
    answer: 'hello from a file',
  },
  memory: {
    args: () => [packageFile('@modelcontextprotocol/server-memory/dist/index.js')],
    query: 'search for nodes in the knowledge graph',
    tool: 'search_nodes',
    arguments: { query: 'nobody' },
    answer: 'entities',
  },
  'both eras': {
    args: () => [both],
    query: 'repeat a text',
    tool: 'repeat',
    arguments: { text: 'naïve', times: 2 },
    answer: 'naïvenaïve',
  },
} as const

describe.each(Object.keys(CLIENTS))('%s starts the front', (version) => {
  it.each(Object.entries(SERVERS))(
    'R-C-12: server %s: short list, search, read, verify, call; nothing is left',
    async (name, server) => {
      rmSync(pidFile, { force: true })
      const connect = CLIENTS[version] as (typeof CLIENTS)['SDK v1']
      const env = {
        ...(process.env as Record<string, string>),
        NODE_OPTIONS: `--import ${noting}`,
        MEMORY_FILE_PATH: join(folder, 'm.json'),
      }
      const client = await connect({
        command: process.execPath,
        args: [front, '--pin', 'no*', '--', process.execPath, ...server.args()],
        env,
      })
      expect(client.era()).toBe(version.includes('negotiation') && name === 'both eras' ? 'modern' : 'legacy')
      const { tools } = await client.listTools()
      expect(tools.map((tool) => tool.name)).toEqual(['search_tools', 'read_schema', 'call_tool'])
      const { entries } = await searchSchemas(client.session, server.query)
      const selected = entries.find((entry) => entry.name === server.tool)
      if (selected === undefined) throw new Error(`found only ${entries.map((entry) => entry.name).join(', ')}`)
      const verified = await readSchema(client.session, selected.manifest)
      expect(verified.inputSchema).toHaveProperty('type', 'object')
      const call = (schemaSha256: string) =>
        callTool(client.session, {
          name: selected.name,
          arguments: server.arguments,
          schemaSha256: schemaSha256 as never,
        })
      const result = await call(verified.manifest.schema_sha256)
      expect(result.isError).toBe(false)
      expect(JSON.stringify(result.content)).toContain(server.answer)
      expect((await call('0'.repeat(64))).isError).toBe(true)
      await client.close()
      const started = pids()
      // Who negotiates asks a first server what it speaks.
      expect(started.length).toBe(version.includes('negotiation') ? 4 : 2)
      expect(started).toContain(client.pid)
      await expect.poll(() => started.filter(isAlive), { timeout: 5000 }).toEqual([])
    },
  )
})

describe('the front', () => {
  async function run(args: string[], input: string | undefined, signal?: NodeJS.Signals) {
    const child = spawn(process.execPath, [front, ...args], { stdio: ['pipe', 'pipe', 'pipe'] })
    const text = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const) child[name].on('data', (chunk) => (text[name] += chunk))
    child.stdin.on('error', () => {})
    if (input !== undefined) child.stdin.end(input)
    if (signal !== undefined) child.stderr.once('data', () => child.kill(signal))
    const [code, by] = await new Promise<[number | null, string | null]>((resolve) =>
      child.once('close', (...how) => resolve(how)),
    )
    return { ...text, ended: by ?? code }
  }
  const server = (code: string): string[] => ['--', process.execPath, '-e', code]

  it('ends as its server does', async () => {
    expect((await run(server('process.exit(3)'), undefined)).ended).toBe(3)
    expect((await run(server("process.stdin.resume().on('end', () => process.exit(4))"), '')).ended).toBe(4)
    expect((await run(server("process.kill(process.pid, 'SIGKILL')"), undefined)).ended).toBe(137)
    expect((await run([process.execPath, '-e', 'process.exit(5)'], undefined)).ended).toBe(5)
  })

  it('takes what docs/stdio.md configures', async () => {
    const text = readFileSync(new URL('../../docs/stdio.md', import.meta.url), 'utf8')
    const { mcpServers } = JSON.parse(/```json\n([\s\S]*?)```/.exec(text)?.[1] as string)
    const [script, ...args] = mcpServers.files.args as string[]
    expect(script).toMatch(/examples\/stdio-front\.mjs$/)
    const settings = args.slice(0, args.indexOf('--'))
    expect(settings.length).toBeGreaterThan(0)
    expect(
      (await run([...settings, '--read-tool', '', '--guard', 'none', ...server('process.exit(6)')], undefined)).ended,
    ).toBe(6)
  })

  it('hands signals on, and is ended by them', async () => {
    const told =
      "process.on('SIGINT', () => { console.error('told'); process.exit() }); setInterval(() => {}, 1000); console.error('up')"
    const { stderr, ended } = await run(server(told), undefined, 'SIGINT')
    expect([stderr, ended]).toEqual(['up\ntold\n', 'SIGINT'])
    expect((await run(server(STUBBORN.replace('console.log', 'console.error')), undefined, 'SIGTERM')).ended).toBe(
      'SIGTERM',
    )
  })

  it('writes nothing to stdout that is no message: noise, usage and errors go to stderr', async () => {
    const noisy = await run(server("console.log('house-tools 1.0.0 ready')"), INITIALIZE)
    expect(noisy.stdout).toMatch(/^(?:\{"jsonrpc":"2.0","id":0,"error":.*\}\n)?$/)
    expect(noisy.stderr).toContain(
      'stdio-front: Cannot read line of the server: not a message: house-tools 1.0.0 ready',
    )
    for (const args of [
      [],
      ['--'],
      ['--pin'],
      ['--no-such', '--', 'x'],
      ['--guard', 'sure', ...server('')],
      ['no-such-program-anywhere'],
    ]) {
      const { stdout, stderr, ended } = await run(args, '')
      expect([stdout, ended]).toEqual(['', 1])
      expect(stderr).toMatch(/^stdio-front: .+\n$/)
    }
  })

  it('an answer of a megabyte arrives whole before it ends', async () => {
    const big = `const text = 'x'.repeat(1 << 20); console.log('{"jsonrpc":"2.0","id":1,"result":{"text":"' + text + '"}}')`
    const { stdout } = await run(server(big), '{"jsonrpc":"2.0","id":1,"method":"custom"}\n')
    expect(stdout).toBe(`{"jsonrpc":"2.0","id":1,"result":{"text":"${'x'.repeat(1 << 20)}"}}\n`)
  })
})
