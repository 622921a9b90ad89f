import { describe, expect, it } from 'vitest'
import { MUTATIONS } from '../../scripts/fuzz/mutations.ts'
import { Random } from '../../scripts/fuzz/random.ts'
import { fuzz } from '../../scripts/fuzz/run.ts'
import { honestSets } from '../../scripts/fuzz/sets.ts'
import { reconstructSchema } from '../../src/core/index.ts'

describe('mutated sets of fragments', () => {
  it('R-A-60 … R-A-65: none is accepted as anything but the selected document', async () => {
    const { accepted, uncoded, refused, same, codes } = await fuzz(4000, 7, reconstructSchema)
    expect([accepted, uncoded]).toEqual([[], []])
    expect(refused).toBeGreaterThan(3500)
    expect(refused + same).toBe(4000)
    expect([...codes.keys()].sort()).toEqual([
      'document-digest',
      'document-size',
      'fragment-count',
      'fragment-digest',
      'fragment-identity',
      'fragment-index',
      'fragment-invalid',
      'fragment-order',
      'text-invalid',
    ])
  })

  it('start from sets that are accepted, and every mutation changes one', async () => {
    const random = new Random(1)
    const sets = await honestSets(random)
    for (const { manifest, fragments, document } of sets) {
      expect((await reconstructSchema(manifest, fragments)).text).toBe(document)
    }
    for (const mutate of Object.values(MUTATIONS)) {
      const [set, ...others] = sets as [(typeof sets)[0]]
      const honest = JSON.stringify(set.fragments.map((fragment) => JSON.stringify(fragment)))
      const deliveries = await Promise.all(Array.from({ length: 20 }, () => mutate(set, others, random)))
      const changed = deliveries.filter((delivery) => {
        const texts = delivery.map((one) => (typeof one === 'string' ? one : JSON.stringify(one)))
        return JSON.stringify(texts) !== honest
      })
      expect(changed.length).toBeGreaterThan(5)
    }
  })

  it('a verifier that believes what it is told is found out', async () => {
    const credulous = (async (manifest: object, fragments: Iterable<unknown>) => {
      const parts = [...fragments].map((one) => (typeof one === 'string' ? JSON.parse(one) : one))
      return { manifest, text: parts.map(({ text }) => text).join('') }
    }) as unknown as typeof reconstructSchema
    const { accepted, uncoded } = await fuzz(500, 7, credulous)
    expect(accepted.length).toBeGreaterThan(100)
    expect(uncoded.length).toBeGreaterThan(0)
  })
})
