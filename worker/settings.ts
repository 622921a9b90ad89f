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

/** Which setting of the proxy a var sets; the name a setting error is reported under. */
export const VARIABLES: Readonly<Record<string, string>> = {
  upstream: 'UPSTREAM_URL',
  forwardHeaders: 'FORWARD_HEADERS',
  upstreamHeaders: 'UPSTREAM_HEADERS',
  pin: 'PIN',
  searchTool: 'SEARCH_TOOL',
  callTool: 'CALL_TOOL',
  'limits.maxPages': 'MAX_PAGES',
  'limits.maxTools': 'MAX_TOOLS',
  guard: 'GUARD',
  readWindowMs: 'READ_WINDOW_MS',
  allowedOrigins: 'ALLOWED_ORIGINS',
  allowedHosts: 'ALLOWED_HOSTS',
  extensionId: 'EXTENSION_ID',
  instructions: 'INSTRUCTIONS',
  maxRequestBytes: 'MAX_REQUEST_BYTES',
  timeoutMs: 'TIMEOUT_MS',
}

/**
 * The settings in `env`. An absent or empty var means the proxy's default; `INSTRUCTIONS` may be empty for none.
 *
 * @throws {WorkerSettingError} names the var
 */
export function readSettings(env: Env): Omit<ProxySettings, 'upstream'> & { readonly upstream: string | undefined } {
  const upstream = text(env, 'UPSTREAM_URL')
  const guard = text(env, 'GUARD')
  if (guard !== undefined && guard !== 'catalog' && guard !== 'none')
    throw new WorkerSettingError('GUARD', 'catalog or none')
  return {
    upstream,
    forwardHeaders: list(env, 'FORWARD_HEADERS'),
    upstreamHeaders: headers(env, 'UPSTREAM_HEADERS'),
    pin: list(env, 'PIN'),
    searchTool: text(env, 'SEARCH_TOOL'),
    callTool: text(env, 'CALL_TOOL'),
    limits: { maxPages: integer(env, 'MAX_PAGES'), maxTools: integer(env, 'MAX_TOOLS') },
    guard,
    readWindowMs: integer(env, 'READ_WINDOW_MS'),
    allowedOrigins: list(env, 'ALLOWED_ORIGINS'),
    allowedHosts: list(env, 'ALLOWED_HOSTS'),
    extensionId: text(env, 'EXTENSION_ID'),
    instructions: string(env, 'INSTRUCTIONS'),
    maxRequestBytes: integer(env, 'MAX_REQUEST_BYTES'),
    timeoutMs: integer(env, 'TIMEOUT_MS'),
  }
}

function string(env: Env, name: string): string | undefined {
  const value = Object.hasOwn(env, name) ? env[name] : undefined
  if (value === undefined || typeof value === 'string') return value
  throw new WorkerSettingError(name, 'a string')
}

const text = (env: Env, name: string): string | undefined => string(env, name)?.trim() || undefined

function integer(env: Env, name: string): number | undefined {
  const value = text(env, name)
  if (value === undefined) return undefined
  if (!/^\d{1,12}$/.test(value)) throw new WorkerSettingError(name, 'a whole number')
  return Number(value)
}

/** Parts between commas. */
const list = (env: Env, name: string): string[] | undefined =>
  text(env, name)
    ?.split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')

/** A JSON object of strings: set it as a secret. */
function headers(env: Env, name: string): Record<string, string> | undefined {
  const value = text(env, name)
  if (value === undefined) return undefined
  try {
    const parsed: unknown = JSON.parse(value)
    const entries =
      typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? Object.entries(parsed) : []
    if (entries.length > 0 && entries.every(([, member]) => typeof member === 'string'))
      return Object.fromEntries(entries)
  } catch {
    // Falls through to the refusal, which shows nothing of the value.
  }
  throw new WorkerSettingError(name, 'a JSON object of header names and values')
}
