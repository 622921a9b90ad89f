/**
 * One request of the client that is answered here: where it stands, and whether anybody still waits for it.
 * @module
 */

import type { RpcRequest } from '../classify.ts'
import { idKey } from './ids.ts'

/**
 * Its steps keep the order of lines: a step is whatever it writes, to either side, and its end. Who hands a line to it waits for the
 * next step before going on, so what that line leads to is written before what comes behind the line.
 */
export class Work {
  readonly request: RpcRequest
  readonly key: string
  readonly #stop = new AbortController()
  #waiting: (() => void)[] = []
  #hasEnded = false

  constructor(request: RpcRequest) {
    this.request = request
    this.key = idKey(request.id)
  }

  get isInitialize(): boolean {
    return this.request.method === 'initialize'
  }

  /** Fires when nobody waits for the answer any more. */
  get signal(): AbortSignal {
    return this.#stop.signal
  }

  cancel(): void {
    this.#stop.abort()
  }

  nextStep(): Promise<void> {
    return this.#hasEnded ? Promise.resolve() : new Promise((resolve) => void this.#waiting.push(resolve))
  }

  step(): void {
    for (const resolve of this.#waiting.splice(0)) resolve()
  }

  /** The last step. */
  end(): void {
    this.#hasEnded = true
    this.step()
  }
}
