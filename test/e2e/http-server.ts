/**
 * Starts `server-everything` on a free loopback port.
 * @module
 */

import { spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'

export const packageFile = (path: string): string =>
  fileURLToPath(new URL(`../../node_modules/${path}`, import.meta.url))

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

const READY_MS = 20_000

export async function startEverything(): Promise<{ url: URL; close(): Promise<void> }> {
  const port = await freePort()
  const script = packageFile('@modelcontextprotocol/server-everything/dist/index.js')
  const child = spawn(process.execPath, [script, 'streamableHttp'], {
    stdio: 'ignore',
    env: { ...process.env, PORT: String(port) },
  })
  const url = new URL(`http://127.0.0.1:${port}/mcp`)
  const until = Date.now() + READY_MS
  for (;;) {
    // Any HTTP answer means that it listens.
    if (
      await fetch(url, { method: 'OPTIONS' }).then(
        () => true,
        () => false,
      )
    )
      break
    if (Date.now() > until || child.exitCode !== null) throw new Error('server-everything did not start')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return {
    url,
    async close() {
      if (child.exitCode !== null) return
      const gone = new Promise((resolve) => child.once('exit', resolve))
      child.kill()
      await gone
    },
  }
}
