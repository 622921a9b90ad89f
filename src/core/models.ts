/**
 * The valibot models of manifest and fragment: strict, no coercion, fields in wire order.
 * The published JSON Schemas are generated from them.
 * @module
 */

import * as v from 'valibot'
import { WIRE_LIMITS } from './limits.ts'
import { ALIAS, FRAGMENT_URI, MANIFEST_URI, OPERATION, SHA256, uriBase } from './uri.ts'

// Every schema has words of its own: the default ones show what was received.
const text = v.string('a string')
const integer = v.pipe(v.number('a number'), v.integer('an integer'))
const FIELDS = 'the fields of the wire contract'

const sha256 = v.pipe(text, v.regex(SHA256, '64 lower-case hex digits'))

const count = (most: number) => v.pipe(integer, v.minValue(1, 'at least 1'), v.maxValue(most, `at most ${most}`))

const identity = {
  version: v.literal(1, 'the integer 1'),
  operation: v.pipe(
    text,
    v.maxLength(WIRE_LIMITS.operationLength, `at most ${WIRE_LIMITS.operationLength} characters`),
    v.regex(OPERATION, 'an operation id'),
  ),
  alias: v.pipe(
    text,
    v.maxLength(WIRE_LIMITS.aliasLength, `at most ${WIRE_LIMITS.aliasLength} characters`),
    v.regex(ALIAS, 'a tool alias'),
  ),
  source_sha256: sha256,
  schema_sha256: sha256,
  input_schema_sha256: sha256,
  output_schema_sha256: sha256,
  schema_bytes: count(WIRE_LIMITS.documentBytes),
  fragment_count: count(WIRE_LIMITS.fragments),
  manifest_uri: v.pipe(text, v.regex(MANIFEST_URI, 'a manifest URI')),
  fragment_uri_template: v.pipe(text, v.regex(FRAGMENT_URI, 'a fragment URI template')),
}

/** The manifest's fields, without the agreement of the URIs. */
export const manifestModel = v.strictObject(identity, FIELDS)

/** The fragment's fields, without the agreement of URIs, index range, byte length and digest. */
export const fragmentModel = v.strictObject(
  {
    ...identity,
    index: v.pipe(
      integer,
      v.minValue(0, 'at least 0'),
      v.maxValue(WIRE_LIMITS.fragments - 1, `below ${WIRE_LIMITS.fragments}`),
    ),
    fragment_sha256: sha256,
    text: v.pipe(
      text,
      v.minLength(1, 'at least 1 character'),
      v.maxLength(WIRE_LIMITS.fragmentBytes, `at most ${WIRE_LIMITS.fragmentBytes} bytes`),
    ),
  },
  FIELDS,
)

type Identity = v.InferOutput<typeof manifestModel>

/** The name of the field whose URI does not agree with alias and digest, if one does not. */
export function disagreeingUri(fields: Identity): 'manifest_uri' | 'fragment_uri_template' | undefined {
  const base = uriBase(fields.alias, fields.schema_sha256)
  if (fields.manifest_uri !== `${base}/manifest`) return 'manifest_uri'
  return fields.fragment_uri_template === `${base}/fragments/{index}` ? undefined : 'fragment_uri_template'
}
