/**
 * `convert_units`: length, mass, time, volume, data and temperature.
 * @module
 */
import { defineTool, ToolFailure } from '../tool.ts'

/** Each unit in terms of its quantity's base unit: base = value × factor + offset. */
const UNITS: { readonly [unit: string]: { readonly quantity: string; readonly factor: number; offset?: number } } = {
  mm: { quantity: 'length', factor: 0.001 },
  cm: { quantity: 'length', factor: 0.01 },
  m: { quantity: 'length', factor: 1 },
  km: { quantity: 'length', factor: 1000 },
  in: { quantity: 'length', factor: 0.0254 },
  ft: { quantity: 'length', factor: 0.3048 },
  mi: { quantity: 'length', factor: 1609.344 },
  g: { quantity: 'mass', factor: 0.001 },
  kg: { quantity: 'mass', factor: 1 },
  oz: { quantity: 'mass', factor: 0.028349523125 },
  lb: { quantity: 'mass', factor: 0.45359237 },
  s: { quantity: 'time', factor: 1 },
  min: { quantity: 'time', factor: 60 },
  h: { quantity: 'time', factor: 3600 },
  d: { quantity: 'time', factor: 86_400 },
  ml: { quantity: 'volume', factor: 0.001 },
  l: { quantity: 'volume', factor: 1 },
  gal: { quantity: 'volume', factor: 3.785411784 },
  kB: { quantity: 'data', factor: 1000 },
  KiB: { quantity: 'data', factor: 1024 },
  MB: { quantity: 'data', factor: 1e6 },
  MiB: { quantity: 'data', factor: 1_048_576 },
  K: { quantity: 'temperature', factor: 1 },
  '°C': { quantity: 'temperature', factor: 1, offset: 273.15 },
  '°F': { quantity: 'temperature', factor: 5 / 9, offset: 459.67 * (5 / 9) },
}

const unit = { type: 'string', enum: Object.keys(UNITS) }

/** The unit converter. */
export const convertUnits = defineTool<{ value: number; from: string; to: string }>({
  name: 'convert_units',
  title: 'Convert units',
  description: 'Convert a value between units of length, mass, time, volume, data or temperature.',
  inputSchema: {
    type: 'object',
    properties: {
      value: { type: 'number', description: 'The value to convert' },
      from: { ...unit, description: 'Its unit' },
      to: { ...unit, description: 'The unit wanted, of the same quantity' },
    },
    required: ['value', 'from', 'to'],
    additionalProperties: false,
  },
  outputSchema: {
    type: 'object',
    properties: { value: { type: 'number' }, unit, quantity: { type: 'string' } },
    required: ['value', 'unit', 'quantity'],
    additionalProperties: false,
  },
  run({ value, from, to }) {
    const source = UNITS[from]
    const target = UNITS[to]
    if (!source || !target || source.quantity !== target.quantity) {
      throw new ToolFailure(`"${from}" is a unit of ${source?.quantity}, "${to}" of ${target?.quantity}`)
    }
    const base = value * source.factor + (source.offset ?? 0)
    // Twelve digits: what the factors are good for, without the tail that binary fractions leave.
    const result = Number(((base - (target.offset ?? 0)) / target.factor).toPrecision(12))
    if (!Number.isFinite(result)) throw new ToolFailure('the result is out of range')
    return { value: result, unit: to, quantity: target.quantity }
  },
})
