/**
 * What a demo tool is: its entry in `tools/list`, and the function behind it.
 * @module
 */

/** A JSON Schema, or any other JSON object. */
export type JsonObject = { [name: string]: unknown }

/** One tool of the demo server. `inputSchema` and `outputSchema` are served exactly as they stand here. */
export interface DemoTool<Input = never> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: JsonObject
  readonly outputSchema: JsonObject
  /** `false` where judging the arguments is the tool's own work. Default: the server checks them first. */
  readonly checksArguments?: boolean
  /** Gets arguments that keep the input schema. Throws `ToolFailure` for what the caller can mend. */
  run(input: Input): JsonObject | Promise<JsonObject>
}

/** A failure the caller can mend: answered as a tool result with `isError`, never as a protocol error. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure'
}

/** Lets a tool name the type of its arguments; the server checks them against the schema, so the type holds. */
export const defineTool = <Input>(tool: DemoTool<Input>): DemoTool => tool as DemoTool

/** The entry of `tools/list`. Every demo tool computes from its arguments alone, hence one set of annotations. */
export const listEntry = ({ name, title, description, inputSchema, outputSchema }: DemoTool): JsonObject => ({
  name,
  title,
  description,
  inputSchema,
  outputSchema,
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
})
