import { describe, expect, it } from 'vitest'
import { jsonSchemaValidator, loadPatternEngine, SchemaValidationError } from '../../src/validation/index.ts'
import { BUNDLED, type KnownDifference, OPTIONAL, REQUIRED } from './known-differences.ts'
import { bundled, DRAFTS, type Group, hasSuite, readGroups, type Schema } from './suite.ts'

const patternEngine = await loadPatternEngine()

/** What a group's tests end in, each a verdict or the code of a refusal. */
function outcomes(group: Group, schema: Schema, validator: ReturnType<typeof jsonSchemaValidator>): string[] {
  return group.tests.map(({ data }) => {
    try {
      return validator.compile(schema).validate(data).issues === undefined ? 'valid' : 'invalid'
    } catch (error) {
      if (SchemaValidationError.is(error)) return error.code
      throw error
    }
  })
}

const matches = (one: KnownDifference, draft: string, file: string, group: string): boolean =>
  [`*/${file}`, `${draft}/${file}`].includes(one.file) && (one.group === '*' || one.group === group)

/** Every difference from what the tests expect, and every known one that is none any more. */
function differences(
  draft: (typeof DRAFTS)[number],
  groups: readonly { readonly file: string; readonly group: Group }[],
  known: readonly KnownDifference[],
  prepare: (schema: Schema) => Schema = (schema) => schema,
): { readonly unexpected: string[]; readonly passed: number; readonly total: number } {
  const validator = jsonSchemaValidator({ patternEngine, defaultDialect: draft.dialect })
  const unexpected: string[] = []
  let passed = 0
  let total = 0
  for (const { file, group } of groups) {
    const expected = group.tests.map(({ valid }) => (valid ? 'valid' : 'invalid'))
    const actual = outcomes(group, prepare(group.schema), validator)
    total += expected.length
    const failed = actual.filter((one, index) => one !== expected[index])
    passed += expected.length - failed.length
    const difference = known.find((one) => matches(one, draft.folder, file, group.description))
    const isAsKnown =
      difference === undefined
        ? failed.length === 0
        : failed.length > 0 && failed.every((one) => one === difference.instead)
    if (!isAsKnown) unexpected.push(`${draft.folder}/${file}: ${group.description}: ${actual.join()}`)
  }
  return { unexpected, passed, total }
}

describe.runIf(hasSuite)('the JSON Schema Test Suite', () => {
  it.each(DRAFTS)('required tests of $folder', (draft) => {
    const { unexpected, passed, total } = differences(draft, readGroups(draft.folder), REQUIRED)
    console.log(`JSON Schema Test Suite, ${draft.folder} required: ${passed} of ${total}`)
    expect(total).toBeGreaterThan(600)
    expect(unexpected).toEqual([])
  })

  it.each(DRAFTS)('required tests of $folder, documents referred to put in', (draft) => {
    const groups = readGroups(draft.folder)
    const isRefused = ({ schema }: Group): boolean => outcomesNeedBundle(schema, draft)
    const refused = groups.filter(({ group }) => isRefused(group))
    expect(refused.length).toBeGreaterThan(5)
    expect(differences(draft, refused, BUNDLED, (schema) => bundled(schema, draft.folder)).unexpected).toEqual([])
  })

  it.each(DRAFTS)('optional tests of $folder', (draft) => {
    const { unexpected, passed, total } = differences(draft, readGroups(`${draft.folder}/optional`), OPTIONAL)
    console.log(`JSON Schema Test Suite, ${draft.folder} optional: ${passed} of ${total}`)
    expect(unexpected).toEqual([])
  })

  it('every known difference is one of some group', () => {
    const unused = (folder: string, known: readonly KnownDifference[]): readonly KnownDifference[] =>
      known.filter(
        (one) =>
          !DRAFTS.some((draft) =>
            readGroups(`${draft.folder}${folder}`).some(({ file, group }) =>
              matches(one, draft.folder, file, group.description),
            ),
          ),
      )
    expect([...unused('', REQUIRED), ...unused('', BUNDLED), ...unused('/optional', OPTIONAL)]).toEqual([])
  })
})

function outcomesNeedBundle(schema: Schema, { dialect }: (typeof DRAFTS)[number]): boolean {
  try {
    jsonSchemaValidator({ patternEngine, defaultDialect: dialect }).compile(schema)
    return false
  } catch (error) {
    return SchemaValidationError.is(error) && error.code === 'reference-remote'
  }
}
