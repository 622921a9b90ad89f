/**
 * What the page does: every check of the suite, then the whole way against a Worker of another origin. Posts what came of it.
 * @module
 */

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import * as consumer from '../../src/consumer/index.ts'
import * as core from '../../src/core/index.ts'
import * as provider from '../../src/provider/index.ts'
import * as proxy from '../../src/proxy/index.ts'
import * as validation from '../../src/validation/index.ts'
import { checks, runChecks } from '../runtimes/suite.ts'
import { vectors } from '../runtimes/vectors.ts'

/** What the page says. */
export interface PageReport {
  readonly suite: { readonly ran: number; readonly failures: readonly string[] }
  readonly way: {
    readonly origin: string
    readonly listed: readonly string[]
    readonly fragments: number
    readonly schemaSha256: string
    readonly svg: boolean
    readonly confirmed: number
    readonly refused: unknown
    readonly stale: boolean
  }
}

async function theWholeWay(worker: URL): Promise<PageReport['way']> {
  const client = new Client({ name: 'page', version: '1.0.0' })
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', worker)))
  const { tools } = await client.listTools()
  const { entries } = await consumer.searchSchemas(client, 'render a chart')
  const [selected] = entries
  if (selected === undefined) throw new Error('nothing found')
  let fragments = 0
  const onProgress = ({ received }: consumer.ReadProgress) => {
    fragments = received
  }
  const verified = await consumer.readSchema(client, selected.manifest, { concurrency: 16, onProgress })
  const args = {
    mark: 'bar',
    data: { values: [{ a: 'x', b: 1 }] },
    encoding: { x: { field: 'a', type: 'nominal' }, y: { field: 'b', type: 'quantitative' } },
  }
  const schemaSha256 = verified.manifest.schema_sha256
  const call = { name: selected.name, arguments: args, schemaSha256 }
  let confirmed = 0
  const tool = consumer.bindSchema(verified, {
    validator: validation.jsonSchemaValidator({ patternEngine: await validation.loadPatternEngine() }),
    name: selected.name,
    scope: 'page',
    generation: { catalog: '1', child: '1' },
    isCurrent: () => true,
    confirm: () => ++confirmed > 0,
  })
  const answer = await tool.call(client, args)
  const refused = await tool.call(client, { mark: 'no such mark' }).catch((error) => error.code)
  const stale = await consumer.callTool(client, { ...call, schemaSha256: '0'.repeat(64) as core.Sha256Hex })
  await client.close()
  return {
    origin: location.origin,
    listed: tools.map(({ name }) => name),
    fragments,
    schemaSha256,
    svg: JSON.stringify(answer).includes('<svg'),
    confirmed,
    refused,
    stale: stale.isError,
  }
}

async function report(): Promise<unknown> {
  try {
    const worker = new URL(new URLSearchParams(location.search).get('worker') ?? '')
    const suite = await runChecks(checks({ core, consumer, provider, proxy, validation }, vectors))
    return { suite, way: await theWholeWay(worker) }
  } catch (error) {
    return { error: String(error) }
  }
}

await fetch('/report', { method: 'POST', body: JSON.stringify(await report()) })
