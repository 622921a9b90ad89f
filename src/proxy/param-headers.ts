/**
 * `x-mcp-header`: arguments that a tool wants mirrored in headers of the modern era. REQ-P-09, REQ-P-11.
 * @module
 */

import { JsonError, JsonNumber, parseJsonText } from '../json/index.ts'
import type { ListedTool } from '../listing/index.ts'
import { textOf } from './bytes.ts'
import { readMembers } from './members.ts'
import { encodeHeaderValue } from './mirrors.ts'

const KEYWORD = 'x-mcp-header'
/** The keyword, or any way to spell one of its characters otherwise: without it nothing has to be parsed. */
const MAY_DECLARE = /x-mcp-header|\\u/
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const TYPES: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean'])
/** Keywords whose members are schemas by name. */
const MAPS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'dependentSchemas',
  '$defs',
  'definitions',
])
/** Keywords that hold a schema or a list of them. */
const SCHEMAS: ReadonlySet<string> = new Set([
  'items',
  'prefixItems',
  'contains',
  'additionalProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
  'propertyNames',
  'oneOf',
  'anyOf',
  'allOf',
  'not',
  'if',
  'then',
  'else',
])

/** One argument that is mirrored. */
export interface MirroredParam {
  readonly header: string
  /** Names that lead to it, from the arguments on. */
  readonly path: readonly string[]
}

type Names = { readonly [name: string]: unknown }
const isNames = (value: unknown): value is Names =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber)

/**
 * What a tool wants mirrored, undefined where its declarations break the rules: then a client of the modern era has no such tool.
 * A declaration is a token no other one of the tool is, in any case, on a string, integer or boolean, and nothing but
 * `properties` leads to it.
 */
export function mirroredParams(tool: ListedTool): readonly MirroredParam[] | undefined {
  try {
    const place = readMembers(tool.json).members.get('inputSchema')
    if (place === undefined || !MAY_DECLARE.test(textOf(tool.json, place))) return []
    return declarations(parseJsonText(tool.json.subarray(place.start, place.end)))
  } catch (error) {
    // A tool that cannot be read declares nothing; it is left out for that.
    if (JsonError.is(error)) return []
    throw error
  }
}

/** REQ-P-11: the tools a client of the request's era has. */
export const usable = (tools: readonly ListedTool[], isModern: boolean): readonly ListedTool[] =>
  isModern ? tools.filter((tool) => mirroredParams(tool) !== undefined) : tools

interface Place {
  readonly schema: unknown
  /** Undefined where something else than `properties` leads here. */
  readonly path: readonly string[] | undefined
}

function declarations(root: unknown): readonly MirroredParam[] | undefined {
  const found: MirroredParam[] = []
  const known = new Set<string>()
  const open: Place[] = [{ schema: root, path: [] }]
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const { schema, path } = place
    if (!isNames(schema)) continue
    if (Object.hasOwn(schema, KEYWORD)) {
      const token = schema[KEYWORD]
      if (path === undefined || path.length === 0 || typeof token !== 'string' || !TOKEN.test(token)) return undefined
      const header = `mcp-param-${token.toLowerCase()}`
      if (!TYPES.has(schema.type) || known.has(header)) return undefined
      known.add(header)
      found.push({ header, path })
    }
    for (const [keyword, value] of Object.entries(schema)) {
      if (MAPS.has(keyword) && isNames(value)) {
        for (const [name, child] of Object.entries(value)) {
          open.push({ schema: child, path: keyword === 'properties' && path ? [...path, name] : undefined })
        }
      } else if (SCHEMAS.has(keyword)) {
        for (const child of Array.isArray(value) ? value : [value]) open.push({ schema: child, path: undefined })
      }
    }
  }
  return found
}

/** The headers for a call's arguments, given as JSON. What is null, absent or no string, boolean or exact number has none. */
export function paramHeaders(
  params: readonly MirroredParam[],
  args: Uint8Array,
): readonly (readonly [string, string])[] {
  if (params.length === 0) return []
  const root = parseJsonText(args)
  return params.flatMap(({ header, path }) => {
    let value: unknown = root
    for (const name of path) value = isNames(value) && Object.hasOwn(value, name) ? value[name] : undefined
    const text = spelled(value)
    return text === undefined ? [] : [[header, encodeHeaderValue(text)] as const]
  })
}

function spelled(value: unknown): string | undefined {
  if (typeof value === 'string' || typeof value === 'boolean') return String(value)
  if (typeof value !== 'number' && !(value instanceof JsonNumber)) return undefined
  const number = Number(value instanceof JsonNumber ? value.text : value)
  return Number.isSafeInteger(number) || (Number.isFinite(number) && !Number.isInteger(number))
    ? String(number)
    : undefined
}
