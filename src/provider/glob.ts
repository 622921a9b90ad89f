/**
 * Names with stars.
 * @module
 */

/** Globs with `*`, matched in linear time: the parts between the stars in order. */
export function matchesGlob(name: string, glob: string): boolean {
  const parts = glob.split('*')
  const [first = '', ...others] = parts
  if (others.length === 0) return name === glob
  const last = others.pop() ?? ''
  if (!name.startsWith(first) || name.length < first.length + last.length || !name.endsWith(last)) return false
  const end = name.length - last.length
  let at = first.length
  for (const part of others) {
    const found = name.indexOf(part, at)
    if (found === -1 || found + part.length > end) return false
    at = found + part.length
  }
  return true
}
