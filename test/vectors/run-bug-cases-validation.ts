/**
 * Bug cases of the consumer's validation: schemas compiled, values judged, answers of calls judged.
 * @module
 */

import { isDeepStrictEqual } from 'node:util'
import { bindSchema, type ToolResult } from '../../src/consumer/index.ts'
import { type JsonObject, parseJsonText, reconstructSchema } from '../../src/core/index.ts'
import {
  type CompiledSchema,
  jsonSchemaValidator,
  loadPatternEngine,
  type ValidationIssue,
} from '../../src/validation/index.ts'
import { disclose } from './run-bug-cases-setups.ts'
import { differing, type Json, judge, outcomeOf, type Runner, schemaText } from './run-bug-cases-syntax.ts'

const validator = async () => jsonSchemaValidator({ patternEngine: await loadPatternEngine() })
const compiled = async (text: string): Promise<CompiledSchema> =>
  (await validator()).compile(parseJsonText(text) as JsonObject)
const isValid = (schema: CompiledSchema, text: string): boolean => {
  const { issues } = schema.validate(parseJsonText(text))
  return issues === undefined
}
const issueOf = (result: { readonly issues?: readonly ValidationIssue[] }): readonly ValidationIssue[] =>
  result.issues ?? []

/** Runs `act` and says what it did beside its result. */
async function watched(act: () => Promise<string | undefined>): Promise<{ problem: string | undefined; facts: Json }> {
  const names = ['log', 'info', 'warn', 'error', 'debug'] as const
  const { fetch } = globalThis
  const kept = names.map((name) => console[name])
  const members = Object.getOwnPropertyNames(Object.prototype).join()
  let [requests, writes] = [0, 0]
  globalThis.fetch = async () => {
    requests++
    throw new Error('no network here')
  }
  for (const name of names) console[name] = () => void writes++
  try {
    const problem = await act()
    const facts = {
      network_requests: requests,
      console_writes: writes,
      Object_prototype_unchanged: Object.getOwnPropertyNames(Object.prototype).join() === members,
    }
    return { problem, facts }
  } finally {
    globalThis.fetch = fetch
    for (const [index, name] of names.entries()) console[name] = kept[index] as () => void
  }
}

/** Each text is judged as its own `valid` and the verdict at its place say; a verdict may be an error's name. */
async function judgeAll(
  schema: (index: number) => CompiledSchema,
  cases: readonly Json[],
  expect: Json,
): Promise<string | undefined> {
  const verdicts = expect.verdicts as readonly unknown[] | undefined
  if (verdicts !== undefined && verdicts.length !== cases.length) return `${verdicts.length} verdicts`
  for (const [index, { instance_raw: text, valid }] of cases.entries()) {
    for (const wanted of [valid, verdicts?.[index]]) {
      if (wanted === undefined) continue
      if (typeof wanted === 'string') {
        const problem = await judge(() => isValid(schema(index), String(text)), outcomeOf(wanted))
        if (problem !== undefined) return `${index}: ${problem}`
      } else if (isValid(schema(index), String(text)) !== wanted) return `${index}: not ${wanted}`
    }
  }
  return undefined
}

/** The structured answer's facts, as far as a consumer makes any: units and paths into lists are a router's. */
function factsOf(result: ToolResult, fields: readonly string[] | undefined, sent: Json): Json {
  const value = result.kind === 'structured' ? (result.value as Json) : undefined
  const picked =
    value === undefined ? null : Object.fromEntries((fields ?? Object.keys(value)).map((name) => [name, value[name]]))
  return {
    ok: result.kind !== 'tool-error',
    ...(result.kind === 'tool-error' && { error: 'tool-error', message_source: 'content' }),
    validated: value !== undefined,
    schema_validated: value !== undefined,
    projection: picked,
    content_kept: isDeepStrictEqual(result.content, sent.content),
    text_parsed: false,
  }
}

export const VALIDATION_KINDS: Readonly<Record<string, Runner>> = {
  async validate(input, expect) {
    const instances = ((input.cases ?? []) as readonly Json[]).map(({ instance_raw }) =>
      parseJsonText(String(instance_raw)),
    )
    const before = structuredClone(instances)
    const { problem, facts } = await watched(async () => {
      const schema = await compiled(String(input.schema_raw))
      for (const instance of instances) await judge(() => schema.validate(instance), outcomeOf('ok'))
      return judgeAll(() => schema, input.cases as readonly Json[], expect)
    })
    if (problem !== undefined) return problem
    if (!isDeepStrictEqual(structuredClone(instances), before)) return 'a value was changed'
    return differing(expect, { compile: 'ok', ...facts })
  },

  async 'validate-from-document'(input, expect) {
    const { complete_document: whole, which = 'inputSchema' } = input
    const document = (typeof whole === 'string' ? JSON.parse(whole) : whole) as Json
    const { manifest, fragments } = await disclose({ name: 'tool', ...document })
    const verified = await reconstructSchema(manifest, fragments)
    const schema = await compiled(which === 'outputSchema' ? verified.outputSchemaText : verified.inputSchemaText)
    return judgeAll(() => schema, input.cases as readonly Json[], expect)
  },

  async 'validate-many'(input, expect) {
    // All are compiled before one is used: they live at once, in one validator.
    const one = await validator()
    const schemas = (input.tools as readonly Json[]).map(
      (tool) => [tool.name, one.compile(parseJsonText(schemaText(tool, 'inputSchema')) as JsonObject)] as const,
    )
    const cases = input.cases as readonly Json[]
    return judgeAll(
      (index) => (schemas.find(([name]) => name === cases[index]?.tool) ?? schemas[index])?.[1] as CompiledSchema,
      cases,
      expect,
    )
  },

  async compile(input, expect) {
    const start = performance.now()
    const { schema_pointer: pointer, error } = expect
    const problem = await judge(() => compiled(String(input.schema_raw)), {
      ok: expect.compile === 'ok',
      fields: expect,
      ...(typeof error === 'string' && { error }),
      ...(typeof pointer === 'string' && { pointer }),
    })
    const most = Number(expect.deadline_ms ?? input.deadline_ms ?? Number.POSITIVE_INFINITY)
    return problem ?? (performance.now() - start > most ? `longer than ${most} ms` : undefined)
  },

  async 'validate-deadline'(input, expect) {
    // The engine is loaded once a process.
    await loadPatternEngine()
    const start = performance.now()
    const run = async () => isValid(await compiled(JSON.stringify(input.schema)), String(input.instance_raw))
    const verdict = await run().catch((error: unknown) => error)
    const elapsed = performance.now() - start
    if (elapsed > Number(input.deadline_ms)) return `${Math.round(elapsed)} ms`
    const outcomes = [expect.outcome].flat().map((outcome) => String(outcome).replace(/ within .*$/, ''))
    for (const outcome of outcomes) {
      if (outcome === `valid:${verdict}`) return undefined
      if (outcome.startsWith('error:') && (await judge(run, outcomeOf(outcome))) === undefined) return undefined
    }
    return `${verdict}, expected ${outcomes.join(' or ')}`
  },

  async 'validate-errors'(input, expect) {
    const result = (await compiled(JSON.stringify(input.schema))).validate(parseJsonText(String(input.instance_raw)))
    const issues = issueOf(result)
    const pointers = issues.map(({ instancePath }) => instancePath)
    for (const pointer of (expect.instance_pointers_include ?? []) as readonly string[]) {
      if (!pointers.includes(pointer)) return `nothing at "${pointer}"`
    }
    if (issues.length > Number(expect.errors_max ?? Number.POSITIVE_INFINITY)) return `${issues.length} issues`
    // As words of their own: one letter is part of many.
    const words = new Set(issues.flatMap(({ message }) => message.split(/[^\p{L}\p{N}]+/u)))
    for (const value of (expect.error_text_must_not_contain ?? []) as readonly string[]) {
      if (words.has(value)) return `a message shows "${value}"`
    }
    return differing(expect, { valid: issues.length === 0 })
  },

  async call(input, expect) {
    const { manifest, fragments } = await disclose(input.tool as Json)
    const tool = bindSchema(await reconstructSchema(manifest, fragments), {
      validator: await validator(),
      via: 'direct',
      scope: 'somebody',
      generation: { catalog: '1', child: '1' },
      isCurrent: () => true,
      confirm: 'read-only',
    })
    // Nothing but the call is answered: neither list nor read.
    const session = {
      request: async ({ method }: { method: string }) => {
        if (method !== 'tools/call') throw new Error(`asked for ${method}`)
        return structuredClone(input.result)
      },
    }
    let answer: ToolResult | undefined
    const run = async () => {
      answer = await tool.call(session, (input.arguments ?? {}) as JsonObject)
    }
    if (expect.ok !== true && expect.error !== 'tool-error') {
      const pointer = expect.instance_pointer as string | undefined
      return judge(run, { ok: false, error: String(expect.error), fields: expect, ...(pointer && { pointer }) })
    }
    await run()
    return differing(expect, factsOf(answer as ToolResult, input.fields as string[] | undefined, input.result as Json))
  },
}
