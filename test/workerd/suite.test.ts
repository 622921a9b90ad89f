import { describe, it } from 'vitest'
import * as consumer from '../../src/consumer/index.ts'
import * as core from '../../src/core/index.ts'
import * as provider from '../../src/provider/index.ts'
import * as proxy from '../../src/proxy/index.ts'
import * as validation from '../../src/validation/index.ts'
import { checks } from '../runtimes/suite.ts'
import { vectors } from '../runtimes/vectors.ts'

describe('in workerd', () => {
  it.each(checks({ core, consumer, provider, proxy, validation }, vectors))('%s', (_name, run) => run())
})
