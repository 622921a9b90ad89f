/**
 * Programs that tests start: bundled from sources, so that any Node runs them, and no build is needed first.
 * @module
 */

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('../..', import.meta.url))

export const packageFile = (path: string): string => `${root}node_modules/${path}`

/** @param source the path of a file in the repository, or code */
export async function bundle(source: string | { readonly code: string }, outfile: string): Promise<string> {
  await build({
    ...(typeof source === 'string'
      ? { entryPoints: [`${root}${source}`] }
      : { stdin: { contents: source.code, resolveDir: root } }),
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
    alias: {
      'mcp-schema-disclosure/proxy': `${root}src/proxy/index.ts`,
      'mcp-schema-disclosure/stdio': `${root}src/stdio/index.ts`,
    },
    // What some packages among them expect of Node.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    logLevel: 'error',
  })
  return outfile
}

/** Not so one that has ended and whose new parent, after its own has gone, has yet to notice. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return process.platform !== 'linux' || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

/** What keeps a process running whatever it is told, short of SIGKILL; says its pid. */
export const STUBBORN =
  "process.on('SIGTERM', () => {}); process.on('SIGINT', () => {}); process.on('SIGHUP', () => {}); process.stdin.resume(); setInterval(() => {}, 1000); console.log(process.pid)"
