/**
 * The regular expression engine with linear time: loaded when first needed, because it is larger than all the rest.
 * @module
 */

/** A pattern in the engine. */
export interface LinearPattern {
  /** Instructions of the program; the slow way of matching takes this many steps a character. */
  readonly size: number
  /** Whether it matches anywhere, and what that took in steps; one million take some 50 ms at worst. */
  run(text: string): { readonly hit: boolean; readonly steps: number }
}

/** The loaded engine, from `loadPatternEngine()`. */
export interface PatternEngine {
  /** Compiles RE2 syntax; undefined where it is none, or too big. */
  compile(source: string, flags?: { readonly ignoreCase?: boolean }): LinearPattern | undefined
}

/** A step of the engine's table of states, which it prefers, against one of its slow way. */
export const TABLE_GAIN = 50

/** What is used of the engine's compiled pattern. */
interface Compiled {
  test(text: string): boolean
  programSize(): number
  reset(): void
  re2(): { readonly machinePool: readonly unknown[] }
}

/**
 * Loads the engine for patterns that could take exponential time elsewhere. Awaited once, it lets `compile` stay synchronous.
 *
 * @example
 * ```ts
 * const validator = jsonSchemaValidator({ patternEngine: await loadPatternEngine() })
 * ```
 */
export async function loadPatternEngine(): Promise<PatternEngine> {
  const { RE2JS } = await import('re2js')
  return {
    compile(source, { ignoreCase = false } = {}) {
      try {
        return linearPattern(RE2JS.compile(source, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0))
      } catch {
        return undefined
      }
    },
  }
}

function linearPattern(compiled: Compiled): LinearPattern {
  const size = compiled.programSize()
  return {
    size,
    run(text) {
      const hit = compiled.test(text)
      // The slow way leaves its machine in the pool: the only sign that the table of states was given up.
      const wasSlow = compiled.re2().machinePool.length > 0
      compiled.reset()
      return { hit, steps: (text.length * size) / (wasSlow ? 1 : TABLE_GAIN) }
    },
  }
}
