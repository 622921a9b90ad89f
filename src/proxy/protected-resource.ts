/**
 * Row 28: the upstream's protected resource metadata (RFC 9728) under the proxy's own name, where `publicUrl` says what that is.
 * REQ-P-35.
 * @module
 */

import { JsonError } from '../json/index.ts'
import { asBody, discard, splice } from './bytes.ts'
import { ProxyError } from './errors.ts'
import type { Exchange } from './exchange.ts'
import { clientHeaders } from './headers.ts'
import { readMembers } from './members.ts'
import type { CommonSettings } from './settings.ts'
import { readWhole } from './transform.ts'

const WELL_KNOWN = '/.well-known/oauth-protected-resource'

/** Where the metadata of a resource stands: the well-known path, and behind it the resource's own. RFC 9728, section 3.1. */
const metadataPath = ({ pathname }: URL): string => WELL_KNOWN + (pathname === '/' ? '' : pathname)

/** True for requests for the metadata of a resource at this origin: they are nothing for an MCP endpoint. */
export function isMetadataRequest({ url }: Request): boolean {
  const { pathname } = new URL(url)
  return pathname === WELL_KNOWN || pathname.startsWith(`${WELL_KNOWN}/`)
}

/**
 * The upstream's metadata, from its own well-known places, with `resource` replaced: clients compare it with the URL they dialled.
 * Everything else stays byte for byte. Public: no credential goes along. 404 for other resources, and without a `publicUrl`.
 *
 * @throws {ProxyError} `malformed`, `too-large`, `timeout`, and those of the exchange
 */
export async function answerMetadata(exchange: Exchange): Promise<Response> {
  const { upstream, publicUrl, timeoutMs } = exchange.settings
  const asked = new URL(exchange.request.url).pathname
  const isOurs = publicUrl !== undefined && (asked === WELL_KNOWN || asked === metadataPath(publicUrl))
  if (exchange.request.method !== 'GET' || !isOurs) return new Response('Not Found', { status: 404 })
  const resource = upstream instanceof URL ? upstream : new URL(exchange.request.url)
  const path = upstream instanceof URL ? metadataPath(upstream) : resource.pathname
  const ask = (target: string) =>
    exchange.ask({
      method: 'GET',
      target,
      headers: (headers) => {
        for (const name of [...headers.keys()]) headers.delete(name)
        headers.set('accept', 'application/json')
      },
      timeoutMs,
    })
  let answer = await ask(path)
  if (answer.status === 404 && path !== WELL_KNOWN) {
    discard(answer.body)
    answer = await ask(WELL_KNOWN)
  }
  if (!answer.ok) return exchange.pass(answer)
  return new Response(asBody(withResource(await readWhole(exchange, answer), publicUrl)), {
    headers: clientHeaders(answer.headers, true),
  })
}

function withResource(bytes: Uint8Array, publicUrl: URL): Uint8Array {
  try {
    const place = readMembers(bytes).members.get('resource')
    if (place !== undefined) {
      return splice(bytes, [{ start: place.start, end: place.end, by: JSON.stringify(spelled(publicUrl)) }])
    }
  } catch (error) {
    if (!JsonError.is(error) && !(error instanceof TypeError)) throw error
  }
  throw new ProxyError('malformed', 'Cannot read resource metadata: not an object with a resource')
}

/** Without the slash that a URL without a path ends with. */
const spelled = ({ href, pathname }: URL): string => (pathname === '/' ? href.slice(0, -1) : href)

/** A text in quotes, which may hold anything, or the parameter. RFC 9110, section 11.2: white space around `=` is to be read. */
const METADATA_PARAM =
  /"(?:[^"\\]|\\.)*"|(?<![\w!#$%&'*+.^`|~-])resource_metadata[\t ]*=[\t ]*(?:"(?:[^"\\]|\\.)*"|[^\s,"]+)/gi

/** A challenge names the metadata under the proxy's own name: what stands at the upstream's names another resource. */
export function withOwnMetadata(response: Response, { publicUrl }: CommonSettings): Response {
  const challenge = response.headers.get('www-authenticate')
  if (publicUrl === undefined || challenge === null) return response
  const own = new URL(metadataPath(publicUrl), publicUrl).href
  const named = challenge.replaceAll(METADATA_PARAM, (found) =>
    found.startsWith('"') ? found : `resource_metadata="${own}"`,
  )
  response.headers.set('www-authenticate', named)
  return response
}
