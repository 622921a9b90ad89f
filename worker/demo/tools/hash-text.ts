/**
 * `hash_text`: a SHA-2 digest of a text.
 * @module
 */
import { defineTool } from '../tool.ts'

/** The digest tool. */
export const hashText = defineTool<{ text: string; algorithm?: string }>({
  name: 'hash_text',
  title: 'Hash a text',
  description: 'Compute the SHA-256, SHA-384 or SHA-512 digest of the UTF-8 bytes of a text.',
  inputSchema: {
    type: 'object',
    properties: {
      text: { type: 'string', maxLength: 1_000_000 },
      algorithm: { type: 'string', enum: ['SHA-256', 'SHA-384', 'SHA-512'], default: 'SHA-256' },
    },
    required: ['text'],
    additionalProperties: false,
  },
  outputSchema: {
    type: 'object',
    properties: {
      algorithm: { type: 'string' },
      digest: { type: 'string', pattern: '^[0-9a-f]+$', description: 'Lower-case hexadecimal' },
      bytes: { type: 'integer', description: 'Length of the text in UTF-8' },
    },
    required: ['algorithm', 'digest', 'bytes'],
    additionalProperties: false,
  },
  async run({ text, algorithm = 'SHA-256' }) {
    const bytes = new TextEncoder().encode(text)
    const digest = new Uint8Array(await crypto.subtle.digest(algorithm, bytes))
    return {
      algorithm,
      digest: Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join(''),
      bytes: bytes.length,
    }
  },
})
