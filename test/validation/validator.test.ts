import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { JsonNumber, parseJsonText } from '../../src/json/index.ts'
import {
  inspectSchema,
  jsonSchemaValidator,
  loadPatternEngine,
  SchemaValidationError,
  type SchemaValidationErrorCode,
  type ValidatorOptions,
} from '../../src/validation/index.ts'

const patternEngine = await loadPatternEngine()
const validator = jsonSchemaValidator({ patternEngine })
const judge = (schema: object, value: unknown, options: ValidatorOptions = { patternEngine }) =>
  jsonSchemaValidator(options)
    .compile(schema as { [name: string]: unknown })
    .validate(value)

/** The error thrown, which is one of this folder. */
function refusal(run: () => unknown): { readonly code: string; readonly data: unknown } {
  try {
    run()
  } catch (error) {
    if (SchemaValidationError.is(error)) return { code: error.code, data: error.data }
    throw error
  }
  throw new Error('nothing was refused')
}

const frozen = <Value>(value: Value): Value => {
  if (typeof value === 'object' && value !== null) for (const member of Object.values(value)) frozen(member)
  return Object.freeze(value)
}

describe('what a verdict says', () => {
  it.each<readonly [string, object, unknown, readonly (readonly [instancePath: string, schemaPath: string])[]]>([
    ['a member', { properties: { a: { type: 'string' } } }, { a: 1 }, [['/a', '/properties/a/type']]],
    [
      'a name that needs escapes',
      { properties: { 'a/b~c': false } },
      { 'a/b~c': 1 },
      [['/a~1b~0c', '/properties/a~1b~0c']],
    ],
    ['the missing name by its place', { required: ['a', 'b'] }, { a: 1 }, [['', '/required/1']]],
    [
      'the missing dependent by its place',
      { dependentRequired: { a: ['b', 'c'] } },
      { a: 1, b: 1 },
      [['', '/dependentRequired/a/1']],
    ],
    ['an item', { items: { minimum: 2 } }, [3, 1], [['/1', '/items/minimum']]],
    [
      'what is referred to, where it stands',
      { $ref: '#/$defs/x', $defs: { x: { type: 'null' } } },
      1,
      [['', '/$defs/x/type']],
    ],
    [
      'the list, then its branches',
      { anyOf: [{ type: 'null' }, { minimum: 2 }] },
      1,
      [
        ['', '/anyOf'],
        ['', '/anyOf/0/type'],
        ['', '/anyOf/1/minimum'],
      ],
    ],
    [
      'no branch of a list that is satisfied',
      { anyOf: [{ type: 'null' }, { type: 'number' }], maximum: 0 },
      1,
      [['', '/maximum']],
    ],
    ['two that hold at once', { oneOf: [true, {}] }, 1, [['', '/oneOf']]],
    // biome-ignore lint/suspicious/noThenProperty: a keyword
    ['the branch of a condition', { if: { type: 'number' }, then: { minimum: 2 } }, 1, [['', '/then/minimum']]],
    [
      'too few and too many of a kind',
      {
        prefixItems: [
          { contains: { const: 1 } },
          { contains: true, minContains: 3 },
          { contains: true, maxContains: 0 },
        ],
      },
      [[2], [1], [1]],
      [
        ['/0', '/prefixItems/0/contains'],
        ['/1', '/prefixItems/1/minContains'],
        ['/2', '/prefixItems/2/maxContains'],
      ],
    ],
    [
      'members nobody looked at',
      { properties: { a: true }, unevaluatedProperties: false },
      { a: 1, b: 2 },
      [['/b', '/unevaluatedProperties']],
    ],
    ['a name', { propertyNames: { maxLength: 1 } }, { ab: 1 }, [['/ab', '/propertyNames/maxLength']]],
    [
      'all reasons',
      { type: 'object', required: ['x'], properties: { a: { type: 'null' } } },
      { a: 1 },
      [
        ['', '/required/0'],
        ['/a', '/properties/a/type'],
      ],
    ],
    [
      'the exclusive bound of draft 04',
      { $schema: 'http://json-schema.org/draft-04/schema#', minimum: 1, exclusiveMinimum: true },
      1,
      [['', '/minimum']],
    ],
  ])('R-A-55, R-A-56: names %s', (_name, schema, value, expected) => {
    const found = judge(schema, value).issues?.map((issue) => [issue.instancePath, issue.schemaPath])
    expect(found).toEqual(expected)
  })

  it('is empty where all holds', () => {
    expect(judge({ type: 'integer' }, 1)).toEqual({})
  })

  it('holds no value, of the instance or of the schema', () => {
    const secret = 'sk-secret'
    const schema = { items: { const: `${secret}1`, enum: [`${secret}2`], pattern: `^${secret}3$`, type: 'null' } }
    const { issues } = judge(schema, [`${secret}4`])
    expect(issues?.length).toBe(4)
    expect(JSON.stringify(issues)).not.toContain(secret)
  })

  it('names at most a hundred reasons', () => {
    const value = Array.from({ length: 1000 }, () => 'x')
    expect(judge({ items: { type: 'null' } }, value).issues?.length).toBe(100)
  })
})

describe('what is handed in stays as it is', () => {
  it('judges by a frozen schema', () => {
    const schema = frozen({ $ref: '#/$defs/a', $defs: { a: { properties: { b: { type: 'string' } } } } })
    expect(judge(schema, frozen({ b: 1 })).issues?.length).toBe(1)
  })

  it('adds nothing, not even what is not enumerable', () => {
    const schema = { $ref: '#/$defs/a', $defs: { a: { properties: { b: { type: 'string' } } } } }
    const value = { b: 1 }
    judge(schema, value)
    const names = [schema, schema.$defs, schema.$defs.a, schema.$defs.a.properties.b, value].flatMap((one) =>
      Reflect.ownKeys(one),
    )
    expect(names).toEqual(['$ref', '$defs', 'a', 'properties', 'type', 'b'])
  })

  it('keeps its own copy: a schema changed later changes nothing', () => {
    const schema = { required: ['a'], properties: { a: { type: 'string' } } }
    const compiled = validator.compile(schema)
    schema.required.length = 0
    schema.properties.a.type = 'number'
    expect(compiled.validate({ a: 'x' })).toEqual({})
    expect(compiled.validate({}).issues?.length).toBe(1)
  })

  it('reads what parseJsonText gives: no prototypes, exact numbers', () => {
    const schema = parseJsonText('{"properties":{"n":{"maximum":9007199254740993}},"minProperties":1.0}') as object
    expect(judge(schema, parseJsonText('{"n":9007199254740993}'))).toEqual({})
    expect(judge(schema, parseJsonText('{"n":9007199254740994}')).issues?.length).toBe(1)
    expect(judge(schema, parseJsonText('{}')).issues?.length).toBe(1)
  })
})

const loop: unknown[] = []
loop.push(loop)
const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)])

describe('codes', () => {
  const REFUSALS: Record<SchemaValidationErrorCode, readonly [run: () => unknown, data: object]> = {
    'schema-not-json': [() => judge({ a: { 'b/c': undefined } }, 1), { path: '/a/b~1c' }],
    'schema-too-deep': [() => judge({ const: loop }, 1), { limit: 1024 }],
    'schema-too-large': [() => judge({ enum: [1, 2, 3] }, 1, { maxSchemaValues: 4 }), { limit: 4 }],
    'dialect-unknown': [
      () => judge({ $schema: 'http://json-schema.org/draft-03/schema#' }, 1),
      { path: '/$schema', dialect: 'http://json-schema.org/draft-03/schema#' },
    ],
    'keyword-invalid': [() => judge({ items: { required: true } }, 1), { path: '/items/required' }],
    'reference-invalid': [() => judge({ allOf: [{ $ref: 'http://[' }] }, 1), { path: '/allOf/0/$ref' }],
    'reference-remote': [() => judge({ items: { $ref: 'https://example.com/x' } }, 1), { path: '/items/$ref' }],
    'reference-missing': [() => judge({ $ref: '#x' }, 1), { path: '/$ref' }],
    'reference-loop': [() => judge({ $defs: { a: { $ref: '#/$defs/a' } } }, 1), { path: '/$defs/a' }],
    'identifier-duplicate': [
      () => judge({ $defs: { a: { $anchor: 'x' }, b: { $anchor: 'x' } } }, 1),
      { path: '/$defs/b/$anchor' },
    ],
    'pattern-invalid': [() => judge({ patternProperties: { '(/': true } }, 1), { path: '/patternProperties/(~1' }],
    'pattern-unsupported': [() => judge({ pattern: '^(?:(a+)\\1)+$' }, 1), { path: '/pattern' }],
    'pattern-engine-missing': [() => judge({ pattern: '(a+)+b' }, 1, {}), { path: '/pattern' }],
    'value-not-json': [() => judge({}, [{ a: undefined }]), { path: '/0/a' }],
    'value-too-deep': [() => judge({}, nested(5), { maxDepth: 4 }), { limit: 4 }],
    'number-too-long': [() => judge({}, [new JsonNumber('1'.repeat(6000))]), { path: '/0' }],
    'string-too-long': [() => judge({ pattern: '^(a+)\\1$' }, 'a'.repeat(257)), { limit: 256 }],
    'too-many-steps': [() => judge({ items: {} }, Array(2000).fill(1), { maxSteps: 1000 }), { limit: 1000 }],
    'too-slow': [
      () => {
        let now = 0
        judge({ items: {} }, Array(5000).fill(1), { maxMilliseconds: 2, clock: () => now++ })
      },
      { limit: 2 },
    ],
    'option-invalid': [() => judge({}, 1, { maxSteps: 0 }), { option: 'maxSteps' }],
  }

  it.each(Object.entries(REFUSALS))('%s', (code, [run, data]) => {
    expect(refusal(run)).toEqual({ code, data })
  })

  it.each([
    [{ maxDepth: 5000 }, 'maxDepth'],
    [{ maxMilliseconds: Number.NaN }, 'maxMilliseconds'],
    [{ maxSchemaValues: 1.5 }, 'maxSchemaValues'],
    [{ defaultDialect: 'draft-03' as never }, 'defaultDialect'],
    [{ clock: 5 as never }, 'clock'],
    [{ patternEngine: {} as never }, 'patternEngine'],
    [null as never, 'options'],
  ])('an option outside its range: %o', (options, option) => {
    expect(refusal(() => jsonSchemaValidator(options))).toEqual({ code: 'option-invalid', data: { option } })
  })

  const broken = {
    get a(): never {
      throw new Error('no')
    },
  }
  const revoked = Proxy.revocable({}, {})
  revoked.revoke()
  let reads = 0
  const fickle = {
    get a() {
      if (++reads > 1) throw new Error('no')
      return 1
    },
  }
  it.each([
    ['a getter that throws', broken],
    ['a proxy that was revoked', revoked.proxy],
    ['a getter that throws the second time', fickle],
  ])('what cannot be read is no JSON: %s', (_name, value) => {
    const properties = { a: { type: 'string' } }
    expect(refusal(() => judge({ properties }, value))).toMatchObject({ code: 'value-not-json' })
    if (value !== fickle) expect(refusal(() => judge({ const: value }, 1))).toMatchObject({ code: 'schema-not-json' })
  })

  it('the clock is looked at once in about a thousand steps', () => {
    let looks = 0
    judge({ items: {} }, Array(20_000).fill(1), { clock: () => looks++ * 0 })
    expect(looks).toBeGreaterThan(2)
    expect(looks).toBeLessThan(150)
  })

  it('a stack that ends early is a code, never a RangeError', () => {
    const compiled = validator.compile({ properties: { a: { $ref: '#' } } })
    const value = parseJsonText(`${'{"a":'.repeat(900)}1${'}'.repeat(900)}`)
    const deep = nested(900)
    const codes = new Set<string>()
    const descend = (): void => {
      try {
        for (const run of [
          () => compiled.validate(value),
          () => validator.compile({ const: deep }),
          () => inspectSchema({ const: value }),
        ])
          run()
      } catch (error) {
        codes.add(SchemaValidationError.is(error) ? error.code : String(error))
      }
    }
    // Tries at every depth of the caller's own stack, nearly to its end: with nothing left not even an error can be made.
    const dig = (): void => {
      let isEnd = false
      try {
        dig()
      } catch {
        isEnd = true
      }
      if (isEnd) return
      tries++
      if (tries % 50 === 0 && tries >= 200 && tries < 2000) descend()
    }
    let tries = 0
    dig()
    // An engine whose stack ends inside a getter of the module system calls that a type error: it could not read.
    const expected = ['value-too-deep', 'schema-too-deep', 'value-not-json', 'schema-not-json']
    for (const code of codes) expect(expected).toContain(code)
  })
})

describe('whatever is handed in', () => {
  const KEYWORDS = (
    '$schema $id id $ref $anchor $dynamicRef $dynamicAnchor $recursiveRef $recursiveAnchor $defs definitions type enum const ' +
    'multipleOf maximum exclusiveMaximum maxLength pattern maxItems uniqueItems maxProperties required properties ' +
    'patternProperties additionalProperties propertyNames dependencies dependentRequired dependentSchemas items prefixItems ' +
    'additionalItems contains minContains maxContains unevaluatedItems unevaluatedProperties allOf anyOf oneOf not if then else ' +
    '__proto__ __absolute_ref__ __absolute_uri__ nullable'
  ).split(' ')
  const odd = fc.constantFrom<unknown>(
    ...['', '#', '#a', '#/', '#/$defs/a', '#/allOf/0', 'x', 'http://a/', 'urn:x:y', '\ud800', '(a+)+b', '^a$', '['],
    ...['object', 'integer', true, false, null, 0, -1, 0.5, 1e300, 5n, new JsonNumber('1e400'), new JsonNumber('2.0')],
    ...[
      'http://json-schema.org/draft-04/schema#',
      'https://json-schema.org/draft/2019-09/schema',
      undefined,
      Number.NaN,
    ],
  )
  const anything = fc.letrec<{ one: unknown }>((tie) => ({
    one: fc.oneof(
      { depthSize: 'medium', withCrossShrink: true },
      odd,
      fc.array(tie('one'), { maxLength: 3 }),
      fc.array(fc.tuple(fc.constantFrom(...KEYWORDS, 'a'), tie('one')), { maxLength: 4 }).map(Object.fromEntries),
    ),
  })).one

  const members = fc
    .array(fc.tuple(fc.constantFrom(...KEYWORDS), anything), { minLength: 1, maxLength: 4 })
    .map(Object.fromEntries)

  it('ends in a verdict or a code, and inspectSchema knows which', () => {
    const ends = new Map<string, number>()
    fc.assert(
      fc.property(members, anything, (schema, value) => {
        let end = 'verdict'
        try {
          judge(schema as object, value)
        } catch (error) {
          if (!SchemaValidationError.is(error)) throw error
          end = error.code
          expect(error.message).not.toMatch(/http|urn/)
        }
        ends.set(end, (ends.get(end) ?? 0) + 1)
        if (end === 'verdict') expect(inspectSchema(schema, { patternEngine }).problems).toEqual([])
      }),
      { numRuns: 4000 },
    )
    expect(ends.get('verdict')).toBeGreaterThan(50)
    expect(ends.size).toBeGreaterThan(6)
  })
})

describe('inspectSchema', () => {
  it('reports dialect, unknown members, patterns and problems, and throws for none of them', () => {
    const report = inspectSchema(
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        nullable: true,
        properties: { nullable: { 'x-extra': 1, pattern: '^a+$', format: 'email' }, b: { pattern: '(a+)+b' } },
        patternProperties: { '^(?=.*x)': { minItems: -1 } },
        prefixItems: [],
        items: { $ref: 'other.json' },
      },
      { patternEngine },
    )
    expect(report).toEqual({
      dialect: 'draft-07',
      problems: [
        { code: 'keyword-invalid', path: '/patternProperties/^(?=.*x)/minItems' },
        { code: 'reference-remote', path: '/items/$ref' },
      ],
      unknownKeywords: ['/nullable', '/prefixItems', '/properties/nullable/x-extra'],
      patterns: [
        { path: '/patternProperties/^(?=.*x)', engine: 'bounded' },
        { path: '/properties/nullable/pattern', engine: 'native' },
        { path: '/properties/b/pattern', engine: 're2' },
      ],
    })
  })

  it('names what needs the engine', () => {
    expect(inspectSchema({ pattern: '(a+)+b' }).problems).toEqual([
      { code: 'pattern-engine-missing', path: '/pattern' },
    ])
  })

  it('finds nothing in a schema that compile takes', () => {
    expect(inspectSchema({ type: 'object' })).toEqual({
      dialect: '2020-12',
      problems: [],
      unknownKeywords: [],
      patterns: [],
    })
  })
})
