/**
 * Sets of code points.
 * @module
 */

/** First and last code point of each range, in order and without touching: `[0x30, 0x39]` is the digits. */
export type Ranges = readonly number[]

const LAST = 0x10ffff

export const ALL: Ranges = [0, LAST]
export const DIGITS: Ranges = [0x30, 0x39]
export const WORDS: Ranges = [0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a]
export const SPACES: Ranges = [
  0x09, 0x0d, 0x20, 0x20, 0xa0, 0xa0, 0x1680, 0x1680, 0x2000, 0x200a, 0x2028, 0x2029, 0x202f, 0x202f, 0x205f, 0x205f,
  0x3000, 0x3000, 0xfeff, 0xfeff,
]
/** What `.` does not match. */
export const LINE_ENDS: Ranges = [0x0a, 0x0a, 0x0d, 0x0d, 0x2028, 0x2029]

export function union(...sets: readonly Ranges[]): Ranges {
  const pairs: [number, number][] = []
  for (const set of sets)
    for (let at = 0; at < set.length; at += 2) pairs.push([set[at] as number, set[at + 1] as number])
  pairs.sort(([left], [right]) => left - right)
  const merged: number[] = []
  for (const [first, last] of pairs) {
    const end = merged.at(-1)
    if (end !== undefined && first <= end + 1) merged[merged.length - 1] = Math.max(end, last)
    else merged.push(first, last)
  }
  return merged
}

export function invert(set: Ranges): Ranges {
  const inverted: number[] = []
  let next = 0
  for (let at = 0; at < set.length; at += 2) {
    if ((set[at] as number) > next) inverted.push(next, (set[at] as number) - 1)
    next = (set[at + 1] as number) + 1
  }
  if (next <= LAST) inverted.push(next, LAST)
  return inverted
}

export function overlaps(left: Ranges, right: Ranges): boolean {
  let a = 0
  let b = 0
  while (a < left.length && b < right.length) {
    if ((left[a + 1] as number) < (right[b] as number)) a += 2
    else if ((right[b + 1] as number) < (left[a] as number)) b += 2
    else return true
  }
  return false
}
