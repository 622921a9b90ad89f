/**
 * Generates schemas/*.json from the valibot models. `--check` writes nothing and exits 1 where a file differs.
 * @module
 */

import { readFileSync, writeFileSync } from 'node:fs'
import { toJsonSchema } from '@valibot/to-json-schema'
import { fragmentModel, manifestModel } from '../src/core/models.ts'

type ObjectSchema = { type: 'object'; properties: Record<string, object>; required: string[] }

const DIALECT = 'https://json-schema.org/draft/2020-12/schema'
const MANIFEST_ID = 'urn:mcp-schema-disclosure:schema-manifest:1'
const FRAGMENT_ID = 'urn:mcp-schema-disclosure:schema-fragment:1'

const members = (model: typeof manifestModel | typeof fragmentModel): ObjectSchema => {
  const { properties, required } = toJsonSchema(model, { target: 'draft-2020-12' }) as unknown as ObjectSchema
  return { type: 'object', properties, required }
}

function artifacts(): Record<string, object> {
  const identity = members(manifestModel)
  const fragment = members(fragmentModel)
  const isOwn = (name: string) => !Object.hasOwn(identity.properties, name)
  return {
    'schema-manifest.json': {
      $schema: DIALECT,
      $id: MANIFEST_ID,
      title: 'Schema manifest',
      description: 'Identity of one disclosed tool schema document.',
      $ref: '#/$defs/identity',
      unevaluatedProperties: false,
      $defs: { identity },
    },
    'schema-fragment.json': {
      $schema: DIALECT,
      $id: FRAGMENT_ID,
      title: 'Schema fragment',
      description: 'One piece of a disclosed tool schema document, with the identity of its manifest.',
      $ref: `${MANIFEST_ID}#/$defs/identity`,
      properties: Object.fromEntries(Object.entries(fragment.properties).filter(([name]) => isOwn(name))),
      required: fragment.required.filter(isOwn),
      unevaluatedProperties: false,
    },
  }
}

const check = process.argv.includes('--check')
let stale = 0
for (const [name, schema] of Object.entries(artifacts())) {
  const url = new URL(`../schemas/${name}`, import.meta.url)
  const text = `${JSON.stringify(schema, null, 2)}\n`
  if (!check) {
    writeFileSync(url, text)
    continue
  }
  // A checkout may have other line endings.
  if (readFileSync(url, 'utf8').replaceAll('\r\n', '\n') !== text) {
    console.error(`schemas/${name} differs from the models: run "npm run schemas"`)
    stale++
  }
}
process.exitCode = stale === 0 ? 0 : 1
