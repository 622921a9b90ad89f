import { describe, expect, it } from 'vitest'
import { JsonNumber } from '../../src/json/index.ts'
import { jsonSchemaValidator, loadPatternEngine, SchemaValidationError } from '../../src/validation/index.ts'

describe('validation where the clock stands still and no code may be generated', () => {
  it.each([
    ['the other engine', { type: 'object', required: ['a'] }, { a: 1 }, {}],
    ['RE2', { pattern: '^(a+)+$' }, `${'a'.repeat(5000)}!`, 'pattern'],
    ['exact numbers', { maximum: 9007199254740992 }, new JsonNumber('9007199254740993'), 'maximum'],
    ['deep values', { properties: { a: { $ref: '#' } } }, JSON.parse(`${'{"a":'.repeat(900)}1${'}'.repeat(900)}`), {}],
  ])('R-C-03: %s', async (_name, schema, value, expected) => {
    const validator = jsonSchemaValidator({ patternEngine: await loadPatternEngine() })
    const { issues } = validator.compile(schema).validate(value)
    if (typeof expected === 'string') expect(issues?.[0].schemaPath).toBe(`/${expected}`)
    else expect(issues).toBe(undefined)
  })

  it('steps end what the clock would not', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 22 }, (_, at) => [`d${at}`, { allOf: Array(2).fill({ $ref: `#/$defs/d${at + 1}` }) }]),
    )
    const compiled = jsonSchemaValidator().compile({ $ref: '#/$defs/d0', $defs: { ...$defs, d22: { type: 'null' } } })
    let code: string | undefined
    try {
      compiled.validate(1)
    } catch (error) {
      if (SchemaValidationError.is(error)) code = error.code
    }
    expect(code).toBe('too-many-steps')
  })
})
