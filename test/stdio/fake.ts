/**
 * A client and a server in memory on both sides of the interposer, as raw lines.
 * @module
 */

import { type ByteDuplex, interposeStdio, type StdioSettings } from '../../src/proxy/index.ts'

/** Answers by method: the JSON text of a result, or what to write, made from the raw id. Undefined: no answer. */
export type Answers = Readonly<
  Record<string, string | ((id: string, line: string) => string | undefined | Promise<string | undefined>)>
>

export interface Wire {
  /** Lines the server has received. */
  readonly atServer: string[]
  /** Everything the client has received. */
  readonly atClient: string[]
  readonly done: Promise<'client' | 'server'>
  /** From the client. */
  write(text: string | Uint8Array): Promise<void>
  send(...lines: string[]): Promise<void>
  /** From the server, without being asked. */
  say(text: string | Uint8Array): Promise<void>
  /** The next line at the client that holds `text`. */
  until(text: string, side?: 'atClient' | 'atServer'): Promise<string>
  leave(): Promise<void>
  die(): Promise<void>
}

export const TOOL =
  '{"name":"get_user","description":"Fetch a user","inputSchema":{"type":"object","properties":{"id":{"type":"integer","maximum":18446744073709551615,"default":1.0}}}}'
export const LIST = `{"tools":[${TOOL}],"x-kept":1.0}`
export const INIT =
  '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"fake","version":"1.0"}}'
export const INITIALIZE =
  '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}'

export const result = (id: string, text: string): string => `{"jsonrpc":"2.0","id":${id},"result":${text}}`
export const call = (id: string | number, name: string, args: string): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${name}","arguments":${args}}}`
export const list = (id: string | number): string => `{"jsonrpc":"2.0","id":${id},"method":"tools/list"}`

const RAW_ID = /"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?[0-9.eE+-]+)/
const WAIT_MS = 5000
const encoder = new TextEncoder()

function lineReader(readable: ReadableStream<Uint8Array>, each: (line: string) => void): Promise<void> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let rest = ''
  return readable.pipeTo(
    new WritableStream({
      write(chunk) {
        const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
        rest = lines.pop() as string
        for (const line of lines) each(line)
      },
    }),
  )
}

export function wire(answers: Answers = {}, settings: StdioSettings = {}): Wire {
  const streams = () => new TransformStream<Uint8Array, Uint8Array>(undefined, undefined, { highWaterMark: 1 << 20 })
  const [up, down, toServer, fromServer] = [streams(), streams(), streams(), streams()]
  const client: ByteDuplex = { readable: up.readable, writable: down.writable }
  const server: ByteDuplex = { readable: fromServer.readable, writable: toServer.writable }
  const clientOut = up.writable.getWriter()
  const serverOut = fromServer.writable.getWriter()
  clientOut.closed.catch(() => {})
  serverOut.closed.catch(() => {})
  const seen = { atServer: [] as string[], atClient: [] as string[] }
  const waiting = new Set<() => void>()
  const note = (side: 'atServer' | 'atClient', line: string): void => {
    seen[side].push(line)
    for (const check of waiting) check()
  }
  const say = (text: string | Uint8Array) =>
    serverOut.write(typeof text === 'string' ? encoder.encode(text) : text).catch(() => {})
  lineReader(toServer.readable, (line) => {
    note('atServer', line)
    const method = /"method"\s*:\s*"([^"]*)"/.exec(line)?.[1]
    const id = RAW_ID.exec(line)?.[1]
    if (method === undefined || id === undefined) return
    const answer = answers[method] ?? { initialize: INIT, 'tools/list': LIST }[method]
    if (typeof answer === 'string') return void say(`${result(id, answer)}\n`)
    if (answer === undefined)
      return void say(`{"jsonrpc":"2.0","id":${id},"error":{"code":-32601,"message":"Method not found"}}\n`)
    void Promise.resolve(answer(id, line)).then((text) => (text === undefined ? undefined : say(`${text}\n`)))
  }).then(
    () => serverOut.close().catch(() => {}),
    () => serverOut.close().catch(() => {}),
  )
  lineReader(down.readable, (line) => note('atClient', line)).catch(() => {})
  const write = async (text: string | Uint8Array): Promise<void> =>
    clientOut.write(typeof text === 'string' ? encoder.encode(text) : text)
  const done = interposeStdio(client, server, settings)
  done.catch(() => {})
  return {
    ...seen,
    done,
    write,
    say,
    send: (...lines) => write(lines.map((line) => `${line}\n`).join('')),
    until(text, side = 'atClient') {
      return new Promise((resolve, reject) => {
        const check = (): void => {
          const line = seen[side].find((line) => line.includes(text))
          if (line === undefined) return
          clearTimeout(timer)
          waiting.delete(check)
          resolve(line)
        }
        const timer = setTimeout(
          () => reject(new Error(`No ${text} ${side}: ${seen[side].join('\n').slice(0, 2000)}`)),
          WAIT_MS,
        )
        waiting.add(check)
        check()
      })
    },
    leave: () => clientOut.close().catch(() => {}),
    die: () => serverOut.close().catch(() => {}),
  }
}
