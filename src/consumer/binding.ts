/**
 * What a verified schema is bound to, and the questions that are asked before each call.
 * @module
 */

import type { JsonObject, SchemaManifest } from '../core/index.ts'
import { ConsumerError } from './errors.ts'
import { type Answered, inTime } from './in-time.ts'

/** Which state of the world a schema was selected in. Both change, as opaque texts, when the caller says so. */
export interface Generation {
  /** Of the catalog: moved by `notifications/tools/list_changed`. */
  readonly catalog: string
  /** Of the child, the session with the server: moved by a new session. */
  readonly child: string
}

/** To whom a schema is bound, and when it was selected. Frozen. */
export interface Binding {
  /** The caller: whatever tells one from the next, such as a user id. */
  readonly scope: string
  readonly generation: Generation
  readonly manifest: SchemaManifest
}

/** A call somebody may have to agree to. Frozen through and through: what is shown is what is sent. */
export interface CallRequest {
  readonly name: string
  readonly arguments: JsonObject
  readonly manifest: SchemaManifest
}

/** Says whether a binding still holds. */
export type IsCurrent = (binding: Binding) => boolean | Promise<boolean>

/** Says whether a call may be made; `signal` fires when nobody waits for the answer any more. */
export type Confirm = (request: CallRequest, options: { readonly signal: AbortSignal }) => boolean | Promise<boolean>

/** How long the questions may take, and what ends them. */
export interface AskOptions {
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
}

/** @throws {ConsumerError} `binding-stale` unless the answer is `true` */
export async function demandCurrent(
  isCurrent: IsCurrent,
  binding: Binding,
  tool: string,
  ask: AskOptions,
): Promise<void> {
  const answered = await inTime(() => isCurrent(binding), ask)
  if (answered.kind === 'value' && answered.value === true) return
  throw new ConsumerError(
    'binding-stale',
    { tool },
    `Cannot call "${tool}": its binding is no longer current, select it again`,
    causeOf(answered),
  )
}

/** @throws {ConsumerError} `not-confirmed` unless the answer is `true` */
export async function demandConfirmation(confirm: Confirm, request: CallRequest, ask: AskOptions): Promise<void> {
  const answered = await inTime((signal) => confirm(request, Object.freeze({ signal })), ask)
  if (answered.kind === 'value' && answered.value === true) return
  const reason = answered.kind === 'value' ? 'declined' : answered.kind
  const { name: tool } = request
  throw new ConsumerError(
    'not-confirmed',
    { tool, reason },
    `Cannot call "${tool}": it was not confirmed (${reason})`,
    causeOf(answered),
  )
}

const causeOf = (answered: Answered<unknown>): ErrorOptions | undefined =>
  answered.kind === 'failed' ? { cause: answered.cause } : undefined
