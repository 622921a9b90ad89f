/**
 * The two resource URIs of the wire contract. They are matched as raw text: never parsed as URLs, never percent-decoded.
 * @module
 */

import { refuse, refuseArgument } from './errors.ts'
import { WIRE_LIMITS } from './limits.ts'
import type { Sha256Hex, ToolAlias } from './types.ts'

const PREFIX = 'openapi-schema://v1/'

/** The manifests' resource template. */
export const MANIFEST_URI_TEMPLATE = `${PREFIX}{alias}/{schema_sha256}/manifest`
/** The fragments' resource template. */
export const FRAGMENT_URI_TEMPLATE = `${PREFIX}{alias}/{schema_sha256}/fragments/{index}`

export const ALIAS = /^[A-Za-z][A-Za-z0-9_-]*$/
export const OPERATION = /^[A-Za-z][A-Za-z0-9_]*$/
export const SHA256 = /^[0-9a-f]{64}$/
export const MANIFEST_URI = /^openapi-schema:\/\/v1\/[A-Za-z][A-Za-z0-9_-]*\/[0-9a-f]{64}\/manifest$/
export const FRAGMENT_URI = /^openapi-schema:\/\/v1\/[A-Za-z][A-Za-z0-9_-]*\/[0-9a-f]{64}\/fragments\/\{index\}$/
// Wire contract: plain decimal, no sign, no leading zero
const INDEX = /^(?:0|[1-9][0-9]{0,3})$/
// One segment each; every quantifier is over a class that cannot match what follows it.
const URI = /^openapi-schema:\/\/v1\/([^/]{1,128})\/([^/]{64})\/(manifest|fragments\/([^/]+))$/

/** A manifest or fragment URI taken apart. The index is still text: `parseFragmentIndex` judges it. */
export type SchemaUri =
  | { readonly kind: 'manifest'; readonly alias: ToolAlias; readonly schemaSha256: Sha256Hex }
  | {
      readonly kind: 'fragment'
      readonly alias: ToolAlias
      readonly schemaSha256: Sha256Hex
      readonly indexText: string
    }

/**
 * The URI of a manifest.
 *
 * @throws {SchemaDisclosureError} `argument-invalid`: an alias or digest that is none
 *
 * @example
 * ```ts
 * manifestUri(manifest.alias, manifest.schema_sha256) === manifest.manifest_uri // true
 * ```
 */
export function manifestUri(alias: string, schemaSha256: string): string {
  return `${checkedBase(alias, schemaSha256)}/manifest`
}

/** What both URIs of a document begin with; nothing is checked. */
export const uriBase = (alias: string, schemaSha256: string): string => `${PREFIX}${alias}/${schemaSha256}`

function checkedBase(alias: string, schemaSha256: string): string {
  const areTexts = typeof alias === 'string' && typeof schemaSha256 === 'string'
  const base = areTexts ? uriBase(alias, schemaSha256) : ''
  if (parseSchemaUri(`${base}/manifest`) === undefined) refuseArgument('make URI', 'alias or digest', 'one')
  return base
}

/**
 * The URI of one fragment.
 *
 * @param index the number, or the literal `'{index}'` for the template a manifest carries
 * @throws {SchemaDisclosureError} `argument-invalid`: an alias or digest that is none; `fragment-index`
 *
 * @example
 * ```ts
 * fragmentUri(manifest.alias, manifest.schema_sha256, 0)
 * ```
 */
export function fragmentUri(alias: string, schemaSha256: string, index: number | '{index}'): string {
  if (index !== '{index}') parseFragmentIndex(typeof index === 'number' ? `${index}` : '', WIRE_LIMITS.fragments)
  return `${checkedBase(alias, schemaSha256)}/fragments/${index}`
}

/**
 * True where a URI claims to be one of ours, well-formed or not: then nobody else has to answer it.
 *
 * @example
 * ```ts
 * isSchemaUri('openapi-schema://v1/') // true
 * ```
 */
export const isSchemaUri = (uri: string): boolean => typeof uri === 'string' && uri.startsWith(PREFIX)

/**
 * Takes one of our URIs apart, by its raw text. Gives `undefined` where it is not exactly one: other scheme or case, percent
 * escapes, query, fragment identifier, trailing slash, bad alias or digest.
 *
 * @example
 * ```ts
 * parseSchemaUri(manifest.manifest_uri) // { kind: 'manifest', alias, schemaSha256 }
 * ```
 */
export function parseSchemaUri(uri: string): SchemaUri | undefined {
  const match = typeof uri === 'string' ? URI.exec(uri) : null
  if (match === null) return undefined
  const [, aliasText, digestText, , indexText] = match as unknown as [
    string,
    string,
    string,
    string,
    string | undefined,
  ]
  if (!ALIAS.test(aliasText) || !SHA256.test(digestText)) return undefined
  const alias = aliasText as ToolAlias
  const schemaSha256 = digestText as Sha256Hex
  if (indexText === undefined) return { kind: 'manifest', alias, schemaSha256 }
  return { kind: 'fragment', alias, schemaSha256, indexText }
}

/**
 * A fragment index from its URI text: `0` or `[1-9][0-9]*`, below `fragmentCount`.
 *
 * @throws {SchemaDisclosureError} `fragment-index`
 *
 * @example
 * ```ts
 * parseFragmentIndex('7', 12) // 7
 * ```
 */
export function parseFragmentIndex(text: string, fragmentCount: number): number {
  const index = typeof text === 'string' && INDEX.test(text) ? Number(text) : Number.NaN
  const below = typeof fragmentCount === 'number' ? fragmentCount : 0
  if (index < Math.min(below, WIRE_LIMITS.fragments)) return index
  return refuse(
    'fragment-index',
    { expected: `decimal below ${below}` },
    `Cannot read fragment: index is not plain decimal below ${below}`,
  )
}
