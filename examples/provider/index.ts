/**
 * A Worker that is an MCP server of its own: its tools are searched, their schemas read on demand.
 * @module
 */

import { createMcpHandler, McpServer, ResourceTemplate } from '@modelcontextprotocol/server'
import { attachSearch, RegexSearch, registerSchemaResources } from 'mcp-schema-disclosure/provider'
import * as z from 'zod'

const stations = Array.from({ length: 400 }, (_, index) => `station_${index}`)

// One for all requests: it keeps the index of the tools.
const search = new RegexSearch()

const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'weather', version: '1.0.0' })
  server.registerTool(
    'get_forecast',
    {
      description: 'Forecast the temperature at a weather station',
      inputSchema: z.object({ station: z.enum(stations), hours: z.int().min(1).max(48).default(6) }),
      outputSchema: z.object({ celsius: z.array(z.number()) }),
    },
    ({ station, hours }) => {
      const mean = stations.indexOf(station) / 20
      const celsius = Array.from({ length: hours }, (_, hour) => Math.round(mean + 4 * Math.sin(hour / 4)))
      return { content: [{ type: 'text', text: celsius.join(', ') }], structuredContent: { celsius } }
    },
  )
  server.registerTool('list_stations', { description: 'List all weather stations' }, () => ({
    content: [{ type: 'text', text: stations.join('\n') }],
  }))

  attachSearch(server, search, { pin: ['list_stations'] })
  registerSchemaResources(server, search, new Map(), { ResourceTemplate })
  return server
})

export default { fetch: (request: Request): Promise<Response> => handler.fetch(request) }
