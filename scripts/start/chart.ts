/**
 * The chart of the walk-through: a small table, and the arguments made from it.
 * @module
 */

/** New passenger cars by drive, Norway, in per cent of the year's registrations; rounded. */
const TABLE = [
  ['2019', 42],
  ['2020', 54],
  ['2021', 65],
  ['2022', 79],
  ['2023', 82],
  ['2024', 89],
] as const

/** How many rows the table has. */
export const TABLE_ROWS = TABLE.length

/** The arguments of `render_chart`: a bar chart with a label on each bar. */
export const chartArguments = (): { [name: string]: unknown } => ({
  title: {
    text: 'Nine of ten new cars run on batteries',
    subtitle: 'Norway, share of new passenger cars, per cent',
    anchor: 'start',
    offset: 16,
  },
  width: 520,
  height: 260,
  padding: 16,
  data: { values: TABLE.map(([year, share]) => ({ year, share })) },
  encoding: {
    x: { field: 'year', type: 'ordinal', axis: { title: null, labelAngle: 0, ticks: false, domain: false } },
    y: { field: 'share', type: 'quantitative', scale: { domain: [0, 100] }, axis: null },
  },
  layer: [
    {
      mark: { type: 'bar', cornerRadiusEnd: 4, width: { band: 0.7 } },
      encoding: {
        color: { condition: { test: "datum.year == '2024'", value: '#0f766e' }, value: '#94a3b8' },
      },
    },
    {
      mark: { type: 'text', dy: -10, fontSize: 13, fontWeight: 'bold', color: '#334155' },
      encoding: { text: { field: 'share', type: 'quantitative' } },
    },
  ],
  config: {
    view: { stroke: null },
    font: 'Helvetica, Arial, sans-serif',
    title: { fontSize: 18, subtitleFontSize: 12 },
  },
})
