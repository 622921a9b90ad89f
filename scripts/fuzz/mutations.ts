/**
 * What a hostile carrier may do to a set of fragments on its way to the consumer.
 * @module
 */

import { type SchemaFragment, sha256Hex } from '../../src/core/index.ts'
import type { Random } from './random.ts'
import type { FragmentSet } from './sets.ts'

/** Fragments as they arrive: wire texts or values. */
export type Delivery = readonly unknown[]

/** Makes another delivery of `set`; `others` are what else the carrier has seen. */
export type Mutation = (
  set: FragmentSet,
  others: readonly FragmentSet[],
  random: Random,
) => Delivery | Promise<Delivery>

const encoder = new TextEncoder()
const decoder = new TextDecoder()

const wires = ({ fragments }: FragmentSet): string[] => fragments.map((fragment) => JSON.stringify(fragment))

function replaced<Value>(values: readonly Value[], at: number, by: unknown): unknown[] {
  return values.map((value, index) => (index === at ? by : value))
}

function oneChanged(set: FragmentSet, random: Random, change: (wire: string) => string): Delivery {
  const texts = wires(set)
  const at = random.below(texts.length)
  return replaced(texts, at, change(texts[at] as string))
}

/** A fragment of another document under the selected identity, with a digest of its own that is right. */
async function disguised(set: FragmentSet, at: number, text: string): Promise<SchemaFragment> {
  return { ...set.manifest, index: at, fragment_sha256: await sha256Hex(text), text } as SchemaFragment
}

const JUNK: readonly unknown[] = [
  '',
  'x',
  0,
  1,
  -1,
  1.5,
  4099,
  null,
  true,
  [],
  {},
  '0'.repeat(64),
  'openapi-schema://v1/',
]

/** Every mutation by name. */
export const MUTATIONS: Readonly<Record<string, Mutation>> = {
  'flip a bit': (set, _others, random) =>
    oneChanged(set, random, (wire) => {
      const bytes = encoder.encode(wire)
      const at = random.below(bytes.length)
      bytes[at] = (bytes[at] as number) ^ (1 << random.below(8))
      return decoder.decode(bytes)
    }),
  'change a character of a text, digest made right': async (set, _others, random) => {
    const at = random.below(set.fragments.length)
    const characters = [...(set.fragments[at] as SchemaFragment).text]
    characters[random.below(characters.length)] = random.pick([...'"\\{}[],:0aé😀 \n'])
    return replaced(set.fragments, at, await disguised(set, at, characters.join('')))
  },
  'swap two': (set, _others, random) => {
    const texts: unknown[] = wires(set)
    const [left, right] = [random.below(texts.length), random.below(texts.length)]
    ;[texts[left], texts[right]] = [texts[right], texts[left]]
    return texts
  },
  'swap two texts, digests made right': async (set, _others, random) => {
    const made: unknown[] = [...set.fragments]
    const [left, right] = [random.below(made.length), random.below(made.length)]
    made[left] = await disguised(set, left, (set.fragments[right] as SchemaFragment).text)
    made[right] = await disguised(set, right, (set.fragments[left] as SchemaFragment).text)
    return made
  },
  'leave one out': (set, _others, random) => wires(set).toSpliced(random.below(set.fragments.length), 1),
  'repeat one': (set, _others, random) => {
    const texts = wires(set)
    return texts.toSpliced(random.below(texts.length), 0, random.pick(texts))
  },
  'add one at the end': (set, others, random) => [...wires(set), random.pick(wires(random.pick(others)))],
  'take one from another set': (set, others, random) => {
    const at = random.below(set.fragments.length)
    const other = random.pick(others)
    const texts = wires(other)
    return replaced(wires(set), at, texts[at] ?? random.pick(texts))
  },
  'take one from another set, identity made right': async (set, others, random) => {
    const at = random.below(set.fragments.length)
    const { fragments } = random.pick(others)
    const { text } = fragments[at] ?? random.pick(fragments)
    return replaced(set.fragments, at, await disguised(set, at, text))
  },
  'deliver another set whole, identity made right': async (set, others, random) => {
    const { fragments } = random.pick(others)
    return Promise.all(fragments.map(({ text }, index) => disguised(set, index, text)))
  },
  'deliver another set as it is': (_set, others, random) => wires(random.pick(others)),
  'change a field': (set, _others, random) => {
    const at = random.below(set.fragments.length)
    const fragment = set.fragments[at] as SchemaFragment
    const field = random.pick(Object.keys(fragment))
    return replaced(set.fragments, at, { ...fragment, [field]: random.pick(JUNK) })
  },
  'take a field from another fragment': (set, others, random) => {
    const at = random.below(set.fragments.length)
    const other = random.pick(random.pick([set, ...others]).fragments)
    const field = random.pick(Object.keys(other)) as keyof SchemaFragment
    return replaced(set.fragments, at, { ...(set.fragments[at] as SchemaFragment), [field]: other[field] })
  },
  'drop a field': (set, _others, random) =>
    oneChanged(set, random, (wire) => {
      const fragment = JSON.parse(wire)
      delete fragment[random.pick(Object.keys(fragment))]
      return JSON.stringify(fragment)
    }),
  'name a field twice': (set, _others, random) =>
    oneChanged(set, random, (wire) => {
      const name = random.pick(Object.keys(JSON.parse(wire)))
      return `{${JSON.stringify(name)}:${JSON.stringify(random.pick(JUNK))},${wire.slice(1)}`
    }),
  'spell a number otherwise': (set, _others, random) =>
    oneChanged(set, random, (wire) => {
      const numbers = [...wire.matchAll(/:(\d+)(?=[,}])/g)]
      const { index, 1: digits = '' } = random.pick(numbers)
      const spelled = random.pick([`${digits}.0`, `${digits}e0`, `0${digits}`, `"${digits}"`, `-${digits}`])
      return `${wire.slice(0, index + 1)}${spelled}${wire.slice(index + 1 + digits.length)}`
    }),
  'cut a wire text': (set, _others, random) =>
    oneChanged(set, random, (wire) => wire.slice(0, random.below(wire.length))),
  'put something behind a wire text': (set, _others, random) =>
    oneChanged(set, random, (wire) => wire + random.pick([' x', '{}', wire, '\u0000', ',', '}'])),
  'inherit a field': (set, _others, random) => {
    const at = random.below(set.fragments.length)
    const { text, ...rest } = set.fragments[at] as SchemaFragment
    return replaced(set.fragments, at, Object.assign(Object.create({ text }), rest))
  },
}
