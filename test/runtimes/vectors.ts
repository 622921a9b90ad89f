/**
 * The golden files, for runtimes that cannot read files: bundlers put them in.
 * @module
 */

import bugCases from '../vectors/bug-cases.json' with { type: 'json' }
import canonical from '../vectors/wire/canonical.json' with { type: 'json' }
import disclosures from '../vectors/wire/disclosures.json' with { type: 'json' }
import fragments from '../vectors/wire/fragments-invalid.json' with { type: 'json' }
import indices from '../vectors/wire/indices.json' with { type: 'json' }
import manifests from '../vectors/wire/manifests-invalid.json' with { type: 'json' }
import type { Vectors } from './suite.ts'

export const vectors: Vectors = { bugCases, canonical, disclosures, fragments, indices, manifests }
