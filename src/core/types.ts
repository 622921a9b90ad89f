/**
 * The shapes of the wire contract. Branded strings are made by this folder's parsers only.
 * @module
 */

declare const brand: unique symbol
type Brand<Base, Name extends string> = Base & { readonly [brand]: Name }

/** SHA-256 as 64 lower-case hex digits. */
export type Sha256Hex = Brand<string, 'Sha256Hex'>
/** Registered tool name: `^[A-Za-z][A-Za-z0-9_-]*$`, at most 128 characters. */
export type ToolAlias = Brand<string, 'ToolAlias'>
/** Operation id: `^[A-Za-z][A-Za-z0-9_]*$`, at most 512 characters. */
export type Operation = Brand<string, 'Operation'>

/** A JSON object as JavaScript sees it. */
export type JsonObject = { readonly [name: string]: unknown }

/** The identity of one disclosed schema document. Frozen; members in wire order, so `JSON.stringify` gives the wire text. */
export interface SchemaManifest {
  readonly version: 1
  readonly operation: Operation
  readonly alias: ToolAlias
  /** SHA-256 of the immutable bytes the tool came from. */
  readonly source_sha256: Sha256Hex
  /** SHA-256 of the complete document. */
  readonly schema_sha256: Sha256Hex
  readonly input_schema_sha256: Sha256Hex
  readonly output_schema_sha256: Sha256Hex
  /** Length of the complete document in bytes, 1 … 16,777,216. */
  readonly schema_bytes: number
  /** Number of fragments, 1 … 4,100. */
  readonly fragment_count: number
  readonly manifest_uri: string
  /** The fragments' URI with `{index}` kept. */
  readonly fragment_uri_template: string
}

/** One piece of the document with its manifest's fields. Frozen; members in wire order. */
export interface SchemaFragment extends SchemaManifest {
  readonly index: number
  /** SHA-256 of the UTF-8 of `text`. */
  readonly fragment_sha256: Sha256Hex
  /** 1 … 4,096 bytes of UTF-8. */
  readonly text: string
}

/** A manifest and the texts of its fragments in order: `parts.join('')` is the document. Frozen. */
export interface SchemaDisclosure {
  readonly manifest: SchemaManifest
  readonly parts: readonly string[]
}

/** One entry of a navigation list: what a search says of a tool. Its members stand in wire order. */
export interface SchemaNavigation {
  readonly kind: 'schema-navigation'
  /** The real tool name, for the call. */
  readonly name: string
  readonly manifest: SchemaManifest
  /** Markdown made of what the tool's server says: untrusted text, for choosing. It never replaces validation. */
  readonly summary: string
}

declare const verified: unique symbol

/**
 * A schema document whose bytes were checked against the selected manifest. Frozen; only `reconstructSchema` makes one.
 * The values are parsed on first use, numbers as JavaScript has them, and deeply frozen; the texts are exact and decoded on
 * each access, so that nothing is held twice.
 */
export interface VerifiedSchema {
  readonly [verified]: true
  /** The manifest that was selected. */
  readonly manifest: SchemaManifest
  /** The complete document, canonical. */
  readonly text: string
  /** The input schema's canonical text, exact. */
  readonly inputSchemaText: string
  /** The output schema's canonical text, exact. */
  readonly outputSchemaText: string
  readonly inputSchema: JsonObject
  readonly outputSchema: JsonObject
}
