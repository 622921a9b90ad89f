/**
 * A session that serves one disclosure and records what it was asked, with hooks to misbehave.
 * @module
 */

import {
  buildSchemaDisclosure,
  type McpSession,
  readSchemaFragment,
  type SchemaDisclosure,
  sha256Hex,
} from '../../src/core/index.ts'

export interface Recorded {
  readonly method: string
  readonly params: Record<string, unknown>
}

export type Answer = (request: Recorded, honest: () => Promise<unknown>, signal?: AbortSignal) => unknown

export async function disclose(extra: object = {}, operation = 'op'): Promise<SchemaDisclosure> {
  const inputSchema = { type: 'object', description: 'x'.repeat(20_000), ...extra }
  return buildSchemaDisclosure(
    { inputSchema, outputSchema: { type: 'object' } },
    { operation, alias: 'tool', sourceSha256: await sha256Hex('source') },
  )
}

export const content = (uri: string, text: string) => ({ contents: [{ uri, mimeType: 'application/json', text }] })

export function fakeSession(
  disclosure: SchemaDisclosure,
  answer: Answer = (_request, honest) => honest(),
): { session: McpSession; log: Recorded[] } {
  const { manifest } = disclosure
  const log: Recorded[] = []
  const honest = async ({ method, params }: Recorded): Promise<unknown> => {
    if (method === 'tools/call') {
      const entry = { kind: 'schema-navigation', name: 'tool', manifest, summary: '### tool' }
      return { content: [{ type: 'text', text: JSON.stringify([entry]) }], structuredContent: { result: [entry] } }
    }
    const uri = params.uri as string
    if (uri === manifest.manifest_uri) return content(uri, JSON.stringify(manifest))
    const index = Number(uri.split('/').at(-1))
    const fragment = await readSchemaFragment(disclosure, index, { expectedSha256: manifest.schema_sha256 })
    return content(uri, JSON.stringify(fragment))
  }
  return {
    log,
    session: {
      async request({ method, params = {} }, _schema, options) {
        const request = { method, params: structuredClone(params) }
        log.push(request)
        options?.signal?.throwIfAborted()
        return answer(request, () => honest(request), options?.signal)
      },
    },
  }
}
