/**
 * Puts a stdio MCP server behind Streamable HTTP as an upstream function: one POST is one line in, the answer is the line with
 * the same id. Raw lines, so that no byte changes. For tests: one client, no server-to-client requests.
 * @module
 */

import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'

export interface StdioUpstream {
  readonly fetch: (request: Request) => Promise<Response>
  /** Lines sent to the server. */
  readonly sent: readonly string[]
  close(): Promise<void>
}

const ANSWER_MS = 15_000

export function stdioUpstream(script: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): StdioUpstream {
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(process.execPath, [script, ...args], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { ...process.env, ...env },
  })
  const waiting = new Map<string, (line: string) => void>()
  const sent: string[] = []
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id } = JSON.parse(line) as { id?: unknown }
    waiting.get(JSON.stringify(id))?.(line)
  })
  return {
    sent,
    async fetch(request) {
      if (request.method !== 'POST') return new Response(null, { status: 405 })
      const body = await request.text()
      const { id, method } = JSON.parse(body) as { id?: unknown; method?: string }
      sent.push(body)
      child.stdin.write(`${body.replaceAll('\n', ' ')}\n`)
      if (id === undefined || method === undefined) return new Response(null, { status: 202 })
      const line = await new Promise<string>((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`no answer to ${method}`)), ANSWER_MS)
        waiting.set(JSON.stringify(id), (answer) => {
          clearTimeout(timer)
          waiting.delete(JSON.stringify(id))
          resolve(answer)
        })
      })
      return new Response(line, { headers: { 'content-type': 'application/json' } })
    },
    async close() {
      if (child.exitCode !== null) return
      const gone = new Promise((resolve) => child.once('exit', resolve))
      child.kill()
      await gone
    },
  }
}
