import { describe, expect, it } from 'vitest'
import * as consumer from '../../src/consumer/index.ts'
import * as core from '../../src/core/index.ts'
import * as provider from '../../src/provider/index.ts'
import * as proxy from '../../src/proxy/index.ts'
import * as validation from '../../src/validation/index.ts'
import { checks, runChecks } from './suite.ts'
import { vectors } from './vectors.ts'

const library = { core, consumer, provider, proxy, validation }

describe('in Node', () => {
  it.each(checks(library, vectors))('%s', (_name, run) => run())

  it('a library that is wrong is found out', async () => {
    const wrong = { ...core, sha256Hex: async () => 'a'.repeat(64) as core.Sha256Hex, parseFragmentIndex: () => 0 }
    const { ran, failures } = await runChecks(checks({ ...library, core: wrong }, vectors))
    expect(ran).toBe(9)
    expect(failures.map((line) => line.split(':')[0])).toEqual(['R-A-40, R-C-09', 'R-A-22', 'BC-211, R-C-09'])
  })
})
