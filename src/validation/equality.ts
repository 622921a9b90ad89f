/**
 * Equality of JSON values by key: equal values, and only they, have one key. One look-up then stands for all comparisons.
 * @module
 */

import { isNumeric, numberKey } from './decimal.ts'

/**
 * The key of a JSON value.
 *
 * @param spend told of the characters written, before more are
 */
export function valueKey(value: unknown, spend: (characters: number) => void): string {
  const parts: string[] = []
  const write = (part: string): void => {
    spend(part.length)
    parts.push(part)
  }
  const visit = (item: unknown): void => {
    if (isNumeric(item)) write(numberKey(item))
    else if (Array.isArray(item)) {
      write('[')
      for (const member of item) {
        visit(member)
        write(',')
      }
      write(']')
    } else if (typeof item === 'object' && item !== null) {
      write('{')
      for (const name of Object.keys(item).sort()) {
        write(`${JSON.stringify(name)}:`)
        visit((item as Record<string, unknown>)[name])
        write(',')
      }
      write('}')
    } else write(JSON.stringify(item))
  }
  visit(value)
  return parts.join('')
}
