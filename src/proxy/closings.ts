/**
 * Whose memory was closed, and when: what was listed before is not used any more, and a listing that was asked for before is not kept.
 * @module
 */

import type { Caller } from './caller.ts'

const MAX_TIMES = 2048

/** Bounded. What is too much to remember of each is remembered of all. */
export class Closings {
  readonly #times = new Map<string, number>()
  /** When the last of those that are not remembered one by one was closed. */
  #floor = 0

  note({ key, session }: Caller): void {
    const now = Date.now()
    for (const name of session === undefined ? [key] : [key, session]) {
      this.#times.delete(name)
      this.#times.set(name, now)
    }
    for (const [oldest, time] of this.#times) {
      if (this.#times.size <= MAX_TIMES) break
      this.#times.delete(oldest)
      this.#floor = time
    }
  }

  /** True where this caller's memory was closed at `time` or later, or may have been. */
  isClosedSince({ key, session }: Caller, time: number): boolean {
    const ofSession = session === undefined ? 0 : (this.#times.get(session) ?? 0)
    return Math.max(this.#times.get(key) ?? 0, ofSession, this.#floor) >= time
  }
}
