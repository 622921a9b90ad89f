/**
 * How a child process ends: with its input, then asked, then by force.
 * @module
 */

import type { ChildProcess } from 'node:child_process'
import { type Dependent, endWithParent } from './parent.ts'

/** How a process ended: by its code, or by a signal. */
export interface Exit {
  readonly code: number | null
  readonly signal: string | null
}

/** Owns the end of one child: every path leads here, and nothing is left behind. */
export class Ending implements Dependent {
  readonly exited: Promise<Exit>
  readonly #child: ChildProcess
  readonly #graceMs: number
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(child: ChildProcess, graceMs: number) {
    this.#child = child
    this.#graceMs = graceMs
    const release = endWithParent(this)
    this.exited = new Promise((resolve) => {
      const done = (code: number | null, signal: string | null): void => {
        clearTimeout(this.#timer)
        release()
        this.#closeOutput()
        resolve({ code, signal })
      }
      child.once('exit', done)
      // It never was: there is nothing to end.
      child.once('error', () => child.pid === undefined && done(null, null))
    })
  }

  /** Closes the child's input; a child that stays is asked, and then ended. */
  begin(): void {
    this.#child.stdin?.end()
    this.#after(() => this.#ask('SIGTERM'))
  }

  endWith(signal: NodeJS.Signals): Promise<Exit> {
    this.#ask(signal)
    this.#child.stdin?.end()
    return this.exited
  }

  kill(): void {
    this.#child.kill('SIGKILL')
  }

  #ask(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
    this.#after(() => this.kill())
  }

  /** Each step starts its wait anew; one that was begun before is over. */
  #after(next: () => void): void {
    clearTimeout(this.#timer)
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      this.#timer = setTimeout(next, this.#graceMs)
    }
  }

  /** What the child has started may hold its output open, and has nobody to talk to any more. */
  #closeOutput(): void {
    const { stdout } = this.#child
    if (stdout === null || stdout.closed) return
    const timer = setTimeout(() => stdout.destroy(), this.#graceMs)
    stdout.once('close', () => clearTimeout(timer))
  }
}
