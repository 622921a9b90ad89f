/**
 * The published JSON Schemas (draft 2020-12) of manifest and fragment, generated from the valibot models by `npm run schemas`.
 * @module
 */

import fragmentJsonSchema from '../../schemas/schema-fragment.json' with { type: 'json' }
import manifestJsonSchema from '../../schemas/schema-manifest.json' with { type: 'json' }
import type { JsonObject } from './types.ts'
import { deepFreeze } from './verified-schema.ts'

/** JSON Schema of a manifest. Weaker than `parseSchemaManifest`: JSON Schema cannot say that the URIs agree with the digest. */
export const schemaManifestJsonSchema: JsonObject = deepFreeze(manifestJsonSchema)

/**
 * JSON Schema of a fragment. It refers to the manifest's schema by its `$id`: load both in one registry. Weaker than
 * `parseSchemaFragment`: it counts characters, not bytes, and cannot hash.
 */
export const schemaFragmentJsonSchema: JsonObject = deepFreeze(fragmentJsonSchema)
