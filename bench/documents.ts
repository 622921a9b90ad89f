/**
 * Documents of a wanted size: plausible JSON Schemas with Latin, Cyrillic, CJK, emoji and escapes. Deterministic.
 * @module
 */

const WORDS = [
  'identifier',
  'Größe',
  'описание',
  '詳細な説明',
  'status',
  'naïve',
  'таблица',
  '값',
  '😀 emoji',
  'line\nbreak',
  'quote "x"',
  'path\\to',
]
const TYPES = ['string', 'integer', 'number', 'boolean']

/** A small deterministic generator: benches compare runs, so the input must be the same each time. */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

function property(next: () => number): object {
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(next() * items.length)] as Item
  const description = Array.from({ length: 4 + Math.floor(next() * 12) }, () => pick(WORDS)).join(' ')
  if (next() < 0.2) {
    return { type: 'array', items: { $ref: `#/$defs/item${Math.floor(next() * 50)}` }, minItems: 1, description }
  }
  if (next() < 0.2) return { enum: Array.from({ length: 6 }, (_, index) => `value_${index}`), description }
  return { type: pick(TYPES), description, minimum: Math.floor(next() * 100), multipleOf: next() < 0.1 ? 0.01 : 1 }
}

/** An object of a few properties, as one finds them in `$defs`. */
function definition(next: () => number): object {
  const count = 3 + Math.floor(next() * 12)
  const names = Array.from({ length: count }, (_, index) => `field_${Math.floor(next() * 1e4)}_${index}`)
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, property(next)])),
    required: names.slice(0, 3),
    additionalProperties: false,
  }
}

/** An object schema whose JSON text has about `bytes` bytes. */
export function schemaOfSize(bytes: number): object {
  const next = random(7)
  const $defs: Record<string, object> = {}
  let size = 0
  for (let index = 0; size < bytes; index++) {
    const value = definition(next)
    $defs[`item${index}`] = value
    size += Buffer.byteLength(JSON.stringify(value)) + 14
  }
  return { type: 'object', properties: { root: { $ref: '#/$defs/item0' } }, $defs }
}
