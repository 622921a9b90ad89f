/**
 * `date_difference`: how far two calendar days are apart.
 * @module
 */
import { defineTool, ToolFailure } from '../tool.ts'

const DAY_MS = 86_400_000

/** Days since 1970-01-01 in the Gregorian calendar; refuses days that do not exist. */
const dayNumber = (text: string): number => {
  const time = Date.parse(`${text}T00:00:00Z`)
  if (Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== text) {
    throw new ToolFailure(`"${text}" is no day of the calendar`)
  }
  return time / DAY_MS
}

/** How many of the days `first` … `first + count - 1` fall on Monday to Friday. */
const workingDays = (first: number, count: number): number => {
  const rest = count % 7
  let total = ((count - rest) / 7) * 5
  // 1970-01-01 was a Thursday; with that shift 0 is Monday.
  for (let day = first; day < first + rest; day += 1) if ((((day + 3) % 7) + 7) % 7 < 5) total += 1
  return total
}

const day = (description: string) => ({ type: 'string', pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$', description })

/** The date tool. */
export const dateDifference = defineTool<{ from: string; to: string }>({
  name: 'date_difference',
  title: 'Difference between dates',
  description: 'Count the days, weeks and working days (Monday to Friday) from one calendar day to another.',
  inputSchema: {
    type: 'object',
    properties: {
      from: day('First day, as YYYY-MM-DD; counted'),
      to: day('Last day, as YYYY-MM-DD; not counted'),
    },
    required: ['from', 'to'],
    additionalProperties: false,
  },
  outputSchema: {
    type: 'object',
    properties: {
      days: { type: 'integer', description: 'Negative when "to" lies before "from"' },
      weeks: { type: 'integer', description: 'Whole weeks in it' },
      working_days: { type: 'integer', description: 'Monday to Friday, holidays not known' },
    },
    required: ['days', 'weeks', 'working_days'],
    additionalProperties: false,
  },
  run({ from, to }) {
    const first = dayNumber(from)
    const days = dayNumber(to) - first
    const size = Math.abs(days)
    const working = workingDays(days < 0 ? first - size : first, size)
    const signed = (count: number): number => (days < 0 && count > 0 ? -count : count)
    return { days, weeks: signed(Math.floor(size / 7)), working_days: signed(working) }
  },
})
