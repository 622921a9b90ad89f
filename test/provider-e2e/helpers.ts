/**
 * What tests of a server ask again and again.
 * @module
 */

import { buildSchemaDisclosure, type SchemaDisclosure, sha256Hex } from '../../src/core/index.ts'
import type { Caller, MakeFixture } from './fixture.ts'

type Json = { [name: string]: unknown }

export interface Refusal {
  readonly code: number
  readonly message: string
  readonly data: unknown
}

/** The JSON-RPC error of a request; without the words an SDK's client puts before it. */
export async function refusalOf(request: Promise<unknown>): Promise<Refusal> {
  const answer = await request.then(
    (value) => ({ value }),
    (error: Refusal) => ({ error }),
  )
  if ('value' in answer) throw new Error(`answered: ${JSON.stringify(answer.value)}`)
  const { code, message, data } = answer.error
  return { code, message: message.replace(/^MCP error -?\d+: /, ''), data }
}

export const read = async (caller: Caller, uri: string): Promise<string> => {
  const { contents } = await caller.request('resources/read', { uri })
  return (contents as { text: string }[])[0]?.text as string
}

export interface Found {
  readonly structuredContent: {
    readonly result: readonly { readonly name: string; readonly manifest: Json & { readonly manifest_uri: string } }[]
    readonly truncated: boolean
    readonly omitted: number
  }
  readonly content: readonly { readonly text: string }[]
  readonly isError?: boolean
}

export const search = async (caller: Caller, args: Json): Promise<Found> =>
  (await caller.request('tools/call', { name: 'search_tools', arguments: args })) as unknown as Found

export const foundNames = async (caller: Caller, args: Json = { pattern: '.' }): Promise<string[]> =>
  (await search(caller, args)).structuredContent.result.map(({ name }) => name)

/** URI of the manifest of a tool this caller may see. */
export async function manifestUriOf(caller: Caller, name: string): Promise<string> {
  const { result } = (await search(caller, { pattern: `^${name} ` })).structuredContent
  const [only] = result
  if (result.length !== 1 || only === undefined) throw new Error(`${name}: found ${result.length}`)
  return only.manifest.manifest_uri
}

export const call = async (caller: Caller, args: Json, more: Json = {}) =>
  (await caller.request('tools/call', { name: 'call_tool', arguments: args, ...more })) as {
    isError?: boolean
    content: { text: string }[]
    structuredContent?: unknown
  }

/** What an author builds beforehand: of the tools as the server lists them, with an operation and a source of its own. */
export async function buildDisclosures(make: MakeFixture): Promise<Map<string, SchemaDisclosure>> {
  const caller = await make({ pin: ['*'] }).connect()
  const disclosures = new Map<string, SchemaDisclosure>()
  for (const { name, inputSchema, outputSchema = {} } of await caller.listTools()) {
    if (name === 'search_tools' || name === 'call_tool') continue
    const alias = name as string
    const id = { operation: `op_${alias}`, alias, sourceSha256: await sha256Hex(`source of ${alias}`) }
    const schemas = { inputSchema: JSON.stringify(inputSchema), outputSchema: JSON.stringify(outputSchema) }
    disclosures.set(alias, await buildSchemaDisclosure(schemas, id))
  }
  await caller.close()
  return disclosures
}
