/**
 * From a selected manifest to a verified schema, through the caller's own session.
 * @module
 */

import {
  fragmentUri,
  type McpSession,
  parseSchemaManifest,
  parseSchemaManifestText,
  type RequestOptions,
  reconstructSchema,
  SchemaDisclosureError,
  type SchemaManifest,
  type VerifiedSchema,
} from '../core/index.ts'
import { ConsumerError } from './errors.ts'
import { member, send } from './session.ts'
import { type FragmentStore, StoredFragments } from './store.ts'

const DEFAULT_CONCURRENCY = 8
const MAX_CONCURRENCY = 64

/** How far a read is: fragments received and accepted, of all. */
export interface ReadProgress {
  readonly received: number
  readonly total: number
}

/** How a schema is read. */
export interface ReadOptions extends RequestOptions {
  /** Fragment reads in flight at once, 1 … 64, default 8. */
  readonly concurrency?: number
  /** Called, and waited for, after each fragment; from one again where a store spoiled the document. What it throws ends the read. */
  readonly onProgress?: (progress: ReadProgress) => unknown
  /** Fragments of earlier reads. Saves fragment reads, never the manifest's; what it gives is verified. Default none. */
  readonly store?: FragmentStore
}

/**
 * Reads and verifies the schema of a selected manifest: first the manifest's own URI, which must agree in every field, then
 * all fragments by the same session, then the whole is reconstructed. `signal` ends the reads in flight too.
 *
 * @param selected the manifest of a navigation entry
 * @param options `timeout` is per request
 * @throws {ConsumerError} `read-malformed`, `manifest-differs`
 * @throws {SchemaDisclosureError} see `reconstructSchema`; what the session throws passes through
 *
 * @example
 * ```ts
 * const verified = await readSchema(client, selected.manifest, {
 *   onProgress: ({ received, total }) => console.log(`${received}/${total}`),
 * })
 * ```
 */
export async function readSchema(
  session: McpSession,
  selected: SchemaManifest,
  options: ReadOptions = {},
): Promise<VerifiedSchema> {
  const manifest = parseSchemaManifest(selected)
  const { signal, timeout, concurrency, onProgress, store } = options
  signal?.throwIfAborted()
  // Ends the reads still in flight once one of them, or the reconstruction, fails.
  const stop = new AbortController()
  const ended = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal])
  // A signal for each request: to some runtimes many listeners on one are a leak.
  const open = new Set<AbortController>()
  ended.addEventListener('abort', () => {
    for (const request of open) request.abort(ended.reason)
  })
  const readAlone = async (uri: string): Promise<string> => {
    ended.throwIfAborted()
    const request = new AbortController()
    open.add(request)
    try {
      return await readText(session, uri, { signal: request.signal, ...(timeout !== undefined && { timeout }) })
    } finally {
      open.delete(request)
    }
  }
  try {
    // Consumer, step 2: the manifest URI first, through the same session, equal in every field.
    checkSame(manifest, parseSchemaManifestText(await readAlone(manifest.manifest_uri)))
    const read = (index: number): Promise<string> =>
      readAlone(fragmentUri(manifest.alias, manifest.schema_sha256, index))
    const verify = (take: TakeFragment) =>
      reconstructSchema(manifest, inOrder(manifest.fragment_count, take, { concurrency, onProgress }), { signal })
    return store === undefined
      ? await verify(read)
      : await verifyWithStore(new StoredFragments(store, manifest, ended), read, verify)
  } finally {
    stop.abort()
  }
}

type TakeFragment = (index: number) => Promise<unknown>

/** Takes what the store has and reads the rest. A store that spoils the document is left aside, and everything is read. */
async function verifyWithStore(
  stored: StoredFragments,
  read: (index: number) => Promise<string>,
  verify: (take: TakeFragment) => Promise<VerifiedSchema>,
): Promise<VerifiedSchema> {
  /** A pass over all fragments that notes what it read: what an earlier pass read is none of its. */
  const pass = async (stored?: StoredFragments) => {
    const wires = new Map<number, string>()
    const verified = await verify(async (index) => {
      const kept = await stored?.get(index)
      if (kept !== undefined) return kept
      const wire = await read(index)
      wires.set(index, wire)
      return wire
    })
    return { verified, wires }
  }
  const { verified, wires } = await pass(stored).catch((error: unknown) => {
    if (!stored.wasUsed || !SchemaDisclosureError.is(error)) throw error
    return pass()
  })
  // Keeping is a favour: nobody waits for it.
  void stored.keep(wires)
  return verified
}

/** All fragments, in order, a bounded number ahead. */
async function* inOrder(
  total: number,
  take: TakeFragment,
  {
    concurrency = DEFAULT_CONCURRENCY,
    onProgress,
  }: { readonly concurrency: number | undefined; readonly onProgress: ReadOptions['onProgress'] | undefined },
): AsyncGenerator<unknown> {
  const width = Math.min(Math.max(Math.trunc(concurrency) || 1, 1), MAX_CONCURRENCY)
  const ahead: Promise<unknown>[] = []
  let next = 0
  for (let index = 0; index < total; index++) {
    while (next < total && ahead.length < width) {
      const taking = take(next++)
      // One that fails after an earlier one failed has nobody left to tell.
      taking.catch(() => undefined)
      ahead.push(taking)
    }
    yield await (ahead.shift() as Promise<unknown>)
    await onProgress?.({ received: index + 1, total })
  }
}

/** The one JSON text a resource read answers with. */
async function readText(session: McpSession, uri: string, scope: RequestOptions): Promise<string> {
  const contents = member(await send(session, 'resources/read', { uri }, scope), 'contents')
  if (!Array.isArray(contents) || contents.length !== 1) refuseRead(uri, 'exactly one content')
  const [content] = contents as [unknown]
  const text = member(content, 'text')
  if (typeof text !== 'string' || member(content, 'blob') !== undefined) refuseRead(uri, 'a text content')
  if (member(content, 'mimeType') !== 'application/json') refuseRead(uri, 'MIME type application/json')
  if (member(content, 'uri') !== uri) refuseRead(uri, 'the URI that was asked for')
  return text
}

function checkSame(selected: SchemaManifest, read: SchemaManifest): void {
  for (const field of Object.keys(selected) as (keyof SchemaManifest)[]) {
    if (read[field] === selected[field]) continue
    const { alias } = selected
    throw new ConsumerError(
      'manifest-differs',
      { alias, field },
      `Cannot read schema "${alias}": ${field} of the manifest that was read differs from the selected one`,
    )
  }
}

function refuseRead(uri: string, expected: string): never {
  throw new ConsumerError(
    'read-malformed',
    { uri, expected },
    `Cannot read "${uri}": answer is malformed, expected ${expected}`,
  )
}
