import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  type BindOptions,
  type BoundTool,
  bindSchema,
  type Confirm,
  ConsumerError,
  type ConsumerErrorCode,
  type IsCurrent,
} from '../../src/consumer/index.ts'
import {
  buildSchemaDisclosure,
  type McpSession,
  readSchemaFragment,
  reconstructSchema,
  type SchemaValidator,
  sha256Hex,
  type VerifiedSchema,
} from '../../src/core/index.ts'

async function verify(inputSchema: object, outputSchema: object): Promise<VerifiedSchema> {
  const { manifest, parts } = await buildSchemaDisclosure(
    { inputSchema: { ...inputSchema }, outputSchema: { ...outputSchema } },
    { operation: 'op', alias: 'tool', sourceSha256: await sha256Hex('source') },
  )
  const fragments = parts.map((_, index) =>
    readSchemaFragment({ manifest, parts }, index, { expectedSha256: manifest.schema_sha256 }),
  )
  return reconstructSchema(manifest, await Promise.all(fragments))
}

const verified = await verify({ type: 'object', required: ['a'] }, { type: 'object', required: ['b'] })
const withoutOutput = await verify({ type: 'object' }, {})
const generation = { catalog: 'c1', child: 's1' }
function NEVER(): Promise<boolean> {
  return new Promise<boolean>(() => {})
}

/** Judges `required` only, as far as these tests go. */
const validator: SchemaValidator = {
  compile: (schema) => ({
    validate(value) {
      const missing = (schema.required as string[] | undefined)?.find((name) => !Object.hasOwn(value as object, name))
      if (missing === undefined) return {}
      return { issues: [{ message: 'is missing', instancePath: `/${missing}`, schemaPath: '/required' }] }
    },
  }),
}

const options: BindOptions = { validator, scope: 'user-1', generation, isCurrent: () => true, confirm: 'read-only' }

function recorder(answer: unknown = { content: [], structuredContent: { b: 1 } }) {
  const sent: unknown[] = []
  const session: McpSession = {
    async request(request) {
      sent.push(structuredClone(request))
      return answer
    },
  }
  return { session, sent }
}

async function codeOf(run: () => unknown): Promise<ConsumerErrorCode | 'accepted'> {
  try {
    await run()
    return 'accepted'
  } catch (error) {
    if (!ConsumerError.is(error)) throw error
    expect(Object.isFrozen(error.data)).toBe(true)
    return error.code
  }
}

/** Calls, and says with which code nothing, or what, was sent. */
async function callWith(more: Partial<BindOptions>, ...[args, answer]: unknown[]) {
  const { session, sent } = recorder(answer)
  const code = await codeOf(() => bindSchema(verified, { ...options, ...more }).call(session, args as never))
  return [code, sent.length]
}

describe('a bound call', () => {
  it('goes through the front with the digest, and gives the validated answer', async () => {
    const { session, sent } = recorder()
    const tool = bindSchema<{ a: number }, { b: number }>(verified, { ...options, name: 'real.name' })
    const result = await tool.call(session, { a: 1 })
    expect(result).toEqual({ kind: 'structured', value: { b: 1 }, content: [] })
    expect(sent).toEqual([
      {
        method: 'tools/call',
        params: {
          name: 'call_tool',
          arguments: { name: 'real.name', arguments: { a: 1 }, schema_sha256: verified.manifest.schema_sha256 },
        },
      },
    ])
    expect(tool.binding).toEqual({ scope: 'user-1', generation, manifest: verified.manifest })
    expect(Object.isFrozen(tool) && Object.isFrozen(tool.binding) && Object.isFrozen(tool.binding.generation)).toBe(
      true,
    )
  })

  it.each([
    [{ callTool: 'run' }, 'run'],
    [{}, 'call_tool'],
    ['direct', 'tool'],
  ] as const)('goes by way of %j', async (via, name) => {
    const { session, sent } = recorder()
    await bindSchema(verified, { ...options, via }).call(session, { a: 1 })
    expect(sent).toMatchObject([{ params: { name } }])
    if (via === 'direct') expect(sent).toMatchObject([{ params: { arguments: { a: 1 } } }])
  })

  it.each([
    ['a structured answer', verified, { content: [1], structuredContent: { b: 1 } }, 'structured'],
    [
      'an error, not validated (R-A-56)',
      verified,
      { content: [1], isError: true, structuredContent: {} },
      'tool-error',
    ],
    ['no output schema: text', withoutOutput, { content: [1] }, 'unstructured'],
    [
      'no output schema: unchecked content',
      withoutOutput,
      { content: [1], structuredContent: { x: 1 } },
      'unstructured',
    ],
  ] as const)('%s', async (_name, schema, answer, kind) => {
    const result = await bindSchema(schema, options).call(recorder(answer).session, { a: 1 })
    expect([result.kind, result.content]).toEqual([kind, [1]])
    expect('structuredContent' in result).toBe(kind === 'unstructured' && 'structuredContent' in answer)
  })

  it.each([
    ['R-A-56: text where an output schema is published', { content: [] }, 'result-missing'],
    ['R-A-56: an answer that does not satisfy it', { content: [], structuredContent: {} }, 'result-invalid'],
    ['no tool result', { structuredContent: { b: 1 } }, 'call-malformed'],
    ['nothing', null, 'call-malformed'],
  ])('%s is refused', async (_name, answer, code) => {
    expect(await callWith({}, { a: 1 }, answer)).toEqual([code, 1])
  })
})

describe('nothing is sent', () => {
  let shared: object = {}
  for (let level = 0; level < 60; level++) shared = { a: shared, b: shared }
  const sparse: unknown[] = []
  sparse[1] = 1
  const broken = {
    get a(): never {
      throw new Error('no')
    },
  }
  const revoked = Proxy.revocable({}, {})
  revoked.revoke()
  const cycle: { self?: object } = {}
  cycle.self = cycle
  it.each([
    ['undefined', undefined],
    ['an array', []],
    ['a bigint', { a: 1n }],
    ['a function', { a: () => 1 }],
    ['a symbol', { a: Symbol('x') }],
    ['NaN', { a: Number.NaN }],
    ['a date', { a: new Date(0) }],
    ['half of a pair', { a: '\ud800' }],
    ['such a name', { '\ud800': 1 }],
    ['a hole', { a: sparse }],
    ['a cycle', cycle],
    ['a member named by a symbol', { a: { [Symbol('x')]: 1 } }],
    ['a namespace of the language', { a: Math }],
    ['what is shared endlessly', shared],
    ['a getter that throws', { a: broken }],
    ['a proxy that was revoked', revoked.proxy],
  ])('R-A-55: where the arguments are no JSON: %s', async (_name, args) => {
    expect(await callWith({}, args)).toEqual(['arguments-not-json', 0])
  })

  it('R-A-55: where the arguments do not satisfy the input schema; the issues say where', async () => {
    const { session, sent } = recorder()
    const error = await bindSchema(verified, options)
      .call(session, { b: 'secret' })
      .catch((thrown: unknown) => thrown)
    expect(ConsumerError.is(error) && error.code === 'arguments-invalid' && error.data.issues[0].instancePath).toBe(
      '/a',
    )
    expect(String(error)).not.toContain('secret')
    expect(sent).toEqual([])
  })

  const STALE: readonly (readonly [string, IsCurrent])[] = [
    ['false', () => false],
    ['something like true', () => 1 as never],
    ['a promise of false', async () => false],
    ['a throw', () => Promise.reject(new Error('gone'))],
    ['no answer', NEVER],
  ]
  it.each(STALE)('R-A-57, R-A-58: where the binding is not current: %s', async (_name, isCurrent) => {
    expect(await callWith({ isCurrent, confirmTimeoutMs: 20 }, { a: 1 })).toEqual(['binding-stale', 0])
  })

  it.each([
    ['scope', 'user-2', 'c1', 's1'],
    ['catalog', 'user-1', 'c2', 's1'],
    ['child', 'user-1', 'c1', 's2'],
  ])('R-A-57, R-A-58: once the %s has moved, each alone', async (_name, scope, catalog, child) => {
    const now = { scope: 'user-1', catalog: 'c1', child: 's1' }
    const isCurrent: BindOptions['isCurrent'] = (binding) =>
      binding.scope === now.scope &&
      binding.generation.catalog === now.catalog &&
      binding.generation.child === now.child &&
      binding.manifest === verified.manifest
    const tool = bindSchema(verified, { ...options, isCurrent })
    const { session, sent } = recorder()
    await tool.call(session, { a: 1 })
    Object.assign(now, { scope, catalog, child })
    expect(await codeOf(() => tool.call(session, { a: 1 }))).toBe('binding-stale')
    expect(sent.length).toBe(1)
  })

  const REFUSALS: readonly (readonly [string, Confirm])[] = [
    ['declined', () => false],
    ['declined', () => 'yes' as never],
    ['declined', async () => undefined as never],
    ['failed', () => Promise.reject(new Error('no'))],
    [
      'failed',
      () => {
        throw new Error('no')
      },
    ],
    ['timeout', NEVER],
  ]
  it.each(REFUSALS)('R-A-67: unless it is confirmed (%s)', async (reason, confirm) => {
    const { session, sent } = recorder()
    const tool = bindSchema(verified, { ...options, confirm, confirmTimeoutMs: 20 })
    await expect(tool.call(session, { a: 1 })).rejects.toMatchObject({ code: 'not-confirmed', data: { reason } })
    expect(sent).toEqual([])
  })

  it('R-A-58: where the catalog moves while a person thinks', async () => {
    let catalog = 'c1'
    const more: Partial<BindOptions> = {
      isCurrent: (binding) => binding.generation.catalog === catalog,
      confirm: async () => {
        catalog = 'c2'
        return true
      },
    }
    expect(await callWith(more, { a: 1 })).toEqual(['binding-stale', 0])
  })

  it('where the signal fires, before or while a person thinks', async () => {
    const { session, sent } = recorder()
    let asked: AbortSignal | undefined
    const controller = new AbortController()
    const tool = bindSchema(verified, {
      ...options,
      confirm: (_request, { signal }): Promise<boolean> => {
        asked = signal
        controller.abort(new Error('enough'))
        return NEVER()
      },
    })
    await expect(tool.call(session, { a: 1 }, { signal: controller.signal })).rejects.toThrow('enough')
    expect(asked?.aborted).toBe(true)
    await expect(tool.call(session, { a: 1 }, { signal: controller.signal })).rejects.toThrow('enough')
    expect(sent).toEqual([])
  })
})

it('R-A-67: what is confirmed is what is sent, whatever happens to the arguments meanwhile', async () => {
  const { session, sent } = recorder()
  const args = { a: 1, deep: { list: [1, 2] }, left: undefined }
  let shown: unknown
  const tool = bindSchema(verified, {
    ...options,
    confirm: async (request) => {
      shown = request.arguments
      expect(Object.isFrozen(request) && Object.isFrozen((request.arguments as typeof args).deep.list)).toBe(true)
      args.a = 2
      args.deep.list.push(3)
      return true
    },
  })
  const calling = tool.call(session, args)
  args.deep.list.push(4)
  await calling
  expect(shown).toEqual({ a: 1, deep: { list: [1, 2] } })
  expect(sent).toMatchObject([{ params: { arguments: { arguments: { a: 1, deep: { list: [1, 2] } } } } }])
})

it('arguments named like methods of Object are arguments', async () => {
  const { session, sent } = recorder()
  const args = JSON.parse('{"a":1,"__proto__":{"x":1},"constructor":2}')
  await bindSchema(verified, options).call(session, args)
  const [{ params }] = sent as [{ params: { arguments: { arguments: object } } }]
  expect(Object.keys(params.arguments.arguments)).toEqual(['a', '__proto__', 'constructor'])
})

describe('a validator that cannot judge', () => {
  const refusing = new Error('too costly')
  const atCompile: SchemaValidator = {
    compile() {
      throw refusing
    },
  }
  const atValidate: SchemaValidator = {
    compile: () => ({
      validate() {
        throw refusing
      },
    }),
  }
  it('refuses, with its error as the cause', async () => {
    expect(await callWith({ validator: atCompile }, { a: 1 })).toEqual(['cannot-judge', 0])
    expect(await callWith({ validator: atValidate }, { a: 1 })).toEqual(['cannot-judge', 0])
    await expect(
      bindSchema(verified, { ...options, validator: atValidate }).call(recorder().session, { a: 1 }),
    ).rejects.toMatchObject({ cause: refusing, data: { tool: 'tool', part: 'input' } })
  })

  it('or, where trusted code allows it, is passed over: the answer is unchecked', async () => {
    for (const unable of [atCompile, atValidate]) {
      const tool = bindSchema(verified, { ...options, validator: unable, whenUnjudged: 'allow' })
      const result = await tool.call(recorder().session, {})
      expect(result).toEqual({ kind: 'unstructured', content: [], structuredContent: { b: 1 } })
    }
  })

  it.each([
    ['nothing', undefined],
    ['a promise', Promise.resolve({ issues: [] })],
    ['a list of no issues', { issues: [] }],
    ['issues that are none', { issues: null }],
    ['the verdict of another library', { valid: false, errors: [1] }],
    ['a value beside', { value: {} }],
  ])('a verdict that is none is no verdict: %s', async (_name, verdict) => {
    const empty: SchemaValidator = { compile: () => ({ validate: () => verdict as never }) }
    expect(await callWith({ validator: empty }, { a: 1 })).toEqual(['cannot-judge', 0])
  })
})

describe('binding', () => {
  it.each([
    ['R-A-69, R-A-49: a look-alike', { ...verified }],
    ['a disclosure', { manifest: verified.manifest, parts: [] }],
    ['null', null],
  ])('%s is not verified', async (_name, schema) => {
    expect(await codeOf(() => bindSchema(schema as never, options))).toBe('not-verified')
  })

  it.each([
    ['R-A-55: no validator', { validator: undefined }],
    ['no scope', { scope: '' }],
    ['no generation', { generation: undefined }],
    ['half a generation', { generation: { catalog: 'c' } }],
    ['nobody to ask whether it is current', { isCurrent: undefined }],
    ['R-A-67: nobody to confirm', { confirm: undefined }],
    ['R-A-67: another word', { confirm: 'yes' }],
    ['a name that is none', { name: 5 }],
    ['no way', { via: null }],
    ['another way', { via: 'front' }],
    ['a judge of sources that is none', { acceptSource: true }],
    ['another word for unjudged', { whenUnjudged: 'maybe' }],
    ['an endless wait', { confirmTimeoutMs: Number.POSITIVE_INFINITY }],
  ])('%s is refused', async (_name, wrong) => {
    expect(await codeOf(() => bindSchema(verified, { ...options, ...wrong } as never))).toBe('argument-invalid')
  })

  it('R-A-68: the source is judged by trusted code', async () => {
    const seen: string[] = []
    const accept = (answer: unknown) => (source: string) => {
      seen.push(source)
      return answer as boolean
    }
    expect(await codeOf(() => bindSchema(verified, { ...options, acceptSource: accept(true) }))).toBe('accepted')
    for (const answer of [false, 1, undefined]) {
      const code = await codeOf(() => bindSchema(verified, { ...options, acceptSource: accept(answer) }))
      expect(code).toBe('source-refused')
    }
    expect(seen).toEqual(Array(4).fill(verified.manifest.source_sha256))
    const throwing = () => {
      throw new Error('lookup failed')
    }
    expect(() => bindSchema(verified, { ...options, acceptSource: throwing })).toThrow(
      expect.objectContaining({ code: 'source-refused', cause: new Error('lookup failed') }),
    )
  })

  it.each([
    ['a long place', { instancePath: `/${'x'.repeat(5000)}` }],
    ['no place', {}],
    ['nothing', null],
  ])('a message stays short where a validator names %s', async (_name, issue) => {
    const validator = { compile: () => ({ validate: () => ({ issues: [issue] }) }) } as never
    const tool = bindSchema(verified, { ...options, validator })
    const error = await tool.call(recorder().session, {}).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'arguments-invalid' })
    expect((error as Error).message).not.toContain('undefined')
    expect((error as Error).message.length).toBeLessThan(400)
  })

  it('R-A-49: takes verified schemas only, by type', () => {
    // @ts-expect-error a manifest is no verified schema
    const wrong = (): BoundTool => bindSchema(verified.manifest, options)
    expect(wrong).toThrow('expected a schema made by reconstructSchema')
    // @ts-expect-error R-A-55: there is no default validator
    expect(() => bindSchema(verified, { ...options, validator: undefined })).toThrow('validator')
  })
})

it('every code of ConsumerError is refused by a test of this folder', () => {
  const source = readFileSync(new URL('../../src/consumer/errors.ts', import.meta.url), 'utf8')
  const body = source.slice(source.indexOf('interface ConsumerErrorData'), source.indexOf('\n}\n'))
  const codes = [...body.matchAll(/^ {2}'([a-z-]+)':/gm)].map((match) => match[1] as string)
  const tests = ['bind', 'read', 'search-and-call']
    .map((name) => readFileSync(new URL(`./${name}.test.ts`, import.meta.url), 'utf8'))
    .join('')
  expect(codes.length).toBe(15)
  expect(codes.filter((code) => !tests.includes(`'${code}'`))).toEqual([])
})
