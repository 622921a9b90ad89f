/**
 * Places in a document, spelled out only when someone asks.
 * @module
 */

/** A place as a chain of tokens from the root; `undefined` is the root. */
export interface Path {
  readonly parent: Path | undefined
  readonly token: string | number
}

/** The JSON Pointer (RFC 6901) of a place. */
export function pointerOf(path: Path | undefined): string {
  const tokens: string[] = []
  for (let at = path; at !== undefined; at = at.parent) {
    tokens.push(`/${String(at.token).replaceAll('~', '~0').replaceAll('/', '~1')}`)
  }
  return tokens.reverse().join('')
}

/** The tokens of a JSON Pointer, or undefined where it is none. */
export function pointerTokens(pointer: string): string[] | undefined {
  if (pointer === '') return []
  if (!pointer.startsWith('/') || /~(?![01])/.test(pointer)) return undefined
  return pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}
