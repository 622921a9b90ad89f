import { describe, expect, it } from 'vitest'
import { judge } from '../../scripts/conformance/judge.ts'
import { type Check, differences, isGreen, isVacuous, type Results } from '../../scripts/conformance/results.ts'
import type { Rule } from '../../scripts/conformance/rules.ts'
import type { Run } from '../../scripts/conformance/run.ts'
import { baselineFaults, type ScenarioSet } from '../../scripts/conformance/sets.ts'
import { spliceCall } from '../../scripts/conformance/splice.ts'

const check = (id: string, status = 'SUCCESS'): Check => ({ id, status })
const form = (messagesValidated: number): Check => ({ ...check('wire-schema-valid'), details: { messagesValidated } })
const results = (scenarios: Record<string, readonly Check[]>): Results => new Map(Object.entries(scenarios))

const PING = [check('ping'), form(5)]
const CALL = [check('rejects'), check('rejects'), check('accepts'), form(2)]
const DIRECT = results({ ping: PING, call: CALL })

describe('what two runs are compared by', () => {
  it('the same is the same', () => {
    expect(differences(DIRECT, results({ call: [...CALL], ping: [...PING] }))).toEqual([])
  })

  it.each([
    ['another status', { ping: [check('ping', 'FAILURE'), form(5)], call: CALL }, 'ping', 'ping FAILURE'],
    ['a warning', { ping: [check('ping', 'WARNING'), form(5)], call: CALL }, 'ping', 'ping WARNING'],
    ['a missing scenario', { call: CALL }, 'ping', 'missing'],
    ['a scenario more', { ping: PING, call: CALL, other: PING }, 'other', 'not there'],
    ['a missing check', { ping: PING, call: [check('rejects'), check('accepts'), form(2)] }, 'call', 'accepts'],
    ['a check more', { ping: [...PING, check('more')], call: CALL }, 'ping', 'no check became more'],
    ['a failure in place of another check', { ping: PING, call: [check('error', 'FAILURE')] }, 'call', 'error FAILURE'],
    ['a pass without one message', { ping: [check('ping'), form(0)], call: CALL }, 'ping', 'nothing to look at'],
  ])('%s is found', (_name, through, scenario, reason) => {
    const [difference, ...more] = differences(DIRECT, results(through as Record<string, readonly Check[]>))
    expect(difference?.scenario).toBe(scenario)
    expect(difference?.reason).toContain(reason)
    expect(more).toEqual([])
  })

  it.each([
    ['nothing but the form of messages', [form(2)], true],
    ['all skipped', [check('a', 'SKIPPED')], true],
    ['no message', [check('a'), form(0)], true],
    ['a finding', [check('a'), check('b', 'INFO'), form(1)], false],
    ['a finding where forms are not looked at', [check('a')], false],
    ['red, so no pass at all', [check('a', 'FAILURE')], false],
  ])('a pass of %s', (_name, checks, expected) => {
    expect(isVacuous(checks)).toBe(expected)
  })

  it('no check is no pass', () => {
    expect(isGreen([])).toBe(false)
  })
})

describe('what a run without the proxy must have reached', () => {
  const set: ScenarioSet = { revision: '2025-11-25', args: [], scenarios: 2, successes: 6 }
  it.each([
    ['nothing is missing', DIRECT, set, []],
    ['a scenario is missing', results({ call: CALL }), { ...set, successes: 4 }, ['1 scenarios, expected 2']],
    ['a check is missing', DIRECT, { ...set, successes: 7 }, ['6 successes, expected 7']],
    ['one fails', results({ ping: [check('ping', 'FAILURE')], call: CALL }), { ...set, successes: 4 }, ['ping fails']],
    [
      'one is vacuous',
      results({ ping: [check('ping'), form(0)], call: CALL }),
      set,
      ['ping passes with nothing to look at'],
    ],
    ['an extension fails', results({ 'tasks-a': [check('a', 'FAILURE')], call: CALL }), { ...set, successes: 4 }, []],
  ])('%s', (_name, found, expected, faults) => {
    expect(baselineFaults(expected, found)).toEqual(faults)
  })
})

describe('a rule', () => {
  const set: ScenarioSet = { revision: '2025-11-25', args: [], scenarios: 2, successes: 6 }
  const rule: Rule = { name: 'X', about: '', sets: [set], pin: [], isShimmed: false, differing: {}, excluded: [] }
  const run = (found: Results, more: Partial<Run> = {}): Run => ({ results: found, exitCode: 0, calls: 0, ...more })
  const red = results({ ping: [check('ping', 'FAILURE'), form(5)], call: CALL })
  const names = (changed: Partial<Rule>, through: Run) => {
    const { identical, named, violations } = judge({ ...rule, ...changed }, set, run(DIRECT), through)
    return [identical, named, violations.map(({ scenario }) => scenario)]
  }
  const named = { differing: { '2025-11-25': { ping: 'ping' } } }

  it.each([
    ['holds', {}, run(DIRECT), [2, [], []]],
    ['does not hold', {}, run(red), [1, [], ['ping']]],
    ['allows what it names', named, run(red), [1, ['ping'], []]],
    ['names another check of it', { differing: { '2025-11-25': { ping: 'pong' } } }, run(red), [1, [], ['ping']]],
    ['names what is missing', named, run(results({ call: CALL })), [1, [], ['ping']]],
    ['names what is the same', named, run(DIRECT), [2, [], ['ping']]],
    ['names for another revision', { differing: { '2026-07-28': { ping: 'ping' } } }, run(red), [1, [], ['ping']]],
    ['leaves out a scenario', { excluded: ['ping'] }, run(red), [1, [], []]],
    ['wants the same exit code', {}, run(DIRECT, { exitCode: 1 }), [2, [], ['the suite']]],
    ['wants a run that ended', {}, run(DIRECT, { exitCode: null }), [2, [], ['the suite']]],
    ['wants calls through the shim', { isShimmed: true }, run(DIRECT), [2, [], ['the shim']]],
    ['has calls through the shim', { isShimmed: true }, run(DIRECT, { calls: 1 }), [2, [], []]],
  ])('%s', (_name, changed, through, expected) => {
    expect(names(changed, through)).toEqual(expected)
  })
})

describe('a call as a call of call_tool', () => {
  const spliced = (text: string) => {
    const found = spliceCall(new TextEncoder().encode(text))
    return found === undefined ? undefined : [found.name, new TextDecoder().decode(found.body)]
  }
  it.each([
    [
      '{"id":1.0,"method":"tools/call","params":{"name":"a","arguments":{"n":1.0, "é":18446744073709551615},"_meta":{}}}',
      '{"id":1.0,"method":"tools/call","params":{"name":"call_tool","arguments":{"name":"a","arguments":{"n":1.0, "é":18446744073709551615}},"_meta":{}}}',
    ],
    [
      '{"params": {"arguments" : {} , "name" : "a"}, "method":"tools/call"}',
      '{"params": {"arguments" : {"name":"a","arguments":{}} , "name" : "call_tool"}, "method":"tools/call"}',
    ],
    [
      '{"method":"tools/call","params":{"name":"a"}}',
      '{"method":"tools/call","params":{"name":"call_tool","arguments":{"name":"a"}}}',
    ],
  ])('%s', (text, expected) => {
    expect(spliced(text)).toEqual(['a', expected])
  })

  it.each([
    '{"method":"tools/list","params":{"name":"a"}}',
    '{"method":"tools/call","params":{}}',
    '{"method":"tools/call","params":{"name":1}}',
    '[]',
    'no JSON',
    '',
  ])('%s is none', (text) => {
    expect(spliced(text)).toBeUndefined()
  })
})
