import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  canonicalizeJsonText,
  canonicalJson,
  isCanonical,
  JsonError,
  type JsonErrorCode,
  JsonReader,
  parseJsonText,
} from '../../src/json/index.ts'

const utf8 = (text: string) => new TextEncoder().encode(text)

/** The code of a refusal, or the value. Whatever else is thrown fails the test. */
function outcome<Value>(run: () => Value): { code?: JsonErrorCode; value?: Value } {
  try {
    return { value: run() }
  } catch (error) {
    if (JsonError.is(error)) return { code: error.code }
    throw error
  }
}

/** A value taken apart level by level with the visiting methods, instead of in one go. */
function visited(reader: JsonReader): unknown {
  const kind = reader.kind()
  if (kind === 'string') return reader.string()
  if (kind === 'array') {
    const elements: unknown[] = []
    reader.array((index) => {
      elements[index] = visited(reader)
    })
    return elements
  }
  if (kind !== 'object') return reader.value()
  const members: { [name: string]: unknown } = Object.create(null)
  reader.object((name) => {
    members[name] = visited(reader)
  })
  return members
}

const whole =
  <Value>(read: (reader: JsonReader) => Value, start?: number, end?: number) =>
  (bytes: Uint8Array) =>
    outcome(() => {
      const reader = new JsonReader(bytes, start, end)
      const value = read(reader)
      reader.end()
      return value
    })

const blank = fc.constantFrom('', '', ' ', '\n', '\t\r ')
/** JSON texts with white space anywhere, escapes of all forms, numbers of all spellings. */
const { text: texts } = fc.letrec<{ text: string; scalar: string; string: string }>((tie) => ({
  string: fc
    .array(
      fc.constantFrom('a', 'é', '😀', '\\n', '\\u00e9', '\\ud83d\\ude00', '\\/', '\\"', '\\\\', '__proto__', '1', ' '),
      { maxLength: 5 },
    )
    .map((parts) => `"${parts.join('')}"`),
  scalar: fc.oneof(
    tie('string'),
    fc.constantFrom('0', '-0', '1.0', '1e5', '-2.50', '12345678901234567890', 'true', 'false', 'null', '""'),
  ),
  text: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    tie('scalar'),
    fc.tuple(blank, fc.array(fc.tuple(tie('text'), blank), { maxLength: 4 })).map(([before, elements]) => {
      const inner = elements.map(([element, after]) => `${before}${element}${after}`).join(',')
      return `[${inner || before}]`
    }),
    fc
      .tuple(blank, fc.array(fc.tuple(tie('string'), tie('text'), blank), { maxLength: 4 }))
      .map(([before, members]) => {
        const inner = members.map(([name, member, after]) => `${before}${name}${after}:${before}${member}${after}`)
        return `{${inner.join(',') || before}}`
      }),
  ),
}))

const broken = fc
  .tuple(
    texts,
    fc.nat(),
    fc.constantFrom('', '"', '\\', ',', ':', '{', '}', '[', ']', '0', '.', 'e', '-', '\u0000', 'x'),
  )
  .map(([text, at, part]) => {
    const place = at % (text.length + 1)
    return text.slice(0, place) + part + text.slice(place + (at % 3))
  })
  .filter((text) => text.isWellFormed())

describe('walks of one reader', () => {
  it('visiting level by level gives the same value, or the same refusal, as reading at once', () => {
    const [byVisits, atOnce] = [whole(visited), whole((reader) => reader.value())]
    fc.assert(
      fc.property(fc.oneof(texts, broken), (text) => {
        const bytes = utf8(text)
        expect(byVisits(bytes)).toEqual(atOnce(bytes))
        expect(outcome(() => parseJsonText(text))).toEqual(atOnce(bytes))
      }),
      { numRuns: 2000 },
    )
  })

  it('a span is one value: what it encloses reads as the member it stands for', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const bytes = utf8(` ${text}\n`)
        const reader = new JsonReader(bytes)
        const { start, end } = reader.span()
        reader.end()
        expect(new TextDecoder().decode(bytes.subarray(start, end))).toBe(text)
        if (outcome(() => parseJsonText(text)).code !== undefined || reader.bytes[start] !== 0x7b) return
        const spans: [string, string][] = []
        const again = new JsonReader(bytes)
        again.object((name) => {
          const member = again.span()
          spans.push([name, canonicalizeJsonText(bytes.slice(member.start, member.end))])
        })
        const value = parseJsonText(text) as Record<string, unknown>
        expect(new Map(spans)).toEqual(
          new Map(Object.entries(value).map(([name, inner]) => [name, canonicalJson(inner)])),
        )
      }),
      { numRuns: 1000 },
    )
  })

  it('a reader of a part reads that part only, whatever stands around it', () => {
    const around = fc.constantFrom('', '"', '1', '.5', 'e9', '}', ']', ' ', 'true', '\\"', '[1,', 'a')
    fc.assert(
      fc.property(fc.oneof(texts, broken), around, around, (text, before, after) => {
        const bytes = utf8(before + text + after)
        const [start, end] = [utf8(before).length, utf8(before + text).length]
        for (const read of [
          visited,
          (reader: JsonReader) => reader.value(),
          (reader: JsonReader) => reader.span() && 1,
        ]) {
          expect(whole(read, start, end)(bytes)).toEqual(whole(read)(utf8(text)))
        }
      }),
      { numRuns: 2000 },
    )
  })

  it('any bytes at all give a value or a coded refusal, never another error', () => {
    const JSON_BYTES = [...'{}[]:,"\\0123-+.eEtrufalsn \n'].map((character) => character.charCodeAt(0))
    const byte = fc.oneof(fc.constantFrom(...JSON_BYTES), fc.nat(255))
    fc.assert(
      fc.property(fc.array(byte, { maxLength: 30 }), (list) => {
        const bytes = Uint8Array.from(list)
        const { code } = outcome(() => parseJsonText(bytes))
        let valid = true
        try {
          JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes))
        } catch {
          valid = false
        }
        const stricter = code === 'duplicate-name' || code === 'lone-surrogate'
        if (valid) expect(code === undefined || stricter).toBe(true)
        else expect(code).toBeDefined()
        const canonical = outcome(() => canonicalizeJsonText(bytes)).value
        expect(isCanonical(bytes)).toBe(
          canonical !== undefined && Buffer.compare(Buffer.from(canonical), Buffer.from(bytes)) === 0,
        )
      }),
      { numRuns: 8000 },
    )
  })

  it('canonicalizing loses nothing and is done once: texts that mean the same give one text', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const { value: canonical, code } = outcome(() => canonicalizeJsonText(text))
        if (canonical === undefined) {
          expect(code).toBe('duplicate-name')
          return
        }
        expect(canonicalizeJsonText(canonical)).toBe(canonical)
        expect(canonicalizeJsonText(utf8(text))).toBe(canonical)
        expect(canonicalJson(parseJsonText(text))).toBe(canonical)
        expect(isCanonical(utf8(text))).toBe(text === canonical)
        // The token -0 is the integer 0. Escaped names are left out: V8's own parser misreads some (nodejs/node#63785).
        if (text.includes('\\')) return
        const plain = (json: string) => JSON.parse(json, (_name, value) => (value === 0 ? 0 : value))
        expect(plain(canonical)).toEqual(plain(text))
      }),
      { numRuns: 2000 },
    )
  })

  it('R-A-40: names stand in the order of their UTF-8, however many there are', () => {
    const name = fc.string({
      unit: fc.constantFrom(
        'a',
        'b',
        '1',
        '\u0000',
        '\n',
        '"',
        '\\',
        '\u007f',
        'é',
        '\ud7ff',
        '\ue000',
        '\uffff',
        '😀',
        '\u{10ffff}',
      ),
      maxLength: 4,
    })
    fc.assert(
      fc.property(fc.uniqueArray(name, { minLength: 2, maxLength: 40 }), fc.nat(), (names, at) => {
        const sorted = names.toSorted((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)))
        const written = (list: readonly string[]) => `{${list.map((each) => `${JSON.stringify(each)}:0`).join(',')}}`
        const value = Object.fromEntries(names.map((each) => [each, 0]))
        expect(canonicalJson(value)).toBe(written(sorted))
        expect(canonicalizeJsonText(written(names))).toBe(written(sorted))
        expect(isCanonical(utf8(written(sorted)))).toBe(true)
        const place = at % (sorted.length - 1)
        const [left, right] = [sorted[place] as string, sorted[place + 1] as string]
        expect(isCanonical(utf8(written(sorted.with(place, right).with(place + 1, left))))).toBe(false)
        expect(isCanonical(utf8(written(sorted.toSpliced(place, 0, left))))).toBe(false)
      }),
      { numRuns: 1000 },
    )
  })
})

describe('a reader used wrongly', () => {
  it.each<[string, (reader: JsonReader) => void, string]>([
    ['a visit that takes nothing', (reader) => reader.object(() => undefined), '{"a":1}'],
    ['a visit that takes nothing of no value', (reader) => reader.object(() => undefined), '{"a":}'],
    ['a visit that takes nothing of an array', (reader) => reader.array(() => undefined), '[1]'],
    ['a visit that takes nothing between commas', (reader) => reader.array(() => undefined), '[,]'],
    ['a visit that takes too much', (reader) => reader.array(() => void [reader.value(), reader.value()]), '[1,2]'],
    ['a visit that takes the end', (reader) => reader.object(() => void [reader.value(), reader.value()]), '{"a":1}'],
  ])('%s is refused with a code', (_name, read, text) => {
    expect(outcome(() => read(new JsonReader(utf8(text)))).code).toBe('syntax')
  })

  it('what a visit throws passes through', () => {
    const own = new TypeError('own')
    const throwing = () => {
      throw own
    }
    expect(() => new JsonReader(utf8('{"a":1}')).object(throwing)).toThrow(own)
    expect(() => new JsonReader(utf8('[1]')).array(throwing)).toThrow(own)
  })

  it('read on behind the end, it is at the end', () => {
    for (const text of ['1', ' 1 ', '{}', '"x"']) {
      const reader = new JsonReader(utf8(text))
      reader.value()
      for (const read of [() => reader.value(), () => reader.span(), () => reader.kind(), () => reader.string()]) {
        expect(outcome(read).code).toBe('truncated')
      }
      reader.end()
    }
  })

  it('tells the kind without taking the value', () => {
    for (const [text, kind] of [
      ['{}', 'object'],
      [' []', 'array'],
      ['"', 'string'],
      ['-', 'number'],
      ['7', 'number'],
      ['t', 'boolean'],
      ['f', 'boolean'],
      ['n', 'null'],
    ] as const) {
      const reader = new JsonReader(utf8(text))
      expect([reader.kind(), reader.kind()]).toEqual([kind, kind])
    }
    for (const text of ['x', '}', ':', '+', '\u00a0']) {
      expect(outcome(() => new JsonReader(utf8(text)).kind()).code).toBe('syntax')
    }
  })
})

describe('values that are not what they seem', () => {
  it('own enumerable members count, and nothing else', () => {
    const value = Object.defineProperty({ a: 1, [Symbol('s')]: 2 }, 'hidden', { value: 3, enumerable: false })
    expect(canonicalJson(value)).toBe('{"a":1}')
  })

  it('each member is read once, in order, also of a proxy', () => {
    const reads: string[] = []
    const value = new Proxy({ b: 1, a: [2] } as Record<string, unknown>, {
      get(target, name) {
        if (Object.hasOwn(target, name)) reads.push(String(name))
        return Reflect.get(target, name)
      },
    })
    expect(canonicalJson(value)).toBe('{"a":[2],"b":1}')
    expect(reads).toEqual(['a', 'b'])
  })

  it('a member that changes while it is written is refused or written as it was read', () => {
    const value: Record<string, unknown> = { b: 1 }
    Object.defineProperty(value, 'a', {
      enumerable: true,
      get() {
        delete value.b
        return 1
      },
    })
    expect(outcome(() => canonicalJson(value)).code).toBe('unsupported-type')
  })

  it('reading gives objects without prototype, on which every name is only a name', () => {
    const names = [
      '__proto__',
      'constructor',
      'prototype',
      'hasOwnProperty',
      'toString',
      'valueOf',
      'toJSON',
      '10',
      '9',
      '-1',
    ]
    const text = `{${names.map((name, index) => `"${name}":{"x":${index}}`).join(',')}}`
    const value = parseJsonText(text) as Record<string, { x: number }>
    expect(Object.getPrototypeOf(value)).toBe(null)
    expect(Object.keys(value).toSorted()).toEqual(names.toSorted())
    for (const [index, name] of names.entries()) expect(value[name]?.x).toBe(index)
    expect(canonicalizeJsonText(text)).toBe(
      `{${names
        .map((name, index) => [name, index] as const)
        .toSorted(([left], [right]) => (left < right ? -1 : 1))
        .map(([name, index]) => `"${name}":{"x":${index}}`)
        .join(',')}}`,
    )
    expect(({} as { x?: unknown }).x).toBe(undefined)
  })
})
