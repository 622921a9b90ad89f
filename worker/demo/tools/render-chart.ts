/**
 * `render_chart`: a Vega-Lite specification in, an SVG document out.
 *
 * Runs where eval is forbidden: Vega parses its expressions to trees and `vega-interpreter` walks them.
 * @module
 */
import { type LoggerInterface, parse, View } from 'vega'
import { expressionInterpreter } from 'vega-interpreter'
import { compile, type TopLevelSpec } from 'vega-lite'
import schema from 'vega-lite/vega-lite-schema.json' with { type: 'json' }
import { defineTool, ToolFailure } from '../tool.ts'

/** The chart tool. Its arguments are the specification itself, so its input schema is the one Vega-Lite publishes. */
export const renderChart = defineTool<TopLevelSpec>({
  name: 'render_chart',
  title: 'Render a chart',
  description:
    'Render a chart (bar, line, area, point, pie, heat map and more, in layers and facets) as an SVG image. The ' +
    'arguments are a complete Vega-Lite specification with its data inline in "data.values"; nothing is ever loaded.',
  inputSchema: { type: 'object', ...schema },
  outputSchema: {
    type: 'object',
    properties: {
      svg: { type: 'string', description: 'The complete SVG document' },
      width: { type: 'number', description: 'Width in pixels' },
      height: { type: 'number', description: 'Height in pixels' },
    },
    required: ['svg', 'width', 'height'],
    additionalProperties: false,
  },
  async run(spec) {
    const svg = await renderSvg(spec)
    const size = /<svg[^>]* width="([\d.]+)" height="([\d.]+)"/.exec(svg)
    return { svg, width: Number(size?.[1]), height: Number(size?.[2]) }
  },
})

const renderSvg = async (spec: TopLevelSpec): Promise<string> => {
  const problems: string[] = []
  const logger = quietLogger(problems)
  let view: View | undefined
  let svg: string
  try {
    const chart = compile(spec, { logger }).spec
    const loader = refusingLoader(problems)
    const runtime = parse(chart, undefined, { ast: true })
    view = new View(runtime, { renderer: 'none', loader, logger, expr: expressionInterpreter })
    svg = await view.toSVG()
  } catch (error) {
    throw new ToolFailure(`the specification does not render: ${error instanceof Error ? error.message : error}`)
  } finally {
    view?.finalize()
  }
  // Vega logs what fails inside a running chart and carries on; a chart with holes is no answer.
  if (problems.length > 0) throw new ToolFailure(`the specification does not render: ${problems[0]}`)
  return svg
}

/** Loads nothing: neither data nor images. Links stay, if they are ordinary ones. */
const refusingLoader = (problems: string[]) => {
  const refuse = async (uri: string): Promise<never> => {
    problems.push(`"${uri.slice(0, 200)}" is not loaded, give the data inline in "data.values"`)
    throw new ToolFailure('nothing is loaded')
  }
  const sanitize = async (uri: string, options: { context?: string }): Promise<{ href: string }> =>
    options.context === 'href' ? { href: /^(?:https?:\/\/|mailto:)/i.test(uri) ? uri : '' } : refuse(uri)
  return { load: refuse, http: refuse, file: refuse, sanitize }
}

/** Keeps errors, drops the rest: there is no console to read a chart's warnings on. */
const quietLogger = (problems: string[]): LoggerInterface => {
  const logger: LoggerInterface = {
    level: ((level?: number) => (level === undefined ? 1 : logger)) as LoggerInterface['level'],
    error(...messages) {
      problems.push(messages.map((message) => (message instanceof Error ? message.message : String(message))).join(' '))
      return logger
    },
    warn: () => logger,
    info: () => logger,
    debug: () => logger,
  }
  return logger
}
