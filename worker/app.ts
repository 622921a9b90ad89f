/**
 * The Worker's routes.
 * @module
 */

import { Hono } from 'hono'
// From where they stand: a bundler takes along what an index would load when it is asked to.
import { ProxyError } from '../src/proxy/errors.ts'
import { createDisclosureProxy, type DisclosureProxy } from '../src/proxy/proxy.ts'
import type { ProxySettings } from '../src/proxy/settings.ts'
import { type Env, readSettings, VARIABLES, WorkerSettingError } from './settings.ts'

/** Of the resource itself, and of any at this origin: the proxy answers where `PUBLIC_URL` is set. */
const METADATA = ['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/*']

/**
 * `/mcp` is the proxy, `/healthz` says whether the settings are valid. Settings are read once per isolate; a bad one makes every
 * answer a 500 whose log names the var.
 *
 * @param defaults settings below those of the environment
 */
export function createApp(defaults: Partial<ProxySettings> = {}): Hono<{ Bindings: Env }> {
  let proxy: DisclosureProxy | undefined
  const proxyOf = (env: Env): DisclosureProxy => {
    proxy ??= createProxy(env, defaults)
    return proxy
  }
  const app = new Hono<{ Bindings: Env }>()
  app.all('/mcp', (context) => proxyOf(context.env).fetch(context.req.raw))
  app.on(['GET', 'OPTIONS'], METADATA, (context) => proxyOf(context.env).fetch(context.req.raw))
  app.get('/healthz', (context) => {
    proxyOf(context.env)
    return context.text('ok\n')
  })
  app.get('/', (context) => {
    proxyOf(context.env)
    return context.text('mcp-schema-disclosure: the MCP endpoint is /mcp\n')
  })
  app.onError((error, context) => {
    // Only messages made here are logged: others could hold what a caller or an upstream sent.
    console.error(error instanceof WorkerSettingError ? error.message : `Unexpected ${error.name}`)
    return context.text('Internal Server Error\n', 500)
  })
  return app
}

/**
 * The proxy that an environment describes.
 *
 * @param defaults settings below those of the environment
 * @throws {WorkerSettingError} names the var
 */
export function createProxy(env: Env, defaults: Partial<ProxySettings> = {}): DisclosureProxy {
  const given = readSettings(env)
  const limits = { ...defaults.limits, ...given.limits }
  const { upstream, ...settings } = { ...defaults, ...given, limits }
  if (upstream === undefined) throw new WorkerSettingError('UPSTREAM_URL', 'the URL of an MCP endpoint')
  try {
    return createDisclosureProxy({ ...settings, upstream })
  } catch (error) {
    if (!ProxyError.is(error)) throw error
    const setting = error.data.setting ?? ''
    // A path may lead into a list: `pin.0`.
    const [variable = setting] = VARIABLES[setting] ?? VARIABLES[setting.split('.')[0] ?? ''] ?? []
    throw new WorkerSettingError(variable, error.data.expected ?? 'another value')
  }
}
