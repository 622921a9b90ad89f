/**
 * The Cloudflare Worker: the proxy in front of `UPSTREAM_URL`.
 * @module
 */

import { createApp } from './app.ts'

export default createApp()
