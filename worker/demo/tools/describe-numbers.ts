/**
 * `describe_numbers`: summary statistics of a list of numbers.
 * @module
 */
import { defineTool, ToolFailure } from '../tool.ts'

/** The value below which the given share of a sorted list lies, interpolated between neighbours. */
const quantile = (sorted: readonly number[], share: number): number => {
  const position = (sorted.length - 1) * share
  const low = sorted[Math.floor(position)] as number
  const high = sorted[Math.ceil(position)] as number
  return low + (high - low) * (position - Math.floor(position))
}

/** The statistics tool. */
export const describeNumbers = defineTool<{ values: number[] }>({
  name: 'describe_numbers',
  title: 'Describe numbers',
  description: 'Summary statistics of a list of numbers: count, sum, mean, standard deviation, extremes and quartiles.',
  inputSchema: {
    type: 'object',
    properties: { values: { type: 'array', items: { type: 'number' }, minItems: 1, maxItems: 10_000 } },
    required: ['values'],
    additionalProperties: false,
  },
  outputSchema: {
    type: 'object',
    properties: {
      count: { type: 'integer' },
      sum: { type: 'number' },
      mean: { type: 'number' },
      standard_deviation: { type: 'number', description: 'Of the population: divided by the count' },
      minimum: { type: 'number' },
      lower_quartile: { type: 'number' },
      median: { type: 'number' },
      upper_quartile: { type: 'number' },
      maximum: { type: 'number' },
    },
    required: ['count', 'sum', 'mean', 'standard_deviation', 'minimum', 'median', 'maximum'],
    additionalProperties: false,
  },
  run({ values }) {
    const sorted = values.toSorted((a, b) => a - b)
    const count = values.length
    const sum = values.reduce((total, value) => total + value, 0)
    const mean = sum / count
    const variance = values.reduce((total, value) => total + (value - mean) ** 2, 0) / count
    if (!Number.isFinite(variance)) throw new ToolFailure('the numbers are too large to sum up')
    return {
      count,
      sum,
      mean,
      standard_deviation: Math.sqrt(variance),
      minimum: quantile(sorted, 0),
      lower_quartile: quantile(sorted, 0.25),
      median: quantile(sorted, 0.5),
      upper_quartile: quantile(sorted, 0.75),
      maximum: quantile(sorted, 1),
    }
  },
})
