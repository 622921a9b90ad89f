import { Validator } from '@cfworker/json-schema'
import { describe, expect, test } from 'vitest'
import { demoTools } from '../../worker/demo/tools/index.ts'
import { call } from './session.ts'

const outputSchemaOf = (name: string): object => {
  const tool = demoTools.find((candidate) => candidate.name === name)
  return structuredClone(tool?.outputSchema ?? {})
}

describe('demo tools answer', () => {
  test.each([
    ['convert_units', { value: 1, from: 'mi', to: 'km' }, { value: 1.609344, unit: 'km', quantity: 'length' }],
    [
      'convert_units',
      { value: 100, from: '°F', to: '°C' },
      { value: 37.7777777778, unit: '°C', quantity: 'temperature' },
    ],
    [
      'describe_numbers',
      { values: [4, 1, 3, 2] },
      { count: 4, sum: 10, mean: 2.5, minimum: 1, lower_quartile: 1.75, median: 2.5, upper_quartile: 3.25, maximum: 4 },
    ],
    [
      'parse_csv',
      { text: '\uFEFFname;size\r\n"a; ""b""\nc";2\r\nd;01\r\ne;', delimiter: ';' },
      {
        columns: ['name', 'size'],
        records: [
          { name: 'a; "b"\nc', size: 2 },
          { name: 'd', size: '01' },
          { name: 'e', size: '' },
        ],
      },
    ],
    ['date_difference', { from: '2026-11-30', to: '2026-12-25' }, { days: 25, weeks: 3, working_days: 19 }],
    ['date_difference', { from: '1970-01-05', to: '1969-12-29' }, { days: -7, weeks: -1, working_days: -5 }],
    ['date_difference', { from: '2024-02-28', to: '2024-03-01' }, { days: 2, weeks: 0, working_days: 2 }],
    [
      'diff_lines',
      { before: ['a', 'b', 'c'], after: ['a', 'c', 'd'] },
      {
        removed: 1,
        added: 1,
        lines: [
          { change: 'same', text: 'a' },
          { change: 'removed', text: 'b' },
          { change: 'same', text: 'c' },
          { change: 'added', text: 'd' },
        ],
      },
    ],
    [
      'color_contrast',
      { foreground: '#777777', background: '#FFFFFF' },
      { ratio: 4.47, normal_text: 'fail', large_text: 'AA' },
    ],
    [
      'color_contrast',
      { foreground: '#000000', background: '#ffffff' },
      { ratio: 21, normal_text: 'AAA', large_text: 'AAA' },
    ],
    [
      'hash_text',
      { text: 'abc' },
      { digest: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad', bytes: 3, algorithm: 'SHA-256' },
    ],
    ['hash_text', { text: 'ä', algorithm: 'SHA-512' }, { bytes: 2, algorithm: 'SHA-512' }],
  ])('%s %o', async (name, args, expected) => {
    const { structuredContent, isError, content } = await call(name, args)
    expect(isError).toBeUndefined()
    expect(structuredContent).toMatchObject(expected)
    expect(JSON.parse(content[0]?.text ?? '')).toEqual(structuredContent)
    expect(new Validator(outputSchemaOf(name)).validate(structuredContent).errors).toEqual([])
  })

  test.each([
    ['convert_units', { value: 1, from: 'm', to: 'kg' }, '"m" is a unit of length'],
    ['convert_units', { value: 1e308, from: 'km', to: 'mm' }, 'out of range'],
    ['describe_numbers', { values: [] }, '/values'],
    ['describe_numbers', { values: [1e308, 1e308] }, 'too large'],
    ['parse_csv', { text: 'a,b\n1' }, 'row 2 has 1 cells'],
    ['parse_csv', { text: 'a,a\n1,2' }, 'twice'],
    ['parse_csv', { text: '"a' }, 'without an end'],
    ['parse_csv', { text: '"a"b' }, 'behind a closing quote'],
    ['parse_csv', { text: '__proto__\n1' }, '__proto__'],
    ['date_difference', { from: '2026-02-30', to: '2026-03-01' }, 'no day of the calendar'],
    ['color_contrast', { foreground: 'red', background: '#ffffff' }, '/foreground'],
    ['hash_text', { text: 'a', algorithm: 'MD5' }, '/algorithm'],
  ])('%s refuses %o', async (name, args, message) => {
    const answer = await call(name, args)
    expect(answer.isError).toBe(true)
    expect(answer.content[0]?.text).toContain(message)
  })
})
