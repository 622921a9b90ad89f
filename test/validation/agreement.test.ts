import Ajv from 'ajv'
import Ajv2020 from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { jsonSchemaValidator, loadPatternEngine, SchemaValidationError } from '../../src/validation/index.ts'
import { DRAFTS, hasSuite, readGroups } from './suite.ts'

/** Set to stand in for the other engine; undefined lets it be itself. */
let stub: ((value: unknown, real: () => boolean) => boolean) | undefined
vi.mock('@cfworker/json-schema', async (original) => {
  const { validate } = await original<typeof import('@cfworker/json-schema')>()
  return {
    validate(...args: Parameters<typeof validate>): ReturnType<typeof validate> {
      const real = () => validate(...args)
      return stub === undefined ? real() : { valid: stub(args[0], () => real().valid), errors: [] }
    },
  }
})
afterEach(() => {
  stub = undefined
})

const patternEngine = await loadPatternEngine()
const validator = jsonSchemaValidator({ patternEngine })

/** The verdict of each engine; undefined where the other one was not asked or gave up. */
function both(schema: object, value: unknown, engine = validator): { own: boolean; other: boolean | undefined } {
  const compiled = engine.compile(schema as { [name: string]: unknown })
  let other: boolean | undefined
  stub = (_value, real) => {
    other = real()
    return other
  }
  compiled.validate(value)
  // Whatever stands in for it, an error makes it give up, and the evaluator alone decides.
  stub = () => {
    throw new Error('unavailable')
  }
  return { own: compiled.validate(value).issues === undefined, other }
}

const name = fc.constantFrom('a', 'b', 'c', '__proto__', 'toString', 'é~/')
const scalar = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, 0, 1, 2, -1, 1.5, 0.01, 19.99, 1e21, 3, '', 'a', 'ab', 'é😀', 'toString'),
  fc.integer({ min: -5, max: 5 }),
)
const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(name, tie('value')), { maxLength: 4 }).map(object),
  ),
})).value

/** Own names only, `__proto__` among them. */
function object(entries: readonly (readonly [string, unknown])[]): object {
  const made = {}
  for (const [key, member] of entries) {
    Object.defineProperty(made, key, { value: member, enumerable: true, configurable: true, writable: true })
  }
  return made
}

const count = fc.integer({ min: 0, max: 3 })
const number = fc.constantFrom(-1, 0, 0.01, 1, 1.5, 2, 3, 20)
const types = fc.constantFrom('null', 'boolean', 'number', 'integer', 'string', 'array', 'object')
const names = fc.uniqueArray(name, { maxLength: 3 })

/** Schemas of the keywords both dialects share, `$ref` into `$defs` among them. */
const schema = fc.letrec<{ schema: unknown }>((tie) => {
  const sub = tie('schema')
  const list = fc.array(sub, { minLength: 1, maxLength: 3 })
  const keywords: Record<string, fc.Arbitrary<unknown>> = {
    type: fc.oneof(types, fc.uniqueArray(types, { minLength: 1, maxLength: 3 })),
    const: value,
    enum: fc.uniqueArray(value, { minLength: 1, maxLength: 3, selector: (one) => JSON.stringify(one) }),
    minimum: number,
    maximum: number,
    exclusiveMinimum: number,
    exclusiveMaximum: number,
    multipleOf: fc.constantFrom(0.5, 1, 2, 3),
    minLength: count,
    maxLength: count,
    pattern: fc.constantFrom('^a', 'b$', '^[a-c]+$', 'é'),
    minItems: count,
    maxItems: count,
    uniqueItems: fc.boolean(),
    minProperties: count,
    maxProperties: count,
    required: names,
    allOf: list,
    anyOf: list,
    oneOf: list,
    not: sub,
    if: sub,
    // biome-ignore lint/suspicious/noThenProperty: a keyword
    then: sub,
    else: sub,
    properties: fc.array(fc.tuple(name, sub), { maxLength: 3 }).map(object),
    patternProperties: fc.array(fc.tuple(fc.constantFrom('^a', 'b', '^[ab]$'), sub), { maxLength: 2 }).map(object),
    additionalProperties: sub,
    propertyNames: sub,
    dependentRequired: fc.array(fc.tuple(name, names), { maxLength: 2 }).map(object),
    dependentSchemas: fc.array(fc.tuple(name, sub), { maxLength: 2 }).map(object),
    prefixItems: list,
    items: sub,
    contains: sub,
    minContains: count,
    maxContains: count,
    $ref: fc.constantFrom('#/$defs/x', '#/$defs/y'),
  }
  const entry = fc.oneof(...Object.entries(keywords).map(([key, arbitrary]) => fc.tuple(fc.constant(key), arbitrary)))
  return {
    schema: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.boolean(),
      fc.uniqueArray(entry, { minLength: 1, maxLength: 4, selector: ([key]) => key }).map(object),
    ),
  }
}).schema

const document = fc
  .tuple(
    fc.uniqueArray(fc.tuple(fc.constantFrom('k', 'l'), schema), {
      minLength: 1,
      maxLength: 2,
      selector: ([key]) => key,
    }),
    schema,
    schema,
  )
  .map(([parts, x, y]) => ({ allOf: parts.map(([, part]) => part), $defs: { x, y } }))

const isRefused = (one: object): boolean => {
  try {
    validator.compile(one as { [name: string]: unknown })
    return false
  } catch (error) {
    if (SchemaValidationError.is(error)) return true
    throw error
  }
}

describe('two engines', () => {
  it('R-C-03: @cfworker/json-schema decides: with another verdict of its, the verdict is another', () => {
    const compiled = validator.compile({ type: 'object', required: ['a'] })
    expect(compiled.validate({ a: 1 })).toEqual({})
    stub = () => false
    expect(compiled.validate({ a: 1 }).issues).toEqual([
      { message: 'Does not satisfy the schema', instancePath: '', schemaPath: '' },
    ])
    stub = () => true
    expect(compiled.validate({})).toEqual({})
  })

  it('agree wherever the other one is asked, on schemas and values made up', () => {
    let asked = 0
    let valid = 0
    fc.assert(
      fc.property(document, fc.array(value, { minLength: 4, maxLength: 4 }), (one, values) => {
        if (isRefused(one)) return
        for (const item of values) {
          const { own, other } = both(one, item)
          if (other === undefined) continue
          asked++
          if (own) valid++
          expect({ schema: one, value: item, other }).toEqual({ schema: one, value: item, other: own })
        }
      }),
      { numRuns: 3000 },
    )
    expect(asked).toBeGreaterThan(3000)
    expect(valid).toBeGreaterThan(300)
    expect(asked - valid).toBeGreaterThan(300)
  })

  it.runIf(hasSuite).each(DRAFTS)('agree on the test suite of $folder', ({ folder, dialect }) => {
    const engine = jsonSchemaValidator({ patternEngine, defaultDialect: dialect })
    let asked = 0
    for (const { group } of readGroups(folder)) {
      for (const { data, description } of group.tests) {
        try {
          const { own, other } = both(group.schema, data, engine)
          if (other === undefined) continue
          asked++
          expect([group.description, description, other]).toEqual([group.description, description, own])
        } catch (error) {
          if (!SchemaValidationError.is(error)) throw error
        }
      }
    }
    expect(asked).toBeGreaterThan(400)
  })

  it('the other one is not asked what it judges wrongly: a schema beside counts for its unevaluated members', () => {
    const one = {
      $defs: { a: { properties: { a: true } } },
      $ref: '#/$defs/a',
      allOf: [{ unevaluatedProperties: false }],
    }
    expect(both(one, { a: 1 })).toEqual({ own: false, other: undefined })
  })
})

describe('Ajv', () => {
  const options = {
    strict: false,
    validateFormats: false,
    ownProperties: true,
    logger: false,
    inlineRefs: true,
  } as const

  it('agrees on schemas and values made up', () => {
    let compared = 0
    fc.assert(
      fc.property(document, fc.array(value, { minLength: 4, maxLength: 4 }), (one, values) => {
        // Ajv passes over `__proto__`, takes a remainder of doubles, and finds in an empty array what `contains` asks for where
        // `prefixItems` stands beside it.
        const text = JSON.stringify(one)
        const isMisjudged =
          /__proto__|multipleOf/.test(text) || (text.includes('"contains"') && text.includes('"prefixItems"'))
        if (isMisjudged || isRefused(one)) return
        const ajv = new Ajv2020(options)
        const validate = ajv.compile(one)
        const compiled = validator.compile(one)
        for (const item of values) {
          // Nor can it compare an object with such a member.
          if (/__proto__|"toString":/.test(JSON.stringify(item))) continue
          compared++
          const holds = compiled.validate(item).issues === undefined
          expect({ schema: one, value: item, holds }).toEqual({ schema: one, value: item, holds: validate(item) })
        }
      }),
      { numRuns: 400 },
    )
    expect(compared).toBeGreaterThan(200)
  })

  it.each([
    [
      'items as a list, and what follows',
      { items: [{ type: 'string' }], additionalItems: { type: 'number' } },
      ['a', 1, 'b'],
    ],
    ['dependencies of both kinds', { dependencies: { a: ['b'], c: { required: ['d'] } } }, { a: 1, b: 2, c: 3 }],
    ['an anchor as identifier', { definitions: { x: { $id: '#here', type: 'null' } }, $ref: '#/definitions/x' }, 1],
  ])('agrees in draft 07: %s', (_name, one, item) => {
    const own = jsonSchemaValidator({ defaultDialect: 'draft-07' }).compile(one)
    expect(own.validate(item).issues === undefined).toBe(new Ajv({ strict: false, logger: false }).compile(one)(item))
  })
})
