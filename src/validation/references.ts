/**
 * Identifiers, anchors and references: all inside the document, nothing is ever fetched.
 * @module
 */

import { type CopiedObject, isObject } from './copy.ts'
import type { Resource } from './nodes.ts'
import { type Path, pointerTokens } from './path.ts'

/** The identifier of a document that has none. No real one has this scheme. */
export const NAMELESS = 'nameless-schema:///'

/** An identifier or reference split at its fragment; undefined where it is no URI reference. */
export function resolveUri(
  reference: string,
  base: string,
): { readonly uri: string; readonly fragment: string } | undefined {
  // Most references are of this kind, and need no URI of their own.
  const url = reference.startsWith('#') ? { href: base, hash: reference } : parseUrl(reference, base)
  if (url === undefined) return undefined
  const fragment = decoded(url.hash.slice(1))
  const at = url.href.indexOf('#')
  return fragment === undefined ? undefined : { uri: at === -1 ? url.href : url.href.slice(0, at), fragment }
}

/** Identifiers inside one another add up, so each is bounded. */
const MAX_URI = 2048

function parseUrl(reference: string, base: string): URL | undefined {
  if (reference.length + base.length > MAX_URI) return undefined
  try {
    return new URL(reference, base)
  } catch {
    return undefined
  }
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** Where a JSON Pointer leads inside a resource. */
export interface Place {
  readonly raw: CopiedObject | boolean
  readonly path: Path | undefined
  /** The innermost resource passed through. */
  readonly resource: Resource
}

/** Follows a pointer from a resource's root to a schema; undefined where nothing or no schema is there. */
export function followPointer(
  resource: Resource,
  pointer: string,
  resourceOf: (raw: CopiedObject) => Resource | undefined,
): Place | undefined {
  const tokens = pointerTokens(pointer)
  if (tokens === undefined) return undefined
  let raw: unknown = resource.root.raw
  let path = resource.root.path
  let inside = resource
  for (const token of tokens) {
    if (Array.isArray(raw)) {
      if (!/^(?:0|[1-9]\d{0,8})$/.test(token)) return undefined
      raw = raw[Number(token)]
    } else {
      raw = isObject(raw as CopiedObject) ? (raw as CopiedObject)[token] : undefined
    }
    path = { parent: path, token }
    if (isObject(raw as CopiedObject)) inside = resourceOf(raw as CopiedObject) ?? inside
  }
  return typeof raw === 'boolean' || isObject(raw as CopiedObject)
    ? { raw: raw as CopiedObject | boolean, path, resource: inside }
    : undefined
}
