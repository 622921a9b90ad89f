import { describe, expect, it } from 'vitest'
import { JsonNumber, parseJsonText } from '../../src/json/index.ts'
import { jsonSchemaValidator, loadPatternEngine, SchemaValidationError } from '../../src/validation/index.ts'
import { cpuMilliseconds } from './cpu-time.ts'

const validator = jsonSchemaValidator({ patternEngine: await loadPatternEngine() })

/** A verdict, or a code with where it was thrown. */
function judge(schema: unknown, value: unknown): string {
  let compiled: ReturnType<typeof validator.compile>
  try {
    compiled = validator.compile(schema as { [name: string]: unknown })
  } catch (error) {
    if (SchemaValidationError.is(error)) return `compile: ${error.code}`
    throw error
  }
  try {
    return compiled.validate(value).issues === undefined ? 'valid' : 'invalid'
  } catch (error) {
    if (SchemaValidationError.is(error)) return `validate: ${error.code}`
    throw error
  }
}

const nested = (levels: number, wrap: (inner: unknown) => unknown, inner: unknown): unknown => {
  let value = inner
  for (let level = 0; level < levels; level++) value = wrap(value)
  return value
}
const range = <Item>(length: number, make: (index: number) => Item): Item[] =>
  Array.from({ length }, (_, at) => make(at))
const own = (text: string): unknown => JSON.parse(text)
const inObject = (a: unknown): unknown => ({ a })
const inItems = (items: unknown): unknown => ({ items })
const doubling = {
  $ref: '#/$defs/d0',
  $defs: Object.fromEntries([
    ...range(22, (at) => [`d${at}`, { allOf: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] }]),
    ['d22', { type: 'integer' }],
  ]),
}
const recursive = { properties: { a: { $ref: '#' } }, required: ['a'] }
const smuggled = {
  $ref: '#/$defs/strict',
  __absolute_ref__: 'https://github.com/cfworker#/$defs/any',
  __absolute_uri__: 'https://github.com/cfworker#/$defs/any',
  $defs: { strict: { type: 'string' }, any: {} },
}
const BIG = '9007199254740993'
const BELOW = '9007199254740992'

type Row = readonly [name: string, schema: unknown, value: unknown, expected: string]

const PROBES: readonly Row[] = [
  ['a pattern that explodes elsewhere', { pattern: '^(a+)+$' }, `${'a'.repeat(5000)}!`, 'invalid'],
  ['the same in property names', { patternProperties: { '^(a+)+$': false } }, { [`${'a'.repeat(5000)}!`]: 1 }, 'valid'],
  ['the same, hit', { patternProperties: { '^(a+)+$': false } }, { aaa: 1 }, 'invalid'],
  [
    'many texts before such a pattern',
    { items: { pattern: '(x+x+)+y' } },
    range(1000, () => 'x'.repeat(1000)),
    'invalid',
  ],
  ['a schema that is itself', { $ref: '#' }, 1, 'compile: reference-loop'],
  [
    'two that are each other',
    { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } },
    1,
    'compile: reference-loop',
  ],
  ['a list that holds itself', { allOf: [{ $ref: '#' }] }, 1, 'compile: reference-loop'],
  ['a dynamic loop', { $dynamicAnchor: 'x', not: { $dynamicRef: '#x' } }, 1, 'compile: reference-loop'],
  [
    'a loop only the dynamic scope makes',
    {
      $id: 'http://a/',
      $dynamicAnchor: 'x',
      $ref: 'b',
      $defs: { b: { $id: 'b', allOf: [{ $dynamicRef: '#x' }], $defs: { x: { $dynamicAnchor: 'x' } } } },
    },
    1,
    'validate: too-many-steps',
  ],
  ['recursion into data of depth 1000', recursive, nested(1000, inObject, 1), 'valid'],
  ['the same, wrong at the bottom', recursive, nested(1000, inObject, {}), 'invalid'],
  ['recursion into data of depth 20000', recursive, nested(20_000, inObject, 1), 'validate: value-too-deep'],
  ['600 nested schemas', nested(600, inItems, { type: 'integer' }), nested(600, (one) => [one], 1), 'valid'],
  [
    '600 nested schemas, wrong at the bottom',
    nested(600, inItems, { type: 'integer' }),
    nested(600, (one) => [one], 'x'),
    'invalid',
  ],
  ['20000 nested schemas', nested(20_000, inItems, {}), 1, 'compile: schema-too-deep'],
  ['a deep const', { const: nested(20_000, (one) => [one], 1) }, 1, 'compile: schema-too-deep'],
  ['a const of 1000 levels', { const: nested(1000, (one) => [one], 1) }, nested(1000, (one) => [one], 1), 'valid'],
  ['a deep value', { type: 'array' }, nested(20_000, (one) => [one], 1), 'validate: value-too-deep'],
  ['references that double 22 times', doubling, 1, 'validate: too-many-steps'],
  ['a remote reference, reached', { $ref: 'http://example.com/x' }, 1, 'compile: reference-remote'],
  ['a remote reference, not reached', { properties: { a: { $ref: 'other.json' } } }, 1, 'compile: reference-remote'],
  ['a reference to nothing', { $ref: '#/$defs/none' }, 1, 'compile: reference-missing'],
  ['an invalid pattern', { pattern: '(' }, 1, 'compile: pattern-invalid'],
  ['an invalid pattern of names', { patternProperties: { '[': {} } }, {}, 'compile: pattern-invalid'],
  ['a pattern of Python', { pattern: '\\Z' }, 'x', 'compile: pattern-invalid'],
  ['flags in a pattern', { pattern: '(?i)x' }, 'x', 'compile: pattern-invalid'],
  ['a range that ends in a class', { pattern: '^[\\w-.]+$' }, 'x', 'compile: pattern-invalid'],
  ['an escaped hyphen', { pattern: 'a\\-b' }, 'a-b', 'compile: pattern-invalid'],
  ['letters of any script', { pattern: '^\\p{L}+$' }, 'Ünï', 'valid'],
  ['lookahead on a short text', { pattern: '^(?=.*\\d)(?=.*[a-z]).{4,}$' }, 'abc1', 'valid'],
  [
    'lookahead on a long text',
    { pattern: '^(?=.*\\d)(?=.*[a-z]).{4,}$' },
    'a'.repeat(300),
    'validate: string-too-long',
  ],
  ['backreference inside a loop', { pattern: '^(?:(a+)\\1)+$' }, 'aa', 'compile: pattern-unsupported'],
  ['20000 different numbers', { uniqueItems: true }, range(20_000, (at) => at), 'valid'],
  ['20000 different objects', { uniqueItems: true }, range(20_000, (id) => ({ id })), 'valid'],
  ['20000 objects, two equal', { uniqueItems: true }, [...range(20_000, (id) => ({ id })), { id: 7 }], 'invalid'],
  [
    'a choice of 20000 before 2000 items',
    { items: { enum: range(20_000, (at) => `v${at}`) } },
    range(2000, (at) => `v${at + 18_000}`),
    'valid',
  ],
  [
    'the same, one wrong',
    { items: { enum: range(20_000, (at) => `v${at}`) } },
    [...range(2000, (at) => `v${at}`), 'w'],
    'invalid',
  ],
  [
    'own __proto__ of the wrong type',
    own('{"properties":{"__proto__":{"type":"string"}}}'),
    own('{"__proto__":1}'),
    'invalid',
  ],
  ['__proto__ required and absent', { required: ['__proto__'] }, {}, 'invalid'],
  ['constructor required and absent', { required: ['constructor'] }, {}, 'invalid'],
  ['__proto__ beside closed properties', { additionalProperties: false }, own('{"__proto__":1}'), 'invalid'],
  ['__proto__ in a const', own('{"const":{"__proto__":1}}'), own('{"__proto__":1}'), 'valid'],
  ['__proto__ in a const, absent', own('{"const":{"__proto__":1}}'), {}, 'invalid'],
  ['toString absent', { properties: { toString: { type: 'string' } } }, {}, 'valid'],
  ['dependents of an inherited name', { dependentRequired: { toString: ['x'] } }, {}, 'valid'],
  ['required: true', { required: true }, {}, 'compile: keyword-invalid'],
  ['properties: null', { properties: null }, {}, 'compile: keyword-invalid'],
  ['a misspelt type', { type: 'strnig' }, 'x', 'compile: keyword-invalid'],
  ['a negative length', { minLength: -1 }, 'x', 'compile: keyword-invalid'],
  ['multipleOf: 0', { multipleOf: 0 }, 1, 'compile: keyword-invalid'],
  ['an unknown format', { format: 'int64' }, 'x', 'valid'],
  ['a known format', { format: 'email' }, 'no address', 'valid'],
  ['a hundredth', { multipleOf: 0.01 }, 19.99, 'valid'],
  ['no hundredth', { multipleOf: 0.01 }, 19.995, 'invalid'],
  ['nullable', { type: 'string', nullable: true }, null, 'invalid'],
  ['undefined', {}, undefined, 'validate: value-not-json'],
  ['undefined inside', {}, { a: undefined }, 'validate: value-not-json'],
  ['a function', {}, () => 1, 'validate: value-not-json'],
  ['NaN', {}, Number.NaN, 'validate: value-not-json'],
  ['a Date', {}, new Date(0), 'validate: value-not-json'],
  ['smuggled names', smuggled, 1, 'invalid'],
  ['an unknown dialect', { $schema: 'https://example.com/mine' }, 1, 'compile: dialect-unknown'],
  [
    'a dialect inside another',
    {
      $schema: 'http://json-schema.org/draft-07/schema#',
      items: { $schema: 'https://json-schema.org/draft/2020-12/schema' },
    },
    1,
    'compile: dialect-unknown',
  ],
  ['a schema that is a text', 'x', 1, 'compile: keyword-invalid'],
  ['a schema with a function', { const: () => 1 }, 1, 'compile: schema-not-json'],
  [
    'two of one name',
    { $defs: { a: { $id: 'http://a/x' }, b: { $id: 'http://a/x' } } },
    1,
    'compile: identifier-duplicate',
  ],
  ['a broken reference', { $ref: '#/%' }, 1, 'compile: reference-invalid'],
  ['a big integer against a bound', { maximum: new JsonNumber(BELOW) }, new JsonNumber(BIG), 'invalid'],
  ['a big integer as bigint', { maximum: new JsonNumber(BELOW) }, BigInt(BIG), 'invalid'],
  ['a big bound as bigint', { exclusiveMinimum: BigInt(BELOW) }, new JsonNumber(BIG), 'valid'],
  ['a big const', parseJsonText(`{"const":${BIG}}`), parseJsonText(BELOW), 'invalid'],
  ['a big enum', parseJsonText(`{"enum":[${BIG}]}`), parseJsonText(BIG), 'valid'],
  ['big equal items', { uniqueItems: true }, parseJsonText(`[${BIG},${BELOW}]`), 'valid'],
  ['a big multiple', { multipleOf: 2 }, new JsonNumber(BIG), 'invalid'],
  ['a big integer is one', { type: 'integer' }, new JsonNumber(BIG), 'valid'],
  ['1.0 is an integer', { type: 'integer' }, new JsonNumber('1.0'), 'valid'],
  ['1e400 is an integer', { type: 'integer' }, new JsonNumber('1e400'), 'valid'],
  ['1.50 is no integer', { type: 'integer' }, new JsonNumber('1.50'), 'invalid'],
  ['1.0 equals 1', { const: 1 }, new JsonNumber('1.0'), 'valid'],
  ['a huge exponent', { multipleOf: 3 }, new JsonNumber('1e999999999'), 'invalid'],
  ['an exponent beyond all', { type: 'integer' }, new JsonNumber('1e9999999999'), 'validate: number-too-long'],
  ['digits without end', { multipleOf: 7 }, new JsonNumber('7'.repeat(6000)), 'validate: number-too-long'],
  [
    'many long numbers',
    { items: { multipleOf: new JsonNumber('3'.repeat(4000)) } },
    range(500, () => new JsonNumber(`${'7'.repeat(4000)}e999999`)),
    'validate: too-many-steps',
  ],
  [
    'a thousand branches before ten thousand items',
    { items: { anyOf: range(1000, () => ({ type: 'string' })) } },
    range(10_000, () => 1),
    'validate: too-many-steps',
  ],
  [
    'ten thousand branches that read a long text',
    { allOf: range(10_000, () => ({ minLength: 1 })) },
    'x'.repeat(1_000_000),
    'validate: too-many-steps',
  ],
  [
    'ten thousand branches that list names',
    { allOf: range(10_000, () => ({ minProperties: 1 })) },
    Object.fromEntries(range(10_000, (at) => [`n${at}`, 1])),
    'validate: too-many-steps',
  ],
  [
    'a hundred patterns before long names',
    { patternProperties: Object.fromEntries(range(100, (at) => [`^(x+)+${at}`, {}])) },
    Object.fromEntries(range(100, (at) => [`${'x'.repeat(5000)}${at}`, 1])),
    'validate: too-many-steps',
  ],
  [
    'very many patterns',
    { allOf: range(5000, (at) => ({ pattern: `(?:a|b|ab){1,900}${at}` })) },
    'x',
    'compile: schema-too-large',
  ],
  ['very many members', { enum: range(200_000, (at) => at) }, 1, 'compile: schema-too-large'],
  [
    'unevaluated members under many branches',
    { allOf: range(1000, (at) => ({ properties: { [`n${at}`]: {} } })), unevaluatedProperties: false },
    Object.fromEntries(range(1000, (at) => [`n${at}`, 1])),
    'validate: too-many-steps',
  ],
  [
    'deep paths times wide properties',
    nested(450, (one) => ({ properties: { aaaaaaaaaa: one } }), {
      properties: Object.fromEntries(range(20_000, (at) => [`n${at}`, {}])),
    }),
    {},
    'valid',
  ],
  [
    'reasons at deep places, dropped again',
    nested(400, (a) => ({ properties: { a } }), { contains: { type: 'string' } }),
    nested(
      400,
      inObject,
      range(50_000, (at) => at),
    ),
    'invalid',
  ],
  [
    'identifiers that add up',
    nested(400, (one) => ({ $id: `${'x'.repeat(4000)}/`, items: one }), {}),
    1,
    'compile: reference-invalid',
  ],
  ['a very long text before a loop', { pattern: '^(?:ab?)*$' }, 'ab'.repeat(2_000_000), 'valid'],
  [
    'a long name in every issue',
    { additionalProperties: { allOf: range(500, () => false) } },
    { ['n'.repeat(1_000_000)]: 1 },
    'invalid',
  ],
]

describe('schemas and values that break validators', () => {
  it.each(PROBES)('%s', (_name, schema, value, expected) => {
    // Once before, so that what is measured is the work and not the loading of it.
    judge({ type: 'integer', pattern: '(a+)+b' }, 'x')
    let grown = Number.POSITIVE_INFINITY
    const took = cpuMilliseconds(200, () => {
      const before = process.memoryUsage().heapUsed
      expect(judge(schema, value)).toBe(expected)
      grown = Math.min(grown, (process.memoryUsage().heapUsed - before) / 2 ** 20)
    })
    if (process.env.PROBES !== undefined) console.log(`PROBE ${_name}: ${took.toFixed(1)} ms, ${grown.toFixed(1)} MB`)
    expect(took).toBeLessThan(200)
    expect(grown).toBeLessThan(64)
  })
})
