/**
 * `diff_lines`: what changed between two texts, line by line.
 * @module
 */
import { defineTool } from '../tool.ts'

interface Line {
  readonly change: 'same' | 'removed' | 'added'
  readonly text: string
}

/** The longest common subsequence, walked once: removals stand before additions. */
const compareLines = (before: readonly string[], after: readonly string[]): Line[] => {
  const width = after.length + 1
  // common[i * width + j]: length of the longest common subsequence of before[i…] and after[j…].
  const common = new Uint16Array((before.length + 1) * width)
  for (let i = before.length - 1; i >= 0; i -= 1) {
    for (let j = after.length - 1; j >= 0; j -= 1) {
      const below = common[(i + 1) * width + j] as number
      const right = common[i * width + j + 1] as number
      const diagonal = common[(i + 1) * width + j + 1] as number
      common[i * width + j] = before[i] === after[j] ? diagonal + 1 : Math.max(below, right)
    }
  }
  const lines: Line[] = []
  let i = 0
  let j = 0
  while (i < before.length || j < after.length) {
    const old = before[i]
    const current = after[j]
    if (old !== undefined && old === current) {
      lines.push({ change: 'same', text: old })
      i += 1
      j += 1
    } else if (
      old !== undefined &&
      (current === undefined || (common[(i + 1) * width + j] as number) >= (common[i * width + j + 1] as number))
    ) {
      lines.push({ change: 'removed', text: old })
      i += 1
    } else {
      lines.push({ change: 'added', text: current as string })
      j += 1
    }
  }
  return lines
}

const lines = (description: string) => ({ type: 'array', items: { type: 'string' }, maxItems: 1000, description })

/** The diff tool. */
export const diffLines = defineTool<{ before: string[]; after: string[] }>({
  name: 'diff_lines',
  title: 'Compare lines',
  description: 'Compare two lists of lines and tell, in order, which stayed, which were removed and which were added.',
  inputSchema: {
    type: 'object',
    properties: { before: lines('The old lines'), after: lines('The new lines') },
    required: ['before', 'after'],
    additionalProperties: false,
  },
  outputSchema: {
    type: 'object',
    properties: {
      removed: { type: 'integer' },
      added: { type: 'integer' },
      lines: {
        type: 'array',
        items: {
          type: 'object',
          properties: { change: { type: 'string', enum: ['same', 'removed', 'added'] }, text: { type: 'string' } },
          required: ['change', 'text'],
          additionalProperties: false,
        },
      },
    },
    required: ['removed', 'added', 'lines'],
    additionalProperties: false,
  },
  run({ before, after }) {
    const compared = compareLines(before, after)
    const count = (change: Line['change']): number => compared.filter((line) => line.change === change).length
    return { removed: count('removed'), added: count('added'), lines: compared }
  },
})
