import { describe, expect, it } from 'vitest'
import { compileSearchPattern } from '../../src/pattern/index.ts'

/** What a pattern says about a text: true, false, or undefined where it is refused. */
const verdict = async (pattern: string, text: string) => (await compileSearchPattern(pattern))?.test(text)

describe('search patterns read as the original reads them', () => {
  it.each<[string, string, boolean | undefined]>([
    // Simple case folding, nothing more.
    ['k', '\u212a', true],
    ['s', '\u017f', true],
    ['ss', 'ß', false],
    ['straße', 'STRAßE', true],
    ['σ', 'ς', true],
    ['[à-ü]', 'É', true],
    // Unicode classes, inside brackets too.
    ['\\w', 'é', true],
    ['\\W', 'é', false],
    ['\\d', '٣', true],
    ['\\D', '٣', false],
    ['\\s', '\u00a0', true],
    ['\\S', '\u3000', false],
    ['[^\\w]', 'é', false],
    ['[\\d]', '٣', true],
    ['[^\\S]', '\u2003', true],
    ['\\pL', 'é', true],
    ['\\p{Letter}', 'é', true],
    ['\\p{sc=Greek}', 'α', true],
    ['\\P{L}', 'é', false],
    ['\\p{Nope}', 'x', undefined],
    ['[[:alpha:]]', 'a', true],
    ['[[:foo:]]', 'a', undefined],
    // Flags and groups.
    ['(?-i)X', 'x', false],
    ['(?-i)X', 'X', true],
    ['(?m)^b', 'a\nb', true],
    ['^b', 'a\nb', false],
    ['b$', 'b\n', false],
    ['(?s).', '\n', true],
    ['.', '\n', false],
    ['(?x) a b', 'ab', true],
    ['(?x)a #c\nb', 'ab', true],
    ['(?x:a b)c d', 'abc d', true],
    ['(?P<n>a)', 'a', true],
    ['(?<n>a)', 'a', true],
    ['(?i-s:a)', 'A', true],
    ['(?ii)a', 'a', undefined],
    ['(?)a', 'a', undefined],
    ['(?#c)a', 'a', undefined],
    // Anchors and escapes.
    ['\\Aa\\z', 'a', true],
    ['\\Z', 'a', undefined],
    ['\\bget\\b', 'x get y', true],
    ['\\<a', 'a', undefined],
    ['\\Qa\\E', 'a', undefined],
    ['\\C', 'a', undefined],
    ['\\q', 'q', undefined],
    ['\\', 'a', undefined],
    ['\\0', '\0', undefined],
    ['\\x78', 'x', true],
    ['\\u{78}', 'x', true],
    ['\\U00000078', 'x', true],
    ['\\x{110000}', 'x', undefined],
    ['\\u{d800}', 'x', undefined],
    ['\\ \\-', ' -', true],
    // Repetitions.
    ['a++', 'aaa', true],
    ['(a|b)*+c', 'abc', true],
    ['x{2}', 'x', false],
    ['x{2,3}y', 'xxy', true],
    ['x{3,2}', 'x', undefined],
    ['{', '{', undefined],
    ['a{2', 'aa{2', undefined],
    ['a{,3}', 'a', undefined],
    ['*', '', undefined],
    ['a|*', '', undefined],
    ['(?i)*', 'a', undefined],
    // Classes.
    ['[]a]', ']', true],
    ['[a-]', '-', true],
    ['[-a]', '-', true],
    ['[.]', 'a', false],
    ['[^a]', '😀', true],
    ['[^]', 'a', undefined],
    ['[z-a]', 'a', undefined],
    ['[a-', 'a', undefined],
    ['a]b}', 'a]b}', true],
    // What RE2 has no words for.
    ['[a&&b]', 'a', undefined],
    ['[a[b]]', 'a', undefined],
    ['\\b{start}a', 'a', undefined],
    ['(?-u)x', 'x', undefined],
    // What no linear engine has.
    ['(?=a)a', 'a', undefined],
    ['(?<=a)b', 'ab', undefined],
    ['(a)\\1', 'aa', undefined],
    ['(?>a)', 'a', undefined],
    ['(', '', undefined],
    [')', '', undefined],
    ['', 'anything', true],
    ['\ud800', 'a', undefined],
  ])('%j on %j: %s', async (pattern, text, expected) => {
    expect(await verdict(pattern, text)).toBe(expected)
  })

  it('at most 1,000 code points', async () => {
    expect(await verdict('a'.repeat(1000), 'a')).toBe(false)
    expect(await verdict('a'.repeat(1001), 'a')).toBe(undefined)
    expect(await verdict('😀'.repeat(1000), '😀')).toBe(false)
    expect(await verdict('😀'.repeat(1001), '😀')).toBe(undefined)
  })

  it.each([
    '(a{1000}){1000}',
    'a{1000000}',
    '((((a{20}){20}){20}){20})',
    '\\w'.repeat(500),
    '('.repeat(500) + ')'.repeat(500),
    `a${'*'.repeat(999)}`,
    '(\\w\\W){450}',
  ])('a huge pattern is refused or compiled soon: %.20s', async (pattern) => {
    const start = performance.now()
    await compileSearchPattern(pattern)
    expect(performance.now() - start).toBeLessThan(1000)
  })

  it.each([
    `[${'\\S'.repeat(499)}]`,
    `[${'\\w\\S'.repeat(249)}]`,
    '[\\S\\D]'.repeat(166),
    '[^\\S\\D]'.repeat(142),
    '[\\x{0}-\\x{10ffff}]'.repeat(55),
    '[\\p{L}]'.repeat(125),
  ])('BC-037: compiling is bounded too: %.30s', async (pattern) => {
    const start = performance.now()
    await compileSearchPattern(pattern)
    expect(performance.now() - start).toBeLessThan(1500)
  })

  it('BC-037: work is counted, and long texts are cut', async () => {
    const catastrophic = await compileSearchPattern('(x+x+)+y')
    const start = performance.now()
    expect(catastrophic?.test('x'.repeat(10_000_000))).toBe(false)
    expect(performance.now() - start).toBeLessThan(500)
    expect(catastrophic?.steps).toBeGreaterThan(0)
    const word = await compileSearchPattern('end')
    expect(word?.test(`${'x'.repeat(65_536 - 3)}end`)).toBe(true)
    expect(word?.test(`${'x'.repeat(65_536)}end`)).toBe(false)
  })
})
