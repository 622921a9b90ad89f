/**
 * Whose memory was closed, and when: a listing that was asked for before opens none.
 * @module
 */

const MAX_CALLERS = 1024

/** Bounded. What is too much to remember of each is remembered of all. */
export class Closings {
  readonly #times = new Map<string, number>()
  /** When the last of those that are not remembered one by one was closed. */
  #floor = 0

  note(caller: string): void {
    this.#times.delete(caller)
    this.#times.set(caller, Date.now())
    for (const [oldest, time] of this.#times) {
      if (this.#times.size <= MAX_CALLERS) break
      this.#times.delete(oldest)
      this.#floor = time
    }
  }

  /** True where this caller's memory was closed at `time` or later, or may have been. */
  isClosedSince(caller: string, time: number): boolean {
    return Math.max(this.#times.get(caller) ?? 0, this.#floor) >= time
  }
}
