/**
 * `parse_csv`: comma-separated text (RFC 4180) to records.
 * @module
 */
import { defineTool, type JsonObject, ToolFailure } from '../tool.ts'

const NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/

/** Splits text into rows of cells; quoted cells may hold delimiters, line ends and doubled quotes. */
const splitRows = (text: string, delimiter: string): string[][] => {
  const rows: string[][] = []
  let row: string[] = []
  let at = 0
  while (at < text.length) {
    let cell = ''
    if (text[at] === '"') {
      for (;;) {
        const close = text.indexOf('"', at + 1)
        if (close < 0) throw new ToolFailure(`row ${rows.length + 1} has a quoted cell without an end`)
        cell += text.slice(at + 1, close)
        at = close + 1
        if (text[at] !== '"') break
        cell += '"'
      }
      const next = text[at]
      if (next !== undefined && next !== delimiter && next !== '\n' && next !== '\r') {
        throw new ToolFailure(`row ${rows.length + 1} has text behind a closing quote`)
      }
    } else {
      const from = at
      while (at < text.length && text[at] !== delimiter && text[at] !== '\n' && text[at] !== '\r') at += 1
      cell = text.slice(from, at)
    }
    row.push(cell)
    if (text[at] === delimiter) {
      at += 1
      if (at < text.length) continue
      row.push('')
    }
    if (text[at] === '\r') at += 1
    if (text[at] === '\n') at += 1
    rows.push(row)
    row = []
  }
  return rows
}

/** The CSV reader. */
export const parseCsv = defineTool<{ text: string; delimiter?: string }>({
  name: 'parse_csv',
  title: 'Parse CSV',
  description:
    'Parse CSV text with a header row into records, one object a row, ready for "data.values" of a chart. Quoted ' +
    'cells are understood; plain numbers become numbers.',
  inputSchema: {
    type: 'object',
    properties: {
      text: { type: 'string', minLength: 1, maxLength: 1_000_000, description: 'The CSV text, header row first' },
      delimiter: { type: 'string', enum: [',', ';', '\t', '|'], default: ',' },
    },
    required: ['text'],
    additionalProperties: false,
  },
  outputSchema: {
    type: 'object',
    properties: {
      columns: { type: 'array', items: { type: 'string' } },
      records: {
        type: 'array',
        items: { type: 'object', additionalProperties: { type: ['string', 'number'] } },
      },
    },
    required: ['columns', 'records'],
    additionalProperties: false,
  },
  run({ text, delimiter = ',' }) {
    const [columns = [], ...rows] = splitRows(text.replace(/^\uFEFF/, ''), delimiter)
    if (new Set(columns).size !== columns.length) throw new ToolFailure('the header row names a column twice')
    if (columns.includes('__proto__')) throw new ToolFailure('"__proto__" cannot name a column')
    const records = rows.map((cells, index): JsonObject => {
      if (cells.length !== columns.length) {
        throw new ToolFailure(`row ${index + 2} has ${cells.length} cells, the header row ${columns.length}`)
      }
      const values = cells.map((cell) => (NUMBER.test(cell) ? Number(cell) : cell))
      return Object.fromEntries(columns.map((column, at) => [column, values[at]]))
    })
    return { columns, records }
  },
})
