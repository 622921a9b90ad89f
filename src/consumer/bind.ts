/**
 * A verified schema bound to a caller and a moment, as a tool that can be called.
 * @module
 */

import {
  isVerifiedSchema,
  type JsonObject,
  type McpSession,
  type RequestOptions,
  type Sha256Hex,
  type ValidationIssue,
  type VerifiedSchema,
} from '../core/index.ts'
import { type BindOptions, readOptions } from './bind-options.ts'
import { type Binding, type CallRequest, demandConfirmation, demandCurrent } from './binding.ts'
import { requestTool, type ToolAnswer } from './call.ts'
import { ConsumerError } from './errors.ts'
import { copyJsonObject, NotJson } from './json-copy.ts'
import { Judge } from './judge.ts'
import { member } from './session.ts'

/** What came of a call. `Result` is the caller's claim, checked at run time against the verified output schema. */
export type ToolResult<Result = unknown> =
  /** Satisfies the verified output schema. */
  | { readonly kind: 'structured'; readonly value: Result; readonly content: readonly unknown[] }
  /** Unchecked: no output schema was published, or it could not judge and that was allowed. */
  | { readonly kind: 'unstructured'; readonly content: readonly unknown[]; readonly structuredContent?: unknown }
  /** The tool, or the front in its place, answered with an error. Not validated. */
  | { readonly kind: 'tool-error'; readonly content: readonly unknown[] }

/** A tool whose schema is verified and bound. */
export interface BoundTool<Args extends JsonObject = JsonObject, Result = unknown> {
  readonly name: string
  readonly verified: VerifiedSchema
  readonly binding: Binding
  /**
   * Validates, asks, sends, validates. Arguments are copied before anything else happens.
   *
   * @param options `timeout` is the request's, in milliseconds
   * @throws {ConsumerError} `arguments-not-json`, `arguments-invalid`, `binding-stale`, `not-confirmed`, `cannot-judge`,
   * `call-malformed`, `result-missing`, `result-invalid`; what the session throws passes through, and so does the signal's reason
   */
  call(session: McpSession, args: Args, options?: RequestOptions): Promise<ToolResult<Result>>
}

/**
 * Binds a verified schema to a caller, a catalog and a session, and gives the tool to call. A verified schema grants nothing:
 * the server's authorisation, `confirm` and `acceptSource` decide.
 *
 * @throws {ConsumerError} `argument-invalid`, `not-verified`, `source-refused`, `cannot-judge`
 *
 * @example
 * ```ts
 * const tool = bindSchema(verified, {
 *   validator: jsonSchemaValidator(),
 *   name: selected.name,
 *   scope: userId,
 *   generation: { catalog, child },
 *   isCurrent: ({ generation }) => generation.catalog === catalog && generation.child === child,
 *   confirm: ({ name, arguments: args }) => askThePerson(name, args),
 * })
 * const result = await tool.call(client, { mark: 'bar' })
 * if (result.kind === 'structured') console.log(result.value)
 * ```
 */
export function bindSchema<Args extends JsonObject = JsonObject, Result = unknown>(
  verified: VerifiedSchema,
  options: BindOptions,
): BoundTool<Args, Result> {
  if (!isVerifiedSchema(verified)) {
    const expected = 'a schema made by reconstructSchema'
    throw new ConsumerError('not-verified', { expected }, `Cannot bind schema: expected ${expected}`)
  }
  const { manifest } = verified
  const settings = readOptions(options, manifest.alias)
  const { name, validator, whenUnjudged, acceptSource } = settings
  if (acceptSource !== undefined) demandSource(acceptSource, name, manifest.source_sha256)
  const isAllowed = whenUnjudged === 'allow'
  const input = new Judge(name, 'input', validator, verified.inputSchema, isAllowed)
  // Disclosure: `{}` also stands for "none published".
  const output =
    verified.outputSchemaText === '{}'
      ? undefined
      : new Judge(name, 'output', validator, verified.outputSchema, isAllowed)
  const { scope, generation } = settings
  const binding: Binding = Object.freeze({ scope, generation, manifest })
  return Object.freeze({
    name,
    verified,
    binding,
    async call(session: McpSession, args: Args, { signal, timeout }: RequestOptions = {}) {
      signal?.throwIfAborted()
      const request: CallRequest = Object.freeze({ name, arguments: copyArguments(name, args), manifest })
      checkArguments(input, request)
      const ask = { timeoutMs: settings.confirmTimeoutMs, signal }
      await demandCurrent(settings.isCurrent, binding, name, ask)
      if (settings.confirm !== 'read-only') {
        await demandConfirmation(settings.confirm, request, ask)
        // A person may have taken long.
        await demandCurrent(settings.isCurrent, binding, name, ask)
      }
      signal?.throwIfAborted()
      const scoped = { ...(signal && { signal }), ...(timeout !== undefined && { timeout }) }
      return readAnswer<Result>(name, output, await requestTool(session, settings.via, request, scoped))
    },
  })
}

function demandSource(accept: NonNullable<BindOptions['acceptSource']>, tool: string, sourceSha256: Sha256Hex): void {
  let options: ErrorOptions | undefined
  try {
    if (accept(sourceSha256) === true) return
  } catch (cause) {
    options = { cause }
  }
  const message = `Cannot bind "${tool}": its source ${sourceSha256} is not accepted`
  throw new ConsumerError('source-refused', { tool, sourceSha256 }, message, options)
}

function copyArguments(tool: string, args: unknown): JsonObject {
  try {
    return copyJsonObject(args)
  } catch (error) {
    if (!(error instanceof NotJson)) throw error
    const { path, expected } = error
    throw new ConsumerError(
      'arguments-not-json',
      { tool, path, expected },
      `Cannot call "${tool}": arguments at "${path}" are not JSON, expected ${expected}`,
    )
  }
}

function checkArguments(input: Judge, { name: tool, arguments: args }: CallRequest): void {
  const verdict = input.judge(args)
  if (verdict.kind !== 'invalid') return
  const { issues } = verdict
  throw new ConsumerError(
    'arguments-invalid',
    { tool, issues },
    `Cannot call "${tool}": arguments at "${placeOf(issues)}" do not satisfy its input schema`,
  )
}

function readAnswer<Result>(tool: string, output: Judge | undefined, answer: ToolAnswer): ToolResult<Result> {
  const { content, structuredContent, isError } = answer
  if (isError) return Object.freeze({ kind: 'tool-error', content })
  const unchecked = {
    kind: 'unstructured',
    content,
    ...(structuredContent !== undefined && { structuredContent }),
  } as const
  if (output === undefined) return Object.freeze(unchecked)
  if (structuredContent === undefined) {
    throw new ConsumerError(
      'result-missing',
      { tool },
      `Cannot accept the answer of "${tool}": it has an output schema and gave no structured content`,
    )
  }
  const verdict = output.judge(structuredContent)
  if (verdict.kind === 'unjudged') return Object.freeze(unchecked)
  if (verdict.kind === 'valid')
    return Object.freeze({ kind: 'structured', value: structuredContent as Result, content })
  const { issues } = verdict
  throw new ConsumerError(
    'result-invalid',
    { tool, issues },
    `Cannot accept the answer of "${tool}": "${placeOf(issues)}" does not satisfy its output schema`,
  )
}

/** Where the first issue is, short enough for a message. A validator of somebody else's may not say it. */
function placeOf([issue]: readonly [ValidationIssue, ...ValidationIssue[]]): string {
  const instancePath = member(issue, 'instancePath')
  if (typeof instancePath !== 'string') return ''
  return instancePath.length > 200 ? `${instancePath.slice(0, 200)}…` : instancePath
}
