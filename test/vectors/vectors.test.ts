import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { RUNNERS, runVectorFile, VECTORS_DIR, vectorFiles } from './runners.ts'

const rows = readFileSync(new URL('deviations.md', import.meta.url), 'utf8').match(/^\| DEV-[A-Z]-\d+ .*$/gm) ?? []
const documented = new Map(
  rows.map((row) => {
    const [rule, ...cells] = row
      .split('|')
      .map((cell) => cell.trim())
      .filter((cell) => cell !== '')
    return [rule as string, cells]
  }),
)

/** True where one object holds two equal names. Names are parsed one by one, as strings. */
function hasRepeatedName(text: string): boolean {
  const open: Set<string>[] = []
  for (const [token, colon] of text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?|[[\]{}]/g)) {
    if (token === '{' || token === '[') open.push(new Set())
    else if (token === '}' || token === ']') open.pop()
    else if (colon !== undefined) {
      const names = open.at(-1) as Set<string>
      const name = JSON.parse(token.slice(0, -colon.length)) as string
      if (names.has(name)) return true
      names.add(name)
    }
  }
  return false
}

const levels = (text: string): number => {
  let depth = 0
  let most = 0
  for (const bracket of text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '').match(/[[\]{}]/g) ?? []) {
    depth += bracket === '[' || bracket === '{' ? 1 : -1
    most = Math.max(most, depth)
  }
  return most
}

/** Where the original accepts what is refused here: by the texts alone, without the code under test. */
function strictness(text: string): string | undefined {
  if (levels(text) > 960) return 'DEV-W-2'
  return hasRepeatedName(text) ? 'DEV-W-1' : undefined
}

const TEXTS: Readonly<Record<string, readonly string[]>> = {
  'wire/canonical.json': ['json_text'],
  'wire/disclosures.json': ['input_schema_text', 'output_schema_text'],
  'wire/manifests-invalid.json': ['manifest_text'],
}

const isAccepted = (test: { readonly [field: string]: unknown }): boolean =>
  'accepted' in test ? test.accepted === true : test.error === undefined && test.reconstruct_error === undefined

describe('golden vectors', () => {
  it('every runner finds its file', () => {
    const files = new Set(vectorFiles())
    expect([...RUNNERS.keys()].filter((name) => !files.has(name))).toEqual([])
  })

  it.each(vectorFiles().filter((name) => RUNNERS.has(name)))(
    'R-A-01, R-A-22, R-A-28 … R-A-46, R-A-60 … R-A-65: %s',
    async (name) => {
      const report = await runVectorFile(name)
      expect(report?.failures).toEqual([])
      expect(report?.ran).toBeGreaterThan(0)
      expect(report?.passed).toBe(
        (report?.ran ?? 0) - [...(report?.deviations.values() ?? [])].reduce((sum, count) => sum + count, 0),
      )
      expect([...(report?.deviations.keys() ?? [])].filter((rule) => !documented.has(rule))).toEqual([])
    },
  )

  it('every rule says condition, difference and reason', () => {
    expect(documented.size).toBe(rows.length)
    for (const cells of documented.values()) expect(cells.length).toBe(3)
  })

  it.each(Object.entries(TEXTS))(
    '%s: the stricter rules cover exactly the texts they speak of',
    async (name, fields) => {
      const { cases } = JSON.parse(readFileSync(join(VECTORS_DIR, name), 'utf8')) as {
        cases: Record<string, unknown>[]
      }
      const expected = new Map<string, number>()
      for (const test of cases.filter(isAccepted)) {
        const rule = fields
          .map((field) => (typeof test[field] === 'string' ? strictness(test[field]) : undefined))
          .find((found) => found !== undefined)
        if (rule !== undefined) expected.set(rule, (expected.get(rule) ?? 0) + 1)
      }
      expect((await runVectorFile(name))?.deviations).toEqual(expected)
    },
  )
})
