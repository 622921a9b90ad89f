/**
 * What stands around the two schemas in the document that is hashed and cut: `{"inputSchema":…,"outputSchema":…}`.
 * @module
 */

import { encodeUtf8 } from '../json/bytes.ts'

export const BEFORE_INPUT = encodeUtf8('{"inputSchema":')
export const BEFORE_OUTPUT = encodeUtf8(',"outputSchema":')
