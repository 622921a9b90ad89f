import { describe, expect, test } from 'vitest'
import { chartArguments, TABLE_ROWS } from '../../scripts/start/chart.ts'
import { call } from './session.ts'

const values = [
  { a: 'A', b: 28 },
  { a: 'B', b: 55 },
  { a: 'C', b: 43 },
]
const x = { field: 'a', type: 'nominal' }
const y = { field: 'b', type: 'quantitative' }

const refused = async (spec: object): Promise<string> => {
  const answer = await call('render_chart', spec)
  expect(answer.isError).toBe(true)
  expect(answer.structuredContent).toBeUndefined()
  return answer.content[0]?.text ?? ''
}

describe('render_chart', () => {
  test.each([
    ['bars', { mark: 'bar', encoding: { x, y } }, /mark-rect[\s\S]*aria-roledescription="bar"/],
    ['points', { mark: 'point', encoding: { x: y, y } }, /mark-symbol/],
    ['a pie', { mark: 'arc', encoding: { theta: y, color: x } }, /mark-arc/],
    [
      'expressions',
      { transform: [{ calculate: 'datum.b * 2', as: 'c' }], mark: 'line', encoding: { x, y } },
      /mark-line/,
    ],
    ['aggregates in facets', { mark: 'bar', encoding: { row: x, y: { aggregate: 'mean', ...y } } }, /mark-rect/],
  ])('draws %s', async (_, spec, marks) => {
    const { structuredContent: chart, isError, content } = await call('render_chart', { data: { values }, ...spec })
    expect(isError).toBeUndefined()
    expect(chart?.svg).toMatch(/^<svg [\s\S]*<\/svg>$/)
    expect(chart?.svg).toMatch(marks)
    expect(chart?.width).toBeGreaterThan(20)
    expect(chart?.height).toBeGreaterThan(20)
    expect(JSON.parse(content[0]?.text ?? '')).toEqual(chart)
  })

  test("draws the walk-through's chart with a bar for each row", async () => {
    const { structuredContent: chart } = await call('render_chart', chartArguments())
    expect(String(chart?.svg).match(/aria-roledescription="bar"/g)).toHaveLength(TABLE_ROWS)
  })

  test.each([
    ['no mark', {}, 'do not keep the input schema'],
    ['an unknown mark', { data: { values }, mark: 'barr', encoding: { x, y } }, 'do not keep the input schema'],
    ['data by address', { data: { url: 'https://example.com/a.csv' }, mark: 'bar', encoding: { x, y } }, 'not loaded'],
    [
      'an image by address',
      { data: { values }, mark: { type: 'image', url: '/a.png' }, encoding: { x, y } },
      'not loaded',
    ],
    ['a broken expression', { data: { values }, transform: [{ filter: '(' }], mark: 'bar' }, 'does not render'],
    ['an unknown function', { data: { values }, transform: [{ filter: 'alert(1)' }], mark: 'bar' }, 'Unrecognized'],
  ])('refuses %s with a tool error', async (_, spec, message) => {
    expect(await refused(spec)).toContain(message)
  })

  test('keeps ordinary links and drops script links', async () => {
    const link = async (href: string): Promise<unknown> =>
      (await call('render_chart', { data: { values }, mark: { type: 'point', href }, encoding: { x, y } }))
        .structuredContent?.svg
    expect(await link('https://example.com/')).toMatch(/xlink:href="https:\/\/example\.com\/"/)
    expect(await link('javascript:alert(1)')).not.toContain('javascript:')
  })
})
