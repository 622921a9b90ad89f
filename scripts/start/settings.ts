/**
 * What the start script takes from the environment.
 * @module
 */
import { createProxy } from '../../worker/app.ts'
import { isSet, VARIABLES } from '../../worker/settings.ts'

/** The settings of one start. */
export interface StartSettings {
  readonly port: number
  readonly chartFile: string
  /** The user's own server; absent: the embedded one. */
  readonly upstream: URL | undefined
  /** What the walk-through sends as `Authorization`. */
  readonly authorization: string | undefined
  /** Names of the two tools the proxy lists. */
  readonly searchTool: string
  readonly callTool: string
  /** Goes to the Worker as its vars. */
  readonly workerVars: Readonly<Record<string, string>>
}

/** Reads the environment strictly: a setting that is there and wrong stops the start. */
export const readStartSettings = (env: Readonly<Record<string, string | undefined>>): StartSettings => {
  const names = Object.values(VARIABLES).map(([name]) => name)
  const workerVars = Object.fromEntries(
    names.flatMap((name) => (isSet(name, env[name]) ? [[name, env[name] as string] as const] : [])),
  )
  // The Worker would only say so at its first request.
  createProxy(workerVars, { upstream: 'http://127.0.0.1' })
  return {
    port: readPort(env.PORT || '8787'),
    chartFile: env.CHART_FILE || 'chart.svg',
    upstream: env.UPSTREAM_URL ? readUrl(env.UPSTREAM_URL) : undefined,
    authorization: env.AUTHORIZATION || undefined,
    searchTool: workerVars.SEARCH_TOOL?.trim() ?? 'search_tools',
    callTool: workerVars.CALL_TOOL?.trim() ?? 'call_tool',
    workerVars,
  }
}

const readPort = (text: string): number => {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (!(port <= 65_535)) throw new Error(`PORT is ${JSON.stringify(text)}, expected a number from 0 to 65535`)
  return port
}

const readUrl = (text: string): URL => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    throw new Error('UPSTREAM_URL is no http(s) URL, expected the MCP endpoint of your server')
  }
  return url
}
