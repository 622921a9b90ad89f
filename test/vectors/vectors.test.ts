import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { RUNNERS, runVectorFile, vectorFiles } from './runners.ts'

const documented = new Set(
  readFileSync(new URL('deviations.md', import.meta.url), 'utf8')
    .match(/^\| (DEV-[A-Z]-\d+)/gm)
    ?.map((row) => row.slice(2)),
)

describe('golden vectors', () => {
  it('R-A-01, R-A-22, R-A-28 to R-A-46, R-A-60 to R-A-65: every runner finds its file', () => {
    const files = new Set(vectorFiles())
    expect([...RUNNERS.keys()].filter((name) => !files.has(name))).toEqual([])
  })

  it.each(vectorFiles().filter((name) => RUNNERS.has(name)))('%s', async (name) => {
    const report = await runVectorFile(name)
    expect(report?.failures).toEqual([])
    expect(report?.ran).toBeGreaterThan(0)
    expect([...(report?.deviations.keys() ?? [])].filter((rule) => !documented.has(rule))).toEqual([])
  })
})
