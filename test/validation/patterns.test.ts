import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { loadPatternEngine } from '../../src/pattern/index.ts'
import { Budget } from '../../src/validation/budget.ts'
import { parsePattern } from '../../src/validation/pattern/parse.ts'
import { compilePattern, type Pattern } from '../../src/validation/pattern/pattern.ts'
import { searchWork } from '../../src/validation/pattern/work.ts'
import { cpuMilliseconds } from './cpu-time.ts'

const engine = await loadPatternEngine()
const budget = (): Budget => new Budget({ maxSteps: 1e9, maxMilliseconds: 1e9, clock: () => 0 })
const test = (pattern: Pattern, text: string): boolean => pattern.test(text, budget())
const kindOf = (source: string): string => {
  const compiled = compilePattern(source, engine)
  return typeof compiled === 'string' ? compiled : compiled.kind
}

describe('which engine matches a pattern', () => {
  it.each([
    // The next character always decides.
    ['^[a-z]+$', 'native'],
    ['^[a-z0-9-]{1,255}$', 'native'],
    ['^[a-z]+@[a-z]+\\.[a-z]{2,}$', 'native'],
    ['^\\d{4}-\\d{2}-\\d{2}$', 'native'],
    ['^(?:get|list)_[a-z]+(?:_[a-z]+)*$', 'native'],
    ['^(?:[a-z]+/)*$', 'native'],
    ['^.*$', 'native'],
    ['^[\\s\\S]{0,5000}$', 'native'],
    ['^\\p{L}+$', 'native'],
    // A bounded attempt at each place.
    ['foo|foobar', 'native'],
    ['\\S+', 'native'],
    ['[0-9]{3}-[0-9]{4}', 'native'],
    ['', 'native'],
    ['^(?!x)[a-z]{1,20}$', 'native'],
    // Ways that overlap.
    ['^(a+)+$', 're2'],
    ['^(a*)*$', 're2'],
    ['^(a?)*b', 're2'],
    ['^(a|a)*$', 're2'],
    ['^(a|ab)*c$', 're2'],
    ['^(a?a?)*$', 're2'],
    ['^([a-z]+)*$', 're2'],
    ['^(?:a+b?)+$', 're2'],
    ['^(?:a|[a-z])+$', 're2'],
    ['^.*x.*$', 're2'],
    ['^\\w+\\d$', 're2'],
    ['[a-z]+$', 're2'],
    ['[a-z]+@', 're2'],
    ['(?:^a+|b+)c', 're2'],
    ['a{0,40}a{0,40}a{0,40}b', 're2'],
    ['^\\p{L}+\\p{N}+$', 're2'],
    // Only the runtime can.
    ['^(?=.*\\d)(?=.*[a-z]).{4,}$', 'bounded'],
    ['^(a+)\\1$', 'bounded'],
    ['(?<=x+)y+z', 'bounded'],
    ['\\p{Emoji}+x$', 'bounded'],
    // Nobody can.
    ['^(?:(a+)\\1)+$', 'pattern-unsupported'],
    ['^(?=(a+)+$)b', 'pattern-unsupported'],
    ['^(?:a|b){0,1000}(?=c)$', 'pattern-unsupported'],
    [`^${'(?:a?'.repeat(150)}${')'.repeat(150)}$`, 'pattern-unsupported'],
    ['x'.repeat(5000), 'pattern-unsupported'],
    // Nobody may.
    ['[', 'pattern-invalid'],
    ['\\Z', 'pattern-invalid'],
    ['a{2,1}', 'pattern-invalid'],
  ])('%s: %s', (source, kind) => {
    expect(kindOf(source)).toBe(kind)
  })

  it('asks for the engine where it needs it, and only there', () => {
    expect(compilePattern('^(a+)+$', undefined)).toBe('pattern-engine-missing')
    expect(compilePattern('^a+$', undefined)).toMatchObject({ kind: 'native' })
  })
})

/** Patterns out of few characters, so that they overlap often. */
const source = fc.letrec<{ atom: string; piece: string; sequence: string; choice: string }>((tie) => ({
  atom: fc.oneof(
    {
      weight: 6,
      arbitrary: fc.constantFrom(
        'a',
        'b',
        '.',
        '[ab]',
        '[^a]',
        '\\w',
        '\\d',
        '\\s',
        '^',
        '$',
        '\\b',
        'é',
        '😀',
        '\\u{1f600}',
        '-',
      ),
    },
    { weight: 2, arbitrary: tie('choice').map((inner) => `(?:${inner})`) },
    { weight: 1, arbitrary: tie('choice').map((inner) => `(${inner})`) },
  ),
  piece: fc
    .tuple(tie('atom'), fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{1,3}', '{0,2}', '{2,}', '*?', '+?'))
    .map(([atom, count]) => (/^(?:[$^]|\\b)$/.test(atom) ? atom : `${atom}${count}`)),
  sequence: fc.array(tie('piece'), { minLength: 0, maxLength: 4 }).map((pieces) => pieces.join('')),
  choice: fc.array(tie('sequence'), { minLength: 1, maxLength: 3 }).map((parts) => parts.join('|')),
})).choice
const text = fc
  .array(fc.constantFrom('a', 'b', 'é', '😀', '1', ' ', '-', '\n', '\u2028', '\ud800'), { maxLength: 8 })
  .map((parts) => parts.join(''))

describe('a pattern means the same in every engine', () => {
  it('what RE2 is given matches as the runtime does', () => {
    let compared = 0
    fc.assert(
      fc.property(source, fc.array(text, { minLength: 5, maxLength: 5 }), (pattern, texts) => {
        const compiled = compilePattern(pattern, engine)
        if (typeof compiled === 'string') return
        const syntax = parsePattern(pattern) as NonNullable<ReturnType<typeof parsePattern>>
        // The runtime is the one to compare with, and it may take for ever.
        if (searchWork(syntax, 16) > 1_000_000) return
        if (compiled.kind === 're2') compared++
        for (const one of texts)
          expect([pattern, one, test(compiled, one)]).toEqual([pattern, one, new RegExp(pattern, 'u').test(one)])
      }),
      { numRuns: 1000 },
    )
    expect(compared).toBeGreaterThan(30)
  })

  it.each([
    ['\\s', '\ufeff'],
    ['\\s', '\u0085'],
    ['\\S', '\u0085'],
    ['\\w', 'é'],
    ['.', '\u2028'],
    ['.', '\u0085'],
    ['$', 'a\n'],
    ['[^\\s]', '\u3000'],
    ['[\\b]', '\b'],
    ['\\cA', '\u0001'],
    ['\\0', '\0'],
    ['\\ud83d\\ude00', '😀'],
    ['[\\u{1f600}-\\u{1f610}]', '😅'],
    ['^[^x]$', '😀'],
    ['\\p{Lu}', 'É'],
    ['\\P{Lu}', 'É'],
    ['[\\p{L}\\d]', '7'],
    ['[^\\p{L}]', 'é'],
    ['\\p{Script=Greek}', 'α'],
    ['\\p{Letter}', '1'],
  ])('%s on one text', (pattern, one) => {
    // Made ambiguous, so that it is not native.
    for (const spelled of [pattern, `(?:(?:${pattern})*)*(?:${pattern})$`, `^(?:${pattern}|${pattern})+$`]) {
      const compiled = compilePattern(spelled, engine) as Pattern
      expect([spelled, test(compiled, one)]).toEqual([spelled, new RegExp(spelled, 'u').test(one)])
    }
  })
})

describe('what is run natively is linear', () => {
  /** Repeats parts of the pattern's own alphabet: what backtracking likes least. */
  it('no pattern said to be native takes longer than its text is long', () => {
    const attacks = ['a', 'ab', 'b', 'a1', 'aé'].map((part) => `${part.repeat(Math.ceil(30_000 / part.length))}\n`)
    let native = 0
    fc.assert(
      fc.property(source, (pattern) => {
        const compiled = compilePattern(pattern, undefined)
        if (typeof compiled === 'string' || compiled.kind !== 'native') return
        native++
        for (const attack of attacks) {
          const took = cpuMilliseconds(100, () => test(compiled, attack))
          expect([pattern, took < 100]).toEqual([pattern, true])
        }
      }),
      { numRuns: 1500 },
    )
    expect(native).toBeGreaterThan(100)
  })

  it.each([
    '(?:'.repeat(1000) + ')'.repeat(1000),
    '(a|'.repeat(90) + ')'.repeat(90),
    'a?'.repeat(2000),
    `^${'a?'.repeat(60)}${'a'.repeat(60)}$`,
    `^(?:${Array.from({ length: 600 }, (_, at) => String.fromCodePoint(0x4e00 + at)).join('|')})+$`,
    '^((a{1,30}){1,30}){1,30}$',
    '((a{100}){100}){100}',
    `[${'a-z'.repeat(1000)}]+$`,
    '(x*)*'.repeat(500),
  ])('the check itself is quick: pattern %#', (pattern) => {
    expect(cpuMilliseconds(100, () => compilePattern(pattern, engine))).toBeLessThan(100)
  })
})
