/**
 * The tools that are listed in place of a catalog. Kept short: they are all a model sees at first.
 * @module
 */

/** Revisions from this one on know titles and output schemas. REQ-P-26. */
const RICH = '2025-06-18'
/** The one revision in which a tool says whether it can run as a task. */
const TASKS = '2025-11-25'

/** What the tools are called. */
export interface MetaToolNames {
  readonly searchTool: string
  /** Absent or empty: there is none, schemas are read as resources. */
  readonly readTool?: string
  readonly callTool: string
}

/** The tools, as the revision `version` knows tools. */
export function metaTools(names: MetaToolNames, version: string | null): readonly { readonly name: string }[] {
  const rich = version !== null && version >= RICH
  const { searchTool, readTool = '', callTool } = names
  const search = {
    name: searchTool,
    ...(rich ? { title: 'Search tools' } : undefined),
    description: `Finds tools of this server by need ("query") or by regular expression ("pattern"). Gives each tool's name, a summary, and the manifest of its schemas (${readTool === '' ? 'read manifest_uri' : `see ${readTool}`}). Then use ${callTool}.`,
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string' },
        pattern: { type: 'string', maxLength: 1000 },
        limit: { type: 'integer', minimum: 1, maximum: 20, default: 5 },
      },
      additionalProperties: false,
    },
    ...(rich
      ? {
          outputSchema: {
            type: 'object',
            properties: {
              result: { type: 'array', items: { type: 'object' } },
              truncated: { type: 'boolean' },
              omitted: { type: 'integer' },
            },
            required: ['result', 'truncated', 'omitted'],
          },
        }
      : undefined),
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  }
  const read = {
    name: readTool,
    ...(rich ? { title: 'Read schema' } : undefined),
    description: 'Schema fragments of tool "name" from "index" on and the next index, or its manifest.',
    inputSchema: {
      type: 'object',
      properties: {
        name: { type: 'string' },
        schema_sha256: { type: 'string' },
        index: { type: 'integer', minimum: 0 },
      },
      required: ['name', 'schema_sha256'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  }
  const call = {
    name: callTool,
    ...(rich ? { title: 'Call tool' } : undefined),
    description: `Calls the tool "name" with "arguments". With schema_sha256 of its manifest, only if its schemas are still those.`,
    inputSchema: {
      type: 'object',
      properties: { name: { type: 'string' }, arguments: { type: 'object' }, schema_sha256: { type: 'string' } },
      required: ['name'],
      additionalProperties: false,
    },
    // REQ-P-27: the tool behind it may, and which one that is nobody knows yet. Clients ask for tasks only where the upstream's
    // own capabilities offer them.
    ...(version === TASKS ? { execution: { taskSupport: 'optional' } } : undefined),
  }
  return [search, ...(readTool === '' ? [] : [read]), call]
}
