/**
 * What can be taken back.
 * @module
 */

/** Older runtimes have no such symbol of their own; what is compiled for them looks for this one. */
const DISPOSE: symbol = Symbol.dispose ?? Symbol.for('Symbol.dispose')

/** Runs `undo` once. */
export function disposable(undo: () => void): Disposable {
  let isDone = false
  return {
    [DISPOSE]() {
      if (isDone) return
      isDone = true
      undo()
    },
  } as unknown as Disposable
}
