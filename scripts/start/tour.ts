/**
 * What the start script shows: the cost of `tools/list` on both sides, then what a client does with it.
 * @module
 */
import { bytes, clean, plural, ratio, type Tell } from './print.ts'
import { CredentialsWanted, listCost, withSession } from './session.ts'
import type { StartSettings } from './settings.ts'
import { search, walk } from './walk.ts'

/** Shows the embedded server without and with disclosure, and walks to a chart on disk. */
export const tourEmbedded = async (proxy: URL, upstream: URL, settings: StartSettings, tell: Tell): Promise<void> => {
  const without = await withSession(upstream, undefined, listCost)
  tell('without it', `${upstream} (embedded MCP server, ${plural(without.tools, 'tool')})`)
  await withSession(proxy, undefined, async (session) => {
    tellCost(without.bytes, (await listCost(session)).bytes, tell)
    tell('', '')
    tell('A walk-through by the consumer, in one MCP client session:')
    await walk(session, settings, tell)
  })
}

/** Shows the user's own server. Lists and searches only: none of its tools is called. */
export const tourUpstream = async (proxy: URL, upstream: URL, settings: StartSettings, tell: Tell): Promise<void> => {
  // Without the query: keys travel in it.
  tell('without it', `${upstream.origin}${upstream.pathname}`)
  try {
    const without = await withSession(upstream, settings.authorization, listCost)
    await withSession(proxy, settings.authorization, async (session) => {
      tellCost(without.bytes, (await listCost(session)).bytes, tell)
      tell('', '')
      tell('A search by the consumer; no tool of your server is called:')
      await search(
        session,
        (without.names[0] ?? 'anything').replace(/[^\p{L}\p{N}]+/gu, ' '),
        settings.searchTool,
        tell,
      )
    })
  } catch (error) {
    if (error instanceof CredentialsWanted) {
      tell('credentials', "your server answers 401 without them. To pass your clients' own through, start with")
      tell('', 'FORWARD_HEADERS=authorization, and AUTHORIZATION="Bearer …" for the numbers here')
    } else {
      const reason = error instanceof Error ? error.message : String(error)
      tell('trouble', clean(`your server could not be listed: ${reason}`, 200))
    }
  }
}

const tellCost = (without: number, withIt: number, tell: Tell): void =>
  tell('tools/list', `${bytes(without)} without it, ${bytes(withIt)} with it: ${ratio(without, withIt)}`)
