/**
 * The Worker that `npm start` runs: the proxy before the embedded server, or before `UPSTREAM_URL`. No part of a deployment.
 * @module
 */

import { createApp } from '../app.ts'
import { createDemoUpstream } from './upstream.ts'

const upstream = createDemoUpstream()
const app = createApp({ upstream, readWindowMs: 1000 })
// The server itself, to compare.
app.all('/upstream/mcp', (context) => upstream(context.req.raw))

export default app
