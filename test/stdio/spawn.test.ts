import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ByteDuplex, interposeStdio, type StdioSettings } from '../../src/proxy/index.ts'
import { refuseScript } from '../../src/stdio/command.ts'
import { type SpawnedServer, type SpawnOptions, StdioError, spawnStdio } from '../../src/stdio/index.ts'
import { INITIALIZE } from './fake.ts'
import { bundle, isAlive, STUBBORN } from './programs.ts'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'disclosure-spawn-')))
const node = (code: string, args: string[] = [], options: SpawnOptions = {}): Promise<SpawnedServer> =>
  spawnStdio(process.execPath, ['-e', code, ...args], { graceMs: 200, ...options })
const textOf = (server: ByteDuplex): Promise<string> => new Response(server.readable).text()
const SIGNALS = ['exit', 'SIGINT', 'SIGTERM', 'SIGHUP'] as const
const listeners = () => SIGNALS.map((name) => process.listenerCount(name))

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('what is started', () => {
  it('BC-166: arguments reach the child one to one', async () => {
    const args = ['--root', 'C:\\data dir\\new', 'C:\\trailing\\', '', 'a\tb', '$HOME', '%PATH%', '*.js', "a'b", '--']
    const server = await node('console.log(JSON.stringify(process.argv.slice(1)))', ['--', ...args])
    expect(JSON.parse(await textOf(server))).toEqual(args)
  })

  it('environment and folder are what was given, or this process’s own', async () => {
    const code = 'console.log(JSON.stringify([process.env.A, process.env.PATH, process.cwd()]))'
    expect(JSON.parse(await textOf(await node(code, [], { env: { A: 'a b', PATH: undefined }, cwd: folder })))).toEqual(
      ['a b', null, folder],
    )
    expect(JSON.parse(await textOf(await node(code)))).toEqual([null, process.env.PATH, process.cwd()])
  })

  it('BC-165: what cannot be started is named, with what to do', async () => {
    const none = await spawnStdio('no-such-program-anywhere', ['-y', 'pkg']).catch((error) => error)
    expect(StdioError.is(none) && none.code).toBe('not-an-executable')
    expect(none.message).toContain('node with the path of the script')
    const noFolder = await node('', [], { cwd: join(folder, 'none') }).catch((error) => error)
    expect([noFolder.code, noFolder.message]).toEqual(['cannot-start', expect.stringContaining('no folder')])
    expect((await spawnStdio('a\0b').catch((error) => error)).code).toBe('cannot-start')
    for (const script of ['npx.cmd', 'C:\\x\\RUN.BAT', 'npx.cmd. ']) {
      expect(() => refuseScript(script, 'win32')).toThrow(expect.objectContaining({ code: 'shell-script-refused' }))
      expect(() => refuseScript(script, 'linux')).not.toThrow()
    }
    expect(() => refuseScript('C:\\Program Files\\nodejs\\node.exe', 'win32')).not.toThrow()
    expect(() => refuseScript('npx', 'win32')).not.toThrow()
  })

  it('bytes come as they are, a megabyte in both directions at once', async () => {
    const server = await node('process.stdin.pipe(process.stdout)')
    const bytes = new Uint8Array(1 << 20).map((_, at) => (at * 7919) & 0xff)
    const writer = server.writable.getWriter()
    const written = (async () => {
      for (let at = 0; at < bytes.length; at += 50_000) await writer.write(bytes.subarray(at, at + 50_000))
      await writer.close()
    })()
    expect(Buffer.from(await new Response(server.readable).arrayBuffer()).equals(bytes)).toBe(true)
    await written
    expect(await server.exited).toEqual({ code: 0, signal: null })
  })
})

describe('how it ends', () => {
  it('with its input; then asked; then by force', async () => {
    const polite = await node("process.stdin.resume().on('end', () => process.exit(5))")
    expect(await polite.end()).toEqual({ code: 5, signal: null })
    const deaf = await node('setInterval(() => {}, 1000)')
    expect(await deaf.end()).toEqual({ code: null, signal: 'SIGTERM' })
    const stubborn = await node(STUBBORN)
    await stubborn.readable.getReader().read()
    expect(await stubborn.end()).toEqual({ code: null, signal: 'SIGKILL' })
    // Once more is nothing more.
    expect(await stubborn.end()).toEqual({ code: null, signal: 'SIGKILL' })
  })

  it('where one of its streams is given up, even in the middle of a write', async () => {
    const read = await node(STUBBORN)
    await read.readable.cancel()
    expect((await read.exited).signal).toBe('SIGKILL')
    const stuck = await node('setInterval(() => {}, 1000)')
    const writer = stuck.writable.getWriter()
    writer.closed.catch(() => {})
    const write = writer.write(new Uint8Array(1 << 24)).catch((error) => error)
    await new Promise((resolve) => setTimeout(resolve, 50))
    void writer.abort().catch(() => {})
    expect((await stuck.exited).signal).toBe('SIGTERM')
    expect(await write).toBeInstanceOf(Error)
  })

  it('what it has started does not hold the stream open', async () => {
    const code =
      "const { pid } = require('node:child_process').spawn(process.execPath, ['-e', 'setTimeout(() => {}, 20000)'], { stdio: ['ignore', 'inherit', 'ignore'], detached: true }); console.log(pid); process.exit(0)"
    const server = await node(code)
    const pid = Number(await textOf(server))
    expect(pid).toBeGreaterThan(1)
    expect(isAlive(pid)).toBe(true)
    process.kill(pid, 'SIGKILL')
  })

  /** One client that says `initialize` and what its requests were answered with. */
  async function session(server: SpawnedServer, settings: StdioSettings = {}): Promise<string> {
    const client = new TransformStream<Uint8Array, Uint8Array>()
    const answers = new TransformStream<Uint8Array, Uint8Array>()
    const text = textOf(answers).catch((error) => String(error))
    const writer = client.writable.getWriter()
    writer.closed.catch(() => {})
    const ended = interposeStdio({ readable: client.readable, writable: answers.writable }, server, settings).catch(
      (error) => String(error),
    )
    await writer.write(new TextEncoder().encode(`${INITIALIZE}\n`))
    setTimeout(() => void writer.close().catch(() => {}), 500)
    return `${await ended} ${await text}`
  }

  const ANSWERS = `process.stdin.on('data', () => console.log('{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{}}}'))`
  it.each([
    ['child exits with code 3 before answering', 'process.exit(3)', {}, 'The server has ended'],
    ['child never answers', 'process.stdin.resume()', { timeoutMs: 100 }, 'no answer within 100 ms'],
    ['caller aborts', 'process.stdin.resume()', { abortMs: 300 }, 'TimeoutError'],
    ['a limit', ANSWERS, { limits: { maxTotalBytes: 10 } }, 'longer than 10 bytes'],
    [
      'child writes what is no message',
      "process.stdout.on('error', () => process.exit()); setInterval(() => console.log('x\\n'.repeat(500)), 10)",
      {},
      '1000 lines in a row',
    ],
  ] as const)('BC-163: %s: nothing is left, and the cause is named', async (_case, code, settings, cause) => {
    const before = listeners()
    const server = await node(code)
    const { abortMs, ...given } = settings as StdioSettings & { abortMs?: number }
    const signal = abortMs === undefined ? undefined : AbortSignal.timeout(abortMs)
    expect(await session(server, { ...given, signal })).toContain(cause)
    await server.end()
    expect(isAlive(server.pid)).toBe(false)
    expect(listeners()).toEqual(before)
  })

  it('a child whose server did not start leaves no listener', async () => {
    const before = listeners()
    await spawnStdio('no-such-program-anywhere').catch(() => {})
    await expect.poll(listeners, { timeout: 5000 }).toEqual(before)
  })

  it('twenty at once listen no more than one', async () => {
    const before = listeners()
    const servers = await Promise.all(Array.from({ length: 20 }, () => node('process.stdin.resume()')))
    expect(listeners()).toEqual(before.map((count) => count + 1))
    await Promise.all(servers.map((server) => server.end()))
    expect(listeners()).toEqual(before)
  })
})

describe('never after its parent', () => {
  let parent = ''
  beforeAll(async () => {
    // Two children: one that ends when it is told, one that does not. Says their pids, then does what it is told.
    const code = `
      import { spawnStdio } from 'mcp-schema-disclosure/stdio'
      const own = process.argv[2]
      if (own === 'listens') process.on('SIGTERM', () => setTimeout(() => process.exit(9), 600))
      const servers = await Promise.all(['process.stdin.resume(); console.log(process.pid)', ${JSON.stringify(STUBBORN)}].map((code) =>
        spawnStdio(process.execPath, ['-e', code], { graceMs: 200 })))
      for (const { readable } of servers) await readable.getReader().read()
      console.log(JSON.stringify(servers.map(({ pid }) => pid)))
      if (own === 'exits') process.exit(7)
      if (own === 'throws') setTimeout(() => { throw new Error('expected by the test') })`
    parent = await bundle({ code }, join(folder, 'parent.mjs'))
  })

  async function run(own: string, act: (child: ChildProcess) => void): Promise<(number | string | null)[]> {
    const child = spawn(process.execPath, [parent, own], { stdio: ['ignore', 'pipe', 'ignore'] })
    const ended = new Promise<number | string | null>((resolve) =>
      child.once('exit', (code, signal) => resolve(signal ?? code)),
    )
    const pids = await new Promise<number[]>((resolve) =>
      child.stdout?.once('data', (text) => resolve(JSON.parse(text))),
    )
    expect(pids.length).toBe(2)
    act(child)
    const how = await ended
    await expect.poll(() => pids.filter(isAlive), { timeout: 5000 }).toEqual([])
    return [how]
  }

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('%s', async (signal) => {
    expect(await run('', (child) => child.kill(signal))).toEqual([signal])
  })

  it('where the parent listens itself, its end is its own affair', async () => {
    expect(await run('listens', (child) => child.kill('SIGTERM'))).toEqual([9])
  })

  it('exit, and an error nobody catches', async () => {
    expect(await run('exits', () => {})).toEqual([7])
    expect(await run('throws', () => {})).toEqual([1])
  })
})
