/**
 * A transparent Streamable HTTP proxy that discloses schemas on demand.
 * @module
 */

export { ProxyError, type ProxyErrorCode, type ProxyErrorData } from './errors.ts'
export { createDisclosureProxy, type DisclosureProxy } from './proxy.ts'
export type { ProxySettings, Upstream } from './settings.ts'
export type { ByteDuplex } from './stdio/duplex.ts'
export { interposeStdio } from './stdio/interpose.ts'
export type { StdioSettings } from './stdio/settings.ts'
