/**
 * The tools of the demo server, in the order they are listed.
 * @module
 */
import type { DemoTool } from '../tool.ts'
import { checkAsyncapi } from './check-asyncapi.ts'
import { colorContrast } from './color-contrast.ts'
import { convertUnits } from './convert-units.ts'
import { dateDifference } from './date-difference.ts'
import { describeNumbers } from './describe-numbers.ts'
import { diffLines } from './diff-lines.ts'
import { hashText } from './hash-text.ts'
import { parseCsv } from './parse-csv.ts'
import { renderChart } from './render-chart.ts'

/** Two tools with schemas too big to hand over, and seven ordinary ones. */
export const demoTools: readonly DemoTool[] = [
  renderChart,
  checkAsyncapi,
  parseCsv,
  describeNumbers,
  convertUnits,
  dateDifference,
  diffLines,
  colorContrast,
  hashText,
]
