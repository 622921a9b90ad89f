/**
 * Bundles the demo Worker from its sources, in memory.
 * @module
 */
import { fileURLToPath } from 'node:url'
import { build, stop } from 'esbuild'

/** The demo Worker as one ES module, resolved the way Workers are. */
export const bundleDemo = async (): Promise<string> => {
  const result = await build({
    entryPoints: [fileURLToPath(new URL('../../worker/demo/index.ts', import.meta.url))],
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    target: 'es2022',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:*'],
    logLevel: 'error',
  })
  // One build is all there is: no process of esbuild stays behind.
  await stop()
  return (result.outputFiles[0] as { text: string }).text
}
