/**
 * `check_asyncapi`: an AsyncAPI document in, what is wrong with it out.
 * @module
 */
import schema from '@asyncapi/specs/schemas/3.0.0.json' with { type: 'json' }
import { schemaCheck } from '../schema-check.ts'
import { defineTool, type JsonObject } from '../tool.ts'

/** How many findings one answer lists. */
const MAX_ERRORS = 20

const check = schemaCheck(schema, MAX_ERRORS)

/** The document checker. Its arguments are the document itself; an invalid one is an answer here, not a failure. */
export const checkAsyncapi = defineTool<JsonObject>({
  name: 'check_asyncapi',
  title: 'Check an AsyncAPI document',
  description:
    'Check an AsyncAPI 3.0.0 document (servers, channels, operations, messages, bindings) against the published JSON ' +
    'Schema. The arguments are the document itself. Answers whether it is valid, and where and why it is not.',
  inputSchema: schema,
  outputSchema: {
    type: 'object',
    properties: {
      valid: { type: 'boolean' },
      errors: {
        type: 'array',
        description: `At most ${MAX_ERRORS}, the most specific first; empty when valid`,
        items: {
          type: 'object',
          properties: {
            path: { type: 'string', description: 'JSON Pointer into the document; empty for the whole' },
            message: { type: 'string' },
          },
          required: ['path', 'message'],
          additionalProperties: false,
        },
      },
    },
    required: ['valid', 'errors'],
    additionalProperties: false,
  },
  checksArguments: false,
  run(document) {
    const errors = check(document)
    return { valid: errors.length === 0, errors }
  },
})
