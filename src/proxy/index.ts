/**
 * A transparent Streamable HTTP proxy that discloses schemas on demand.
 * @module
 */

export { ProxyError, type ProxyErrorCode, type ProxyErrorData } from './errors.ts'
export { createDisclosureProxy, type DisclosureProxy } from './proxy.ts'
export type { ProxySettings, Upstream } from './settings.ts'
