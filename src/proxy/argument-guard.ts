/**
 * Guard `"arguments"`: what a call carries is judged by its target's input schema before it goes on.
 * @module
 */

import { type CompiledSchema, type JsonObject, type SchemaValidator, sha256Hex } from '../core/index.ts'
import { JsonError, parseJsonText } from '../json/index.ts'
import type { ListedTool } from '../listing/index.ts'
import { readEntry } from '../provider/entry.ts'

/** Of compiled schemas, and bytes of their texts. */
const MAX_KEPT = 32
const MAX_BYTES = 8 * 1024 * 1024
const MAX_ISSUES = 8
const MAX_TEXT = 200

/** Judges arguments with a validator that was handed in. Keeps what it compiled, by the digest of the schema. */
export class ArgumentGuard {
  readonly #validator: SchemaValidator
  readonly #kept = new Map<string, { readonly compiled: CompiledSchema | undefined; readonly bytes: number }>()
  #bytes = 0

  constructor(validator: SchemaValidator) {
    this.#validator = validator
  }

  /**
   * Why the arguments are refused, in words a model can act on. Undefined where they satisfy the schema, and where the validator
   * cannot tell: that is no refusal, the upstream judges.
   *
   * @param args JSON text
   */
  async refusal(tool: ListedTool, args: Uint8Array): Promise<string | undefined> {
    let value: unknown
    try {
      value = parseJsonText(args)
    } catch (error) {
      if (!JsonError.is(error)) throw error
      // What means one thing here could mean another upstream.
      return `Cannot call "${shown(tool.name)}": its arguments cannot be read: ${error.code}`
    }
    let issues: unknown
    try {
      const { inputSchema } = readEntry(tool)
      if (inputSchema === undefined) return undefined
      issues = (await this.#compile(inputSchema))?.validate(value).issues
    } catch {
      return undefined
    }
    if (!Array.isArray(issues) || issues.length === 0) return undefined
    const reasons = issues
      .slice(0, MAX_ISSUES)
      .map((issue) => `${shown(issue?.instancePath)}: ${shown(issue?.message)}`)
    const more = issues.length > MAX_ISSUES ? [`and ${issues.length - MAX_ISSUES} more`] : []
    return `Cannot call "${shown(tool.name)}": its arguments do not satisfy its input schema\n${[...reasons, ...more].join('\n')}`
  }

  /** Undefined for what cannot be compiled. */
  async #compile(schema: Uint8Array): Promise<CompiledSchema | undefined> {
    const digest = await sha256Hex(schema)
    const known = this.#kept.get(digest)
    if (known !== undefined) return known.compiled
    let compiled: CompiledSchema | undefined
    try {
      compiled = this.#validator.compile(parseJsonText(schema) as JsonObject)
    } catch {
      // Tried once: it may have been dear.
    }
    this.#kept.set(digest, { compiled, bytes: schema.length })
    this.#bytes += schema.length
    for (const [oldest, { bytes }] of this.#kept) {
      if ((this.#kept.size <= MAX_KEPT && this.#bytes <= MAX_BYTES) || oldest === digest) break
      this.#kept.delete(oldest)
      this.#bytes -= bytes
    }
    return compiled
  }
}

const shown = (text: unknown): string => {
  const place = typeof text === 'string' && text !== '' ? text : '/'
  return place.length > MAX_TEXT ? `${place.slice(0, MAX_TEXT).toWellFormed()}…` : place
}
