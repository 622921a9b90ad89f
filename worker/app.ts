/**
 * The Worker's routes.
 * @module
 */

import { Hono } from 'hono'
import { createDisclosureProxy, type DisclosureProxy, ProxyError, type ProxySettings } from '../src/proxy/index.ts'
import { type Env, readSettings, VARIABLES, WorkerSettingError } from './settings.ts'

/**
 * `/mcp` is the proxy, `/healthz` says whether the settings are valid. Settings are read once per isolate; a bad one makes every
 * answer a 500 whose log names the var.
 *
 * @param upstream used where `UPSTREAM_URL` is not set
 * @param defaults settings below those of the environment
 */
export function createApp(
  upstream?: ProxySettings['upstream'],
  defaults: Partial<ProxySettings> = {},
): Hono<{ Bindings: Env }> {
  let proxy: DisclosureProxy | undefined
  const proxyOf = (env: Env): DisclosureProxy => {
    proxy ??= makeProxy(env, upstream, defaults)
    return proxy
  }
  const app = new Hono<{ Bindings: Env }>()
  app.all('/mcp', (context) => proxyOf(context.env).fetch(context.req.raw))
  app.get('/healthz', (context) => {
    proxyOf(context.env)
    return context.text('ok\n')
  })
  app.get('/', (context) => context.text('mcp-schema-disclosure: the MCP endpoint is /mcp\n'))
  app.onError((error, context) => {
    // Only messages made here are logged: others could hold what a caller or an upstream sent.
    console.error(
      error instanceof WorkerSettingError || ProxyError.is(error) ? error.message : `Unexpected ${error.name}`,
    )
    return context.text('Internal Server Error\n', 500)
  })
  return app
}

function makeProxy(
  env: Env,
  fallback: ProxySettings['upstream'] | undefined,
  defaults: Partial<ProxySettings>,
): DisclosureProxy {
  const { upstream = fallback, ...settings } = readSettings(env)
  if (upstream === undefined) throw new WorkerSettingError('UPSTREAM_URL', 'the URL of an MCP endpoint')
  const given = Object.entries(settings).filter(([, value]) => value !== undefined)
  try {
    return createDisclosureProxy({ ...defaults, ...Object.fromEntries(given), upstream })
  } catch (error) {
    if (!ProxyError.is(error)) throw error
    const setting = error.data.setting ?? ''
    const name = VARIABLES[setting] ?? VARIABLES[setting.split('.')[0] ?? ''] ?? setting
    throw new WorkerSettingError(name, 'what the documentation of the setting says')
  }
}
