import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Validator } from '@cfworker/json-schema'
import Ajv2020 from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import {
  JsonError,
  JsonReader,
  parseSchemaFragmentText,
  parseSchemaManifestText,
  SchemaDisclosureError,
  schemaFragmentJsonSchema,
  schemaManifestJsonSchema,
} from '../../src/core/index.ts'
import disclosureVectors from '../vectors/wire/disclosures.json'
import fragmentVectors from '../vectors/wire/fragments-invalid.json'
import manifestVectors from '../vectors/wire/manifests-invalid.json'

const root = fileURLToPath(new URL('../..', import.meta.url))
const FRAGMENT_ID = 'urn:mcp-schema-disclosure:schema-fragment:1'
const MANIFEST_ID = 'urn:mcp-schema-disclosure:schema-manifest:1'

type Judge = (value: unknown) => boolean
const judges: Record<string, { manifest: Judge; fragment: Judge }> = {
  ajv: (() => {
    const ajv = new Ajv2020({ strict: false })
    ajv.addSchema([schemaManifestJsonSchema, schemaFragmentJsonSchema])
    return {
      manifest: (value) => ajv.getSchema(MANIFEST_ID)?.(value) === true,
      fragment: (value) => ajv.getSchema(FRAGMENT_ID)?.(value) === true,
    }
  })(),
  cfworker: (() => {
    const make = (own: object, other: object) => {
      const validator = new Validator(structuredClone(own), '2020-12')
      validator.addSchema(structuredClone(other))
      return (value: unknown) => {
        try {
          return validator.validate(value).valid
        } catch (error) {
          // It cannot name a member that has no UTF-8.
          if (error instanceof URIError) return false
          throw error
        }
      }
    }
    return {
      manifest: make(schemaManifestJsonSchema, schemaFragmentJsonSchema),
      fragment: make(schemaFragmentJsonSchema, schemaManifestJsonSchema),
    }
  })(),
}

interface Subject {
  readonly text: string
  readonly value: { readonly [field: string]: unknown }
}

/** The only reasons why what the models refuse may satisfy the JSON Schema: what it cannot say, or cannot see. */
const UNSEEN: Readonly<
  Record<string, { readonly holds: (subject: Subject) => boolean; readonly codes: readonly string[] }>
> = {
  // Gone once a text is parsed.
  'a number is spelled with a point or an exponent': {
    holds: ({ text }) => /:\s*-?\d+(?:\.0+)?(?:[eE][+-]?\d+)?\s*[,}]/.test(text.replaceAll(/:\s*-?\d+\s*[,}]/g, '')),
    codes: ['manifest-invalid', 'fragment-invalid'],
  },
  'a name is repeated': {
    holds: ({ text, value }) => (text.match(/"\w+"(?=\s*:)/g)?.length ?? 0) > Object.keys(value).length,
    codes: ['text-invalid'],
  },
  // Between two fields.
  'a URI disagrees with alias and digest': {
    holds: ({ value: { alias, schema_sha256: digest, manifest_uri: uri, fragment_uri_template: template } }) => {
      const prefix = `openapi-schema://v1/${alias}/${digest}`
      return uri !== `${prefix}/manifest` || template !== `${prefix}/fragments/{index}`
    },
    codes: ['manifest-invalid', 'fragment-invalid'],
  },
  'the index is not below the count': {
    holds: ({ value }) => Number(value.index) >= Number(value.fragment_count),
    codes: ['fragment-index'],
  },
  // A schema counts characters and hashes nothing.
  'the text has more than 4,096 bytes': {
    holds: ({ value: { text } }) => Buffer.byteLength(String(text)) > 4096,
    codes: ['fragment-invalid'],
  },
  'the text has no UTF-8': {
    holds: ({ value: { text } }) => !String(text).isWellFormed(),
    codes: ['fragment-invalid', 'text-invalid'],
  },
  'the text has another digest': {
    holds: ({ value: { text, fragment_sha256: digest } }) =>
      createHash('sha256').update(String(text)).digest('hex') !== digest,
    codes: ['fragment-digest'],
  },
}

async function codeOf(parse: (text: string) => unknown, text: string): Promise<string | undefined> {
  try {
    await parse(text)
    return undefined
  } catch (error) {
    if (SchemaDisclosureError.is(error)) return error.code
    throw error
  }
}

const reasonFor = (subject: Subject, code: string): string | undefined =>
  Object.entries(UNSEEN).find(([, { holds, codes }]) => codes.includes(code) && holds(subject))?.[0]

/** The texts of a JSON array's elements, as far as it is JSON; none where it is no array. */
function elementsOf(text: string): string[] {
  const bytes = new TextEncoder().encode(text)
  const reader = new JsonReader(bytes)
  if (reader.kind() !== 'array') return []
  const texts: string[] = []
  try {
    reader.array(() => {
      const { start, end } = reader.span()
      texts.push(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(start, end)))
    })
  } catch (error) {
    if (!JsonError.is(error)) throw error
  }
  return texts
}

const manifestTexts = [
  ...manifestVectors.cases.map((test) => test.manifest_text),
  ...fragmentVectors.cases.map((test) => test.manifest_text),
  ...disclosureVectors.cases.flatMap((test) => (test.manifest === undefined ? [] : [JSON.stringify(test.manifest)])),
]
const fragmentTexts = [
  ...fragmentVectors.single_fragment_cases.map((test) => test.fragment_text),
  ...fragmentVectors.cases.flatMap((test) => elementsOf(test.fragments_text)),
  ...disclosureVectors.cases.flatMap((test) => (test.fragments ?? []).flatMap((fragment) => fragment.wire ?? [])),
]

/** A right fragment, its text, and changes of it that show each reason alone. */
const [wire] = disclosureVectors.cases.flatMap((test) =>
  (test.fragments ?? []).flatMap((fragment) => fragment.wire ?? []),
)
const right = JSON.parse(wire as string) as { readonly [field: string]: unknown }
const withText = (text: string) => ({
  ...right,
  text,
  fragment_sha256: createHash('sha256').update(text).digest('hex'),
})
const SHOWN: Readonly<Record<string, string>> = {
  'a number is spelled with a point or an exponent': (wire as string).replace('"version":1,', '"version":1.0,'),
  'a name is repeated': (wire as string).replace('{', '{"version":1,'),
  'a URI disagrees with alias and digest': JSON.stringify({ ...right, alias: 'another' }),
  'the index is not below the count': JSON.stringify({ ...right, index: right.fragment_count }),
  'the text has more than 4,096 bytes': JSON.stringify(withText('é'.repeat(4096))),
  'the text has no UTF-8': JSON.stringify(withText('\ud800')),
  'the text has another digest': JSON.stringify({ ...right, text: 'another' }),
}

describe.each(Object.entries(judges))('R-A-27: the published schemas in a registry: %s', (_name, judge) => {
  it.each([
    ['manifest', manifestTexts, parseSchemaManifestText, judge.manifest],
    ['fragment', fragmentTexts, parseSchemaFragmentText, judge.fragment],
  ] as const)('agree with the %s model but for what JSON Schema cannot say', async (_what, texts, parse, isValid) => {
    let accepted = 0
    let refused = 0
    for (const text of texts) {
      let value: unknown
      try {
        value = JSON.parse(text)
      } catch {
        continue
      }
      const code = await codeOf(parse, text)
      if (code === undefined) {
        accepted++
        expect(isValid(value), text).toBe(true)
      } else if (isValid(value)) {
        expect(reasonFor({ text, value: value as Subject['value'] }, code), `${code}: ${text}`).toBeDefined()
      } else refused++
    }
    expect(accepted).toBeGreaterThan(25)
    expect(refused).toBeGreaterThan(5)
  })

  it.each(Object.entries(SHOWN))('cannot see that %s', async (reason, text) => {
    expect(judge.fragment(right)).toBe(true)
    expect(judge.fragment(JSON.parse(text))).toBe(true)
    const code = await codeOf(parseSchemaFragmentText, text)
    expect(reasonFor({ text, value: JSON.parse(text) }, code as string)).toBe(reason)
  })

  it('R-A-28, R-A-30: refuse what they can see', () => {
    const manifest = JSON.parse(manifestTexts.at(-1) as string) as { [field: string]: unknown }
    expect(judge.manifest(manifest)).toBe(true)
    const wrong = [null, 5, '', [], 'x'.repeat(600)]
    for (const [subject, isValid] of [
      [manifest, judge.manifest],
      [right, judge.fragment],
    ] as const) {
      for (const field of Object.keys(subject)) {
        const { [field]: _dropped, ...rest } = subject
        expect(isValid(rest), `without ${field}`).toBe(false)
        for (const value of field === 'text' ? wrong.slice(0, 4) : wrong) {
          if (typeof value === 'number' && /count|bytes|index/.test(field)) continue
          expect(isValid({ ...subject, [field]: value }), `${field}: ${JSON.stringify(value)?.slice(0, 9)}`).toBe(false)
        }
      }
      expect(isValid({ ...subject, extra: 1 })).toBe(false)
      for (const [field, value] of [
        ['version', 2],
        ['schema_bytes', 0],
        ['schema_bytes', 16_777_217],
        ['fragment_count', 0],
        ['fragment_count', 4101],
        ['alias', '1a'],
        ['operation', 'a-b'],
        ['source_sha256', 'A'.repeat(64)],
      ] as const) {
        expect(isValid({ ...subject, [field]: value }), `${field}: ${value}`).toBe(false)
      }
    }
    expect(judge.fragment({ ...right, index: -1 })).toBe(false)
    expect(judge.fragment({ ...right, text: 'a'.repeat(4097) })).toBe(false)
  })
})

it('every reason is shown', () => {
  expect(Object.keys(SHOWN)).toEqual(Object.keys(UNSEEN))
})

describe('artifacts', () => {
  it('R-A-23, R-A-24, R-C-02: what the library gives at run time is what is published', () => {
    const published = (name: string) => JSON.parse(readFileSync(join(root, 'schemas', name), 'utf8'))
    expect(schemaManifestJsonSchema).toEqual(published('schema-manifest.json'))
    expect(schemaFragmentJsonSchema).toEqual(published('schema-fragment.json'))
  })

  it('R-A-26: the fragment schema refers to the manifest schema and repeats nothing of it', () => {
    expect(schemaFragmentJsonSchema.$ref).toBe(`${MANIFEST_ID}#/$defs/identity`)
    expect(Object.keys(schemaFragmentJsonSchema.properties as object)).toEqual(['index', 'fragment_sha256', 'text'])
    expect([schemaManifestJsonSchema.$id, schemaFragmentJsonSchema.$id]).toEqual([MANIFEST_ID, FRAGMENT_ID])
  })

  it('R-A-25: the check passes here, whatever the line ends, and names a file that differs', () => {
    const folder = mkdtempSync(join(tmpdir(), 'disclosure-schemas-'))
    const check = () => {
      try {
        execFileSync(process.execPath, ['scripts/schemas.ts', '--check'], {
          cwd: folder,
          encoding: 'utf8',
          stdio: 'pipe',
        })
        return [0, '']
      } catch (error) {
        const { status, stderr } = error as { status: number; stderr: string }
        return [status, stderr]
      }
    }
    try {
      for (const part of ['src', 'schemas', 'scripts', 'package.json'])
        cpSync(join(root, part), join(folder, part), { recursive: true })
      symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
      expect(check()).toEqual([0, ''])
      const path = join(folder, 'schemas/schema-fragment.json')
      const text = readFileSync(path, 'utf8')
      writeFileSync(path, text.replaceAll('\n', '\r\n'))
      expect(check()).toEqual([0, ''])
      writeFileSync(path, text.replace('4096', '4097'))
      const [status, stderr] = check()
      expect(status).toBe(1)
      expect(stderr).toContain('schema-fragment.json')
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
