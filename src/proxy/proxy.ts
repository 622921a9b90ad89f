/**
 * The interposer over HTTP: one exchange in, answered, forwarded or rewritten out as the table of exchanges says.
 * @module
 */

import { CatalogMemory } from './catalog.ts'
import { Exchange } from './exchange.ts'
import { isAllowed, preflight, withCors } from './origin.ts'
import { withOwnMetadata } from './protected-resource.ts'
import { completeSettings, type ProxySettings } from './settings.ts'
import { handle } from './table.ts'

/** A proxy: anything that takes a `Request` can serve it. */
export interface DisclosureProxy<Context = void> {
  /** Answers one HTTP request of an MCP client. Never rejects but when the client itself has gone. */
  fetch(request: Request, context: Context): Promise<Response>
}

/**
 * A transparent proxy in front of an MCP server over Streamable HTTP. The client sees a short tool list, searches and reads
 * schemas on demand, and calls through it; everything else passes byte for byte. No session, no credential, no state of its own.
 *
 * @throws {ProxyError} `settings`
 *
 * @example
 * ```ts
 * const proxy = createDisclosureProxy({ upstream: 'https://mcp.example.com/mcp', forwardHeaders: ['authorization'] })
 * export default { fetch: (request: Request) => proxy.fetch(request) }
 * ```
 */
export function createDisclosureProxy<Context = void>(settings: ProxySettings<Context>): DisclosureProxy<Context> {
  const complete = completeSettings(settings)
  const memory = new CatalogMemory(complete.sourceDigests)
  return {
    async fetch(request, context) {
      const exchange = new Exchange(request, context, complete)
      if (!isAllowed(request, complete)) {
        return new Response('Forbidden: this origin or host is not allowed', { status: 403 })
      }
      const answer =
        request.method === 'OPTIONS' ? preflight(request, complete) : await handle(exchange as Exchange, memory)
      return withCors(withOwnMetadata(answer, complete), request)
    },
  }
}
