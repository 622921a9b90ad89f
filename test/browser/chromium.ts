/**
 * A real Chromium, as npm brings it, without a window.
 * @module
 */

import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A running browser. */
export interface Browser {
  /** Ends it and takes its files away. */
  close(): Promise<void>
}

/** Where Chromium is: `CHROMIUM_PATH`, or unpacked into `folder` from the package. Undefined where the package has none for this machine. */
async function executable(folder: string): Promise<string | undefined> {
  const { CHROMIUM_PATH } = process.env
  if (CHROMIUM_PATH !== undefined && existsSync(CHROMIUM_PATH)) return CHROMIUM_PATH
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined
  // It unpacks to the temporary folder, and takes what is there for its own.
  process.env.TMPDIR = folder
  const { default: chromium } = await import('@sparticuz/chromium')
  return chromium.executablePath()
}

/** Opens one page. Undefined where there is no Chromium. */
export async function openPage(url: URL): Promise<Browser | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'disclosure-chromium-'))
  const path = await executable(folder)
  if (path === undefined) {
    rmSync(folder, { recursive: true, force: true })
    return undefined
  }
  const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run']
  const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-quic']
  const child = spawn(path, [...flags, ...quiet, `--user-data-dir=${join(folder, 'profile')}`, url.href], {
    stdio: 'ignore',
    // Its own group: Chromium is many processes.
    detached: true,
  })
  return {
    async close() {
      await ended(child)
      rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
    },
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null) return
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  process.kill(-child.pid, 'SIGKILL')
  await gone
}
