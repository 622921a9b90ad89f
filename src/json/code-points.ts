/**
 * The order of names in the canonical form.
 * @module
 */

/** Code-point order. UTF-16 order differs only where surrogates (astral characters) meet U+E000 … U+FFFF. */
export function compareCodePoints(left: string, right: string): number {
  const length = Math.min(left.length, right.length)
  for (let index = 0; index < length; index++) {
    const a = left.charCodeAt(index)
    const b = right.charCodeAt(index)
    if (a !== b) {
      if (a < 0xd800 || b < 0xd800) return a - b
      return shiftSurrogate(a) - shiftSurrogate(b)
    }
  }
  return left.length - right.length
}

const shiftSurrogate = (unit: number): number => (unit >= 0xe000 ? unit - 0x800 : unit + 0x2000)
