/**
 * `color_contrast`: the WCAG contrast of two colours.
 * @module
 */
import { defineTool } from '../tool.ts'

/** Relative luminance of `#rrggbb`, 0 (black) to 1 (white), as WCAG 2 defines it. */
const luminance = (hex: string): number => {
  const channel = (at: number): number => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
}

const color = { type: 'string', pattern: '^#[0-9A-Fa-f]{6}$', description: 'As #rrggbb' }

/** The contrast tool. */
export const colorContrast = defineTool<{ foreground: string; background: string }>({
  name: 'color_contrast',
  title: 'Contrast of two colours',
  description: 'Compute the WCAG 2 contrast ratio of a text colour on a background, and which levels it reaches.',
  inputSchema: {
    type: 'object',
    properties: { foreground: color, background: color },
    required: ['foreground', 'background'],
    additionalProperties: false,
  },
  outputSchema: {
    type: 'object',
    properties: {
      ratio: { type: 'number', minimum: 1, maximum: 21 },
      normal_text: { type: 'string', enum: ['fail', 'AA', 'AAA'] },
      large_text: { type: 'string', enum: ['fail', 'AA', 'AAA'], description: 'From 24 px, or 18.7 px bold' },
    },
    required: ['ratio', 'normal_text', 'large_text'],
    additionalProperties: false,
  },
  run({ foreground, background }) {
    const [dark = 0, light = 0] = [luminance(foreground), luminance(background)].sort((a, b) => a - b)
    const exact = (light + 0.05) / (dark + 0.05)
    const level = (aa: number, aaa: number): string => (exact >= aaa ? 'AAA' : exact >= aa ? 'AA' : 'fail')
    // Rounded down, so that the number shown never promises a level that is not reached.
    return { ratio: Math.floor(exact * 100) / 100, normal_text: level(4.5, 7), large_text: level(3, 4.5) }
  },
})
