/**
 * From the Worker's vars and secrets to the proxy's settings: strict, once.
 * @module
 */

import type { ProxySettings } from '../src/proxy/index.ts'

/** The Worker's environment: strings from `wrangler.toml` `[vars]` and secrets, and what else is bound. */
export type Env = Readonly<Record<string, unknown>>

/** A var that is not what it should be. Its value is never part of the message: it may be a secret. */
export class WorkerSettingError extends Error {
  override readonly name = 'WorkerSettingError'
  /** Name of the var. */
  readonly variable: string

  constructor(variable: string, expected: string) {
    super(`Cannot start Worker: ${variable} is not valid, expected ${expected}`)
    this.variable = variable
  }
}

type Read = (value: string, variable: string) => unknown

const text: Read = (value) => value.trim()

const integer: Read = (value, variable) => {
  if (!/^\d{1,12}$/.test(value.trim())) throw new WorkerSettingError(variable, 'a whole number')
  return Number(value)
}

const flag: Read = (value, variable) => {
  const word = value.trim()
  if (word !== 'true' && word !== 'false') throw new WorkerSettingError(variable, 'true or false')
  return word === 'true'
}

/** Parts between commas. Commas alone are no list: it would switch off what a default keeps. */
const list: Read = (value, variable) => {
  const parts = value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
  if (parts.length === 0) throw new WorkerSettingError(variable, 'names with commas between')
  return parts
}

/** A JSON object of strings. */
const texts: Read = (value, variable) => {
  try {
    const parsed: unknown = JSON.parse(value)
    const entries =
      typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? Object.entries(parsed) : []
    if (entries.length > 0 && entries.every(([, member]) => typeof member === 'string'))
      return Object.fromEntries(entries)
  } catch {
    // Falls through to the refusal, which shows nothing of the value.
  }
  throw new WorkerSettingError(variable, 'a JSON object of texts')
}

/** A validator is code, which no var can hold. */
const guard: Read = (value, variable) => {
  if (value.trim() === 'arguments')
    throw new WorkerSettingError(variable, 'catalog or none: arguments needs a validator')
  return value.trim()
}

/** Every setting of the proxy by its path, the var that sets it and how that is read. What a value may be, the proxy says. */
export const VARIABLES: Readonly<Record<string, readonly [variable: string, read: Read]>> = {
  upstream: ['UPSTREAM_URL', text],
  allowCleartext: ['ALLOW_CLEARTEXT', flag],
  forwardHeaders: ['FORWARD_HEADERS', list],
  upstreamHeaders: ['UPSTREAM_HEADERS', texts],
  pin: ['PIN', list],
  searchTool: ['SEARCH_TOOL', text],
  readTool: ['READ_TOOL', text],
  callTool: ['CALL_TOOL', text],
  'limits.maxPages': ['MAX_PAGES', integer],
  'limits.maxTools': ['MAX_TOOLS', integer],
  'limits.maxSchemaBytes': ['MAX_SCHEMA_BYTES', integer],
  'limits.maxEntryBytes': ['MAX_ENTRY_BYTES', integer],
  'limits.maxTotalBytes': ['MAX_TOTAL_BYTES', integer],
  'limits.timeoutMs': ['LISTING_TIMEOUT_MS', integer],
  guard: ['GUARD', guard],
  readWindowMs: ['READ_WINDOW_MS', integer],
  sourceDigests: ['SOURCE_DIGESTS', texts],
  allowedOrigins: ['ALLOWED_ORIGINS', list],
  allowedHosts: ['ALLOWED_HOSTS', list],
  publicUrl: ['PUBLIC_URL', text],
  extensionId: ['EXTENSION_ID', text],
  instructions: ['INSTRUCTIONS', (value) => value],
  maxRequestBytes: ['MAX_REQUEST_BYTES', integer],
  timeoutMs: ['TIMEOUT_MS', integer],
}

/** Vars whose empty text says something: no instructions, no reading tool. Everywhere else a blank one stands for an absent var. */
const MAY_BE_EMPTY = ['INSTRUCTIONS', 'READ_TOOL']

export const isSet = (variable: string, value: unknown): boolean =>
  value !== undefined && (MAY_BE_EMPTY.includes(variable) || typeof value !== 'string' || value.trim() !== '')

/**
 * The settings in `env`: those that are set, and no others.
 *
 * @throws {WorkerSettingError} names the var
 */
export function readSettings(env: Env): Partial<ProxySettings> {
  const settings: { [name: string]: unknown } = {}
  const limits: { [name: string]: unknown } = {}
  for (const [path, [variable, read]] of Object.entries(VARIABLES)) {
    const value = Object.hasOwn(env, variable) ? env[variable] : undefined
    if (!isSet(variable, value)) continue
    if (typeof value !== 'string') throw new WorkerSettingError(variable, 'a string')
    const [group, limit] = path.split('.') as [string, string | undefined]
    if (limit === undefined) settings[group] = read(value, variable)
    else limits[limit] = read(value, variable)
  }
  return (Object.keys(limits).length > 0 ? { ...settings, limits } : settings) as Partial<ProxySettings>
}
