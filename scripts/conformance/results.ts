/**
 * What the suite found: checks by scenario, and how two runs are compared. Totals say nothing: a check that is missing, or that
 * passes because nothing was there to look at, does not show in them.
 * @module
 */

/** One line of a scenario's `checks.json`; other members say why. */
export interface Check {
  readonly id: string
  readonly status: string
  readonly errorMessage?: string
  readonly details?: { readonly messagesValidated?: number }
}

/** Checks by the name of their scenario. */
export type Results = ReadonlyMap<string, readonly Check[]>

/** A scenario that is not the same in two runs, and in what. */
export interface Difference {
  readonly scenario: string
  /** The first check that is another one; undefined where the scenario as a whole is. */
  readonly check: string | undefined
  readonly reason: string
}

/** Looks only at the form of messages, and is content where none came. */
const FORM_CHECK = 'wire-schema-valid'

const passes = ({ status }: Check): boolean => status === 'SUCCESS' || status === 'INFO' || status === 'SKIPPED'

/** True where nothing failed and nothing was warned of. */
export const isGreen = (checks: readonly Check[]): boolean => checks.length > 0 && checks.every(passes)

/** True for a scenario that would be as green with no server: nothing but the form of messages passed, or of no message. */
export function isVacuous(checks: readonly Check[]): boolean {
  const isIdle = ({ id, details }: Check) => id === FORM_CHECK && details?.messagesValidated === 0
  const isFinding = ({ id, status }: Check) => id !== FORM_CHECK && status === 'SUCCESS'
  return isGreen(checks) && (checks.some(isIdle) || !checks.some(isFinding))
}

/** Every scenario of `direct` that `through` has not, or has with other checks, in other order or with other results. */
export function differences(direct: Results, through: Results): Difference[] {
  return [...new Set([...direct.keys(), ...through.keys()])].flatMap((scenario) => {
    const found = compare(direct.get(scenario), through.get(scenario))
    return found === undefined ? [] : [{ scenario, ...found }]
  })
}

function compare(
  direct: readonly Check[] | undefined,
  through: readonly Check[] | undefined,
): Omit<Difference, 'scenario'> | undefined {
  if (direct === undefined) return { check: undefined, reason: 'is not there without the proxy' }
  if (through === undefined) return { check: undefined, reason: 'is missing' }
  if (isVacuous(through) && !isVacuous(direct)) return { check: undefined, reason: 'passes with nothing to look at' }
  for (let index = 0; index < Math.max(direct.length, through.length); index++) {
    const [before, after] = [direct[index], through[index]]
    if (before?.id === after?.id && before?.status === after?.status) continue
    const why = after?.errorMessage === undefined ? '' : ` (${after.errorMessage})`
    return { check: after?.id, reason: `${name(before)} became ${name(after)}${why}` }
  }
  return undefined
}

const name = (check: Check | undefined): string => (check === undefined ? 'no check' : `${check.id} ${check.status}`)
