/**
 * The wire contract of verified schema disclosure: build, read, reconstruct. Pure: no I/O, no clock, no MCP SDK.
 * @module
 */

export * from '../json/index.ts'
export { buildSchemaDisclosure, readSchemaFragment, type SchemaInput } from './build.ts'
export {
  parseSchemaFragment,
  parseSchemaFragmentText,
  parseSchemaManifest,
  parseSchemaManifestText,
} from './envelope.ts'
export {
  type AnySchemaDisclosureError,
  SchemaDisclosureError,
  type SchemaDisclosureErrorCode,
  type SchemaDisclosureErrorData,
} from './errors.ts'
export { schemaFragmentJsonSchema, schemaManifestJsonSchema } from './json-schemas.ts'
export { WIRE_LIMITS } from './limits.ts'
export type { CompiledSchema, McpSession, RequestOptions, SchemaValidator, ValidationIssue } from './ports.ts'
export { reconstructSchema } from './reconstruct.ts'
export { sha256Hex } from './sha256.ts'
export type {
  JsonObject,
  Operation,
  SchemaDisclosure,
  SchemaFragment,
  SchemaManifest,
  SchemaNavigation,
  Sha256Hex,
  ToolAlias,
  VerifiedSchema,
} from './types.ts'
export {
  FRAGMENT_URI_TEMPLATE,
  fragmentUri,
  isSchemaUri,
  MANIFEST_URI_TEMPLATE,
  manifestUri,
  parseFragmentIndex,
  parseSchemaUri,
  type SchemaUri,
} from './uri.ts'
export { isVerifiedSchema } from './verified-schema.ts'
