/**
 * Values spelled as Python's `json.dumps` spells them by default: summaries show them so.
 * @module
 */

import { JsonNumber } from '../core/index.ts'
import { canonicalNumber, canonicalNumberToken } from '../json/number.ts'
import { isObject, type Ordered } from './ordered.ts'

/** `, ` and `: ` between, everything but printable ASCII escaped. The value's depth is bounded where it was read. */
export function pythonJson(value: Ordered): string {
  if (typeof value === 'string') return pythonString(value)
  if (typeof value === 'number') return canonicalNumber(value, () => '')
  if (value instanceof JsonNumber) return canonicalNumberToken(value.text)
  if (typeof value === 'boolean' || value === null) return String(value)
  if (isObject(value)) {
    return `{${[...value].map(([name, member]) => `${pythonString(name)}: ${pythonJson(member)}`).join(', ')}}`
  }
  return `[${(value as readonly Ordered[]).map(pythonJson).join(', ')}]`
}

function pythonString(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

const isPythonSpace = (char: string): boolean =>
  (char >= '\u001c' && char <= '\u001f') || char === '\u0085' || (/\s/.test(char) && char !== '\ufeff')

/** Without white space around, as Python's `str.strip` counts it: U+0085 and the separators U+001C … U+001F are, U+FEFF is not. */
export function pythonStrip(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isPythonSpace(text[start] as string)) start++
  while (end > start && isPythonSpace(text[end - 1] as string)) end--
  return text.slice(start, end)
}
