/**
 * The JSON Schema Test Suite, read in place.
 * @module
 */

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseJsonText } from '../../src/json/index.ts'
import type { Dialect } from '../../src/validation/index.ts'

export const suiteFolder =
  process.env.JSON_SCHEMA_TEST_SUITE_DIR ??
  fileURLToPath(new URL('../../../shared/json-schema-test-suite', import.meta.url))
export const hasSuite = existsSync(join(suiteFolder, 'draft2020-12'))
if (!hasSuite) console.log('JSON Schema Test Suite: skipped, no folder of it here (JSON_SCHEMA_TEST_SUITE_DIR)')

export const DRAFTS: readonly { readonly folder: string; readonly dialect: Dialect }[] = [
  { folder: 'draft4', dialect: 'draft-04' },
  { folder: 'draft6', dialect: 'draft-06' },
  { folder: 'draft7', dialect: 'draft-07' },
  { folder: 'draft2019-09', dialect: '2019-09' },
  { folder: 'draft2020-12', dialect: '2020-12' },
]

export type Schema = { [name: string]: unknown }

export interface Group {
  readonly description: string
  readonly schema: Schema
  readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[]
}

/** The groups of every file of a folder. */
export function readGroups(folder: string): { readonly file: string; readonly group: Group }[] {
  if (!hasSuite) return []
  return readdirSync(join(suiteFolder, folder))
    .filter((file) => file.endsWith('.json'))
    .flatMap((file) => {
      const groups = parseJsonText(readFileSync(join(suiteFolder, folder, file))) as Group[]
      return groups.map((group) => ({ file, group }))
    })
}

const readJson = (path: string): Schema => JSON.parse(readFileSync(path, 'utf8'))

/** The documents a suite's schemas refer to, by the address each is said to be at. */
function remotes(folder: string): Map<string, Schema> {
  const found = new Map<string, Schema>()
  const base = join(suiteFolder, 'remotes')
  for (const path of readdirSync(base, { recursive: true, encoding: 'utf8' })) {
    // Custom metaschemas: no dialect that is read, and they refer to what is not here.
    if (!path.endsWith('.json') || /format-assertion|metaschema/.test(path)) continue
    const isOfDraft = path.startsWith(`${folder}/`)
    if (isOfDraft || !/^(?:draft|v1)/.test(path)) found.set(`http://localhost:1234/${path}`, readJson(join(base, path)))
  }
  const refs = fileURLToPath(new URL('../../node_modules/ajv/dist/refs', import.meta.url))
  const metaschemas: Record<string, readonly string[]> = {
    draft6: ['json-schema-draft-06.json'],
    draft7: ['json-schema-draft-07.json'],
    'draft2019-09': ['schema', ...VOCABULARIES].map((name) => `json-schema-2019-09/${name}.json`),
    'draft2020-12': ['schema', 'meta/unevaluated', 'meta/format-annotation', ...VOCABULARIES.slice(0, -1)].map(
      (name) => `json-schema-2020-12/${name}.json`,
    ),
  }
  for (const path of metaschemas[folder] ?? []) {
    const schema = readJson(join(refs, path))
    found.set(schema.$id as string, schema)
  }
  return found
}

const VOCABULARIES = ['core', 'applicator', 'validation', 'meta-data', 'content', 'format'].map(
  (name) => `meta/${name}`,
)

/** The schema with all documents it may refer to put into it, each under its address. */
export function bundled(schema: Schema, folder: string): Schema {
  const id = folder === 'draft4' ? 'id' : '$id'
  const shelf = folder.startsWith('draft20') ? '$defs' : 'definitions'
  const known: Schema = {}
  for (const [address, remote] of remotes(folder)) {
    if (remote[id] === undefined) known[address] = { [id]: address, ...remote }
    else {
      known[address] = remote
      // One with a name of its own would not be found under its address.
      if (remote[id] !== address) known[`${address} `] = { [id]: address, $ref: remote[id] }
    }
  }
  return { ...schema, [shelf]: { ...(schema[shelf] as Schema | undefined), ...known } }
}
