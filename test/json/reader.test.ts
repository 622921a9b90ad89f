import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalizeJsonText, JsonError, JsonNumber, JsonReader, parseJsonText } from '../../src/json/index.ts'

const utf8 = (text: string) => new TextEncoder().encode(text)
const codeOf = (run: () => unknown): string => {
  try {
    run()
    return 'accepted'
  } catch (error) {
    if (JsonError.is(error)) return error.code
    throw error
  }
}
const passes = (text: string): boolean =>
  codeOf(() => {
    const reader = new JsonReader(utf8(text))
    reader.span()
    reader.end()
  }) === 'accepted'

const SAMPLE = '{"a":[1,-2.5e+10,true,false,null,"x\\u00e9\\n\\"",{}],"é😀":{"b":[[]],"c":""}, "d" : 0 }'

describe('JsonReader', () => {
  it('accepts what JSON.parse accepts, and nothing else', () => {
    const token = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ':',
      ',',
      '"',
      '"a"',
      '1',
      '-',
      '0',
      '.5',
      'e3',
      'E-1',
      'true',
      'null',
      'fals',
      '\\',
      '\\u00',
      ' ',
      '\n',
      '\u0001',
      '\u00a0',
      'é',
    )
    const noise = fc.array(token, { maxLength: 12 }).map((tokens) => tokens.join(''))
    const mutated = fc.tuple(fc.json(), fc.nat(), token).map(([text, at, part]) => {
      const place = at % (text.length + 1)
      return text.slice(0, place) + part + text.slice(place + (at % 2))
    })
    fc.assert(
      fc.property(fc.oneof(fc.json(), noise, mutated), (text) => {
        if (!text.isWellFormed()) return
        let expected = true
        try {
          JSON.parse(text)
        } catch {
          expected = false
        }
        expect(passes(text)).toBe(expected)
      }),
      { numRuns: 5000 },
    )
  })

  it('cut anywhere, gives a coded error', () => {
    const bytes = utf8(SAMPLE)
    for (let end = 0; end < bytes.length; end++) {
      for (const read of [(reader: JsonReader) => reader.span(), (reader: JsonReader) => reader.value()]) {
        const code = codeOf(() => read(new JsonReader(bytes, 0, end)))
        expect(['truncated', 'utf8']).toContain(code)
        expect(['truncated', 'utf8']).toContain(codeOf(() => read(new JsonReader(bytes.slice(0, end)))))
      }
    }
  })

  it('values are what JSON.parse gives, without prototypes, where numbers are exact', () => {
    fc.assert(
      fc.property(fc.json({ noUnicodeString: false } as never), (text) => {
        const plain = JSON.stringify(JSON.parse(text), (_name, value) => (typeof value === 'number' ? 1 : value))
        if (!plain.isWellFormed() || /\\ud[89a-f]/.test(plain)) return
        expect(JSON.stringify(parseJsonText(plain))).toBe(plain)
      }),
    )
    const value = parseJsonText('{"__proto__":1,"10":2,"9":3}') as object
    expect(Object.getPrototypeOf(value)).toBe(null)
    expect(Object.keys(value).sort()).toEqual(['10', '9', '__proto__'])
  })

  it('spans are the bytes as they stand', () => {
    const spans: string[] = []
    const bytes = utf8(SAMPLE)
    const reader = new JsonReader(bytes)
    reader.object((name) => {
      const { start, end } = reader.span()
      spans.push(`${name}=${new TextDecoder().decode(bytes.subarray(start, end))}`)
    })
    reader.end()
    expect(spans).toEqual(['a=[1,-2.5e+10,true,false,null,"x\\u00e9\\n\\"",{}]', 'é😀={"b":[[]],"c":""}', 'd=0'])
  })

  it.each([
    ['1', 1],
    ['-0', 0],
    ['1.5', 1.5],
    ['1.50', 1.5],
    ['1e-5', 1e-5],
    ['9007199254740991', 9007199254740991],
    ['1.0', new JsonNumber('1.0')],
    ['-0.0', new JsonNumber('-0.0')],
    ['1e5', new JsonNumber('1e5')],
    ['9007199254740993', new JsonNumber('9007199254740993')],
    ['1e400', new JsonNumber('1e400')],
  ])('reads %s as an exact value', (text, expected) => {
    expect(parseJsonText(text)).toEqual(expected)
    expect(Object.is(parseJsonText(text), -0)).toBe(false)
  })

  it.each([
    ['syntax', '{"a":1,}'],
    ['syntax', '[1 2]'],
    ['syntax', '1 2'],
    ['syntax', '\ufeff1'],
    ['syntax', 'nul'.padEnd(4, 'x')],
    ['truncated', ''],
    ['truncated', '{"a"'],
    ['duplicate-name', '{"a":1,"b":{"c":1,"\\u0063":2}}'],
    ['duplicate-name', '{"a":{},"a":1}'],
    ['duplicate-name', '{"__proto__":1,"__proto__":2}'],
    ['lone-surrogate', '"\\ud83d"'],
    ['lone-surrogate', '{"\\ude00":1}'],
    ['lone-surrogate', '"\ud800"'],
    ['integer-digits', `${'9'.repeat(4301)}`],
    ['depth', `${'['.repeat(961)}${']'.repeat(961)}`],
    ['depth', `${'{"a":'.repeat(100_000)}1`],
  ])('refuses with %s: %.40s', (code, text) => {
    expect(codeOf(() => parseJsonText(text))).toBe(code)
  })

  it('accepts at the bounds', () => {
    expect(codeOf(() => parseJsonText(`${'['.repeat(960)}${']'.repeat(960)}`))).toBe('accepted')
    expect(canonicalizeJsonText(`-${'9'.repeat(4300)}`).length).toBe(4301)
    expect(codeOf(() => parseJsonText(`${'9'.repeat(4301)}.0`))).toBe('accepted')
  })

  it.each([
    ['overlong', [0x22, 0xc0, 0x80, 0x22]],
    ['surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['cut', [0x22, 0xe2, 0x82, 0x22]],
    ['latin-1', [0x22, 0xe9, 0x22]],
  ])('refuses bytes that are not UTF-8: %s', (_name, bytes) => {
    expect(codeOf(() => parseJsonText(Uint8Array.from(bytes)))).toBe('utf8')
  })

  it('asked for another kind, says so', () => {
    expect(codeOf(() => new JsonReader(utf8('1')).string())).toBe('type')
    expect(codeOf(() => new JsonReader(utf8('[]')).object(() => undefined))).toBe('type')
    expect(codeOf(() => new JsonReader(utf8('{}')).array(() => undefined))).toBe('type')
    expect(codeOf(() => parseJsonText(5 as never))).toBe('type')
    // A visitor that takes nothing, or too much.
    expect(codeOf(() => new JsonReader(utf8('{"a":1}')).object(() => undefined))).toBe('syntax')
  })

  it('is linear: 4 MB of quotes, digits or brackets take no long time', () => {
    for (const text of [`"${'\\"'.repeat(2e6)}"`, `[${'1,'.repeat(2e6)}1]`, `[${'[],'.repeat(1e6)}1]`]) {
      const start = performance.now()
      expect(passes(text)).toBe(true)
      expect(performance.now() - start).toBeLessThan(2000)
    }
  })
})
