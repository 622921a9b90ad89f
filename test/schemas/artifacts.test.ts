import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Validator } from '@cfworker/json-schema'
import Ajv2020 from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import {
  parseSchemaFragmentText,
  parseSchemaManifestText,
  schemaFragmentJsonSchema,
  schemaManifestJsonSchema,
} from '../../src/core/index.ts'
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

/** Why a value that the models refuse may satisfy the JSON Schema: what JSON Schema cannot say, or cannot see. */
const UNSEEN: readonly ((text: string) => boolean)[] = [
  // Spelling of numbers and repeated names are gone once a text is parsed.
  (text) => /:\s*-?\d+(?:\.0+|(?:\.\d+)?[eE][+-]?\d+)\s*[,}]/.test(text),
  (text) => JSON.stringify(JSON.parse(text)).length < text.replaceAll(/(?<=[:,{])\s+/g, '').length,
  // Agreement of the URIs with alias and digest.
  (text) => {
    const { alias, schema_sha256: digest, manifest_uri: uri, fragment_uri_template: template } = JSON.parse(text)
    const prefix = `openapi-schema://v1/${alias}/${digest}`
    return uri !== `${prefix}/manifest` || template !== `${prefix}/fragments/{index}`
  },
  // Digest and UTF-8 length of the text, and its place among the fragments.
  (text) => {
    const { text: part, index, fragment_count: count } = JSON.parse(text)
    return typeof part === 'string' && (index >= count || Buffer.byteLength(part) > 4096 || !part.isWellFormed())
  },
]

async function accepts(parse: (text: string) => unknown, text: string): Promise<string | undefined> {
  try {
    await parse(text)
    return undefined
  } catch (error) {
    return (error as { code: string }).code
  }
}

describe.each(Object.entries(judges))('R-A-27: the published schemas in a registry: %s', (_name, judge) => {
  it.each([
    ['manifest', manifestVectors.cases.map((test) => test.manifest_text), parseSchemaManifestText, judge.manifest],
    [
      'fragment',
      fragmentVectors.single_fragment_cases.map((test) => test.fragment_text),
      parseSchemaFragmentText,
      judge.fragment,
    ],
  ] as const)('agree with the %s model but for what JSON Schema cannot say', async (_what, texts, parse, isValid) => {
    let judged = 0
    for (const text of texts) {
      let value: unknown
      try {
        value = JSON.parse(text)
      } catch {
        continue
      }
      judged++
      const refusal = await accepts(parse, text)
      if (refusal === undefined) expect(isValid(value), text).toBe(true)
      else if (isValid(value))
        expect(refusal === 'fragment-digest' || UNSEEN.some((reason) => reason(text)), text).toBe(true)
    }
    expect(judged).toBeGreaterThan(10)
  })
})

describe('artifacts', () => {
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
