/**
 * Children end with their parent: with its exit, and with a signal that would end it.
 * @module
 */

import process from 'node:process'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** What must not outlive this process. */
export interface Dependent {
  /** Hands a signal on. Resolves when it has ended. */
  endWith(signal: NodeJS.Signals): Promise<unknown>
  /** Ends it at once: there is no time for more. */
  kill(): void
}

/** Of this process, as its signals are: one listener each, however many children there are, and none without. */
const dependents = new Set<Dependent>()

const onExit = (): void => {
  for (const dependent of dependents) dependent.kill()
}

async function onSignal(signal: NodeJS.Signals): Promise<void> {
  await Promise.all([...dependents].map((dependent) => dependent.endWith(signal)))
  // Our listener has kept the process alive so far. Where somebody else listens too, the rest is theirs to do.
  if (process.listenerCount(signal) === 0) process.kill(process.pid, signal)
}

/** @returns what to call when it has ended */
export function endWithParent(dependent: Dependent): () => void {
  if (dependents.size === 0) {
    process.on('exit', onExit)
    for (const signal of SIGNALS) process.on(signal, onSignal)
  }
  dependents.add(dependent)
  return () => {
    if (!dependents.delete(dependent) || dependents.size > 0) return
    process.off('exit', onExit)
    for (const signal of SIGNALS) process.off(signal, onSignal)
  }
}
