#!/usr/bin/env node
/**
 * What a desktop client starts in place of a stdio server: it starts that server and stands in front of it. See docs/stdio.md.
 * JavaScript, so that every Node that the package supports runs it as it is.
 *
 *     node stdio-front.mjs [--pin NAME]… [--guard none] [--read-tool NAME] -- command [argument]…
 */

import { constants } from 'node:os'
import { parseArgs } from 'node:util'
import { interposeStdio } from 'mcp-schema-disclosure/proxy'
import { spawnStdio, stdioOfProcess } from 'mcp-schema-disclosure/stdio'

const options = { pin: { type: 'string', multiple: true }, guard: { type: 'string' }, 'read-tool': { type: 'string' } }

// Stdout is the client's: whatever a person should read goes to stderr.
const say = (text) => process.stderr.write(`stdio-front: ${text}\n`)

try {
  const words = process.argv.slice(2)
  const end = words.indexOf('--')
  const { pin, guard, 'read-tool': readTool } = parseArgs({ args: words.slice(0, Math.max(end, 0)), options }).values
  const [command, ...args] = words.slice(end + 1)
  if (command === undefined || (end === -1 && command.startsWith('-')))
    throw new Error('usage: stdio-front.mjs [settings] -- command [argument]…')

  const server = await spawnStdio(command, args)
  const report = ({ message, data }) => say(data.line === undefined ? message : `${message}: ${data.line}`)
  await interposeStdio(stdioOfProcess(), server, { pin, guard, readTool, report }).finally(server.end)
  const { code, signal } = await server.exited
  process.exitCode = code ?? 128 + constants.signals[signal]
} catch (error) {
  say(error.message)
  process.exitCode = 1
}
