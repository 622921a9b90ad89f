import { describe, expect, it } from 'vitest'
import { type BindOptions, bindSchema, readSchema, searchSchemas } from '../../src/consumer/index.ts'
import { jsonSchemaValidator, loadPatternEngine } from '../../src/validation/index.ts'
import { type Caller, type Fixture, type MakeFixture, SDKS } from './fixture.ts'

const validator = jsonSchemaValidator({ patternEngine: await loadPatternEngine() })

/** A tool of the server, bound over the client's own session. */
async function bound(fixture: Fixture, name: string, query: string, options: Partial<BindOptions> = {}) {
  const caller: Caller = await fixture.connect()
  const { entries } = await searchSchemas(caller.session, query)
  const selected = entries.find((entry) => entry.name === name)
  if (selected === undefined) throw new Error('not found')
  const tool = bindSchema(await readSchema(caller.session, selected.manifest), {
    validator,
    name,
    scope: 'somebody',
    generation: { catalog: '1', child: '1' },
    isCurrent: () => true,
    confirm: () => true,
    ...options,
  })
  fixture.log.length = 0
  return { caller, tool }
}
const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'answered',
    ({ code, message }: { code?: string; message: string }) => (typeof code === 'string' ? code : message),
  )

describe.each(Object.entries(SDKS))('a tool bound over a real client, server made with %s', (_, make: MakeFixture) => {
  it.each(['call_tool', 'direct'] as const)(
    'R-A-55, R-A-56, R-A-67: arguments and answer are judged by the verified schemas, via %s',
    async (via) => {
      const fixture = make()
      let asked = 0
      const confirm = () => ++asked > 0
      const { caller, tool } = await bound(fixture, 'get_user', 'fetch a user', {
        confirm,
        ...(via === 'direct' && { via }),
      })
      const answer = await tool.call(caller.session, { id: '7', verbose: true })
      expect(answer).toMatchObject({ kind: 'structured', value: { name: 'get_user', got: { id: '7', verbose: true } } })
      expect(fixture.log).toEqual([`tools/call ${via === 'direct' ? 'get_user' : 'call_tool'}`])
      expect(await codeOf(tool.call(caller.session, { id: 7 }))).toBe('arguments-invalid')
      expect(await codeOf(tool.call(caller.session, {}))).toBe('arguments-invalid')
      expect(fixture.log.length).toBe(1)
      expect(asked).toBe(1)
      await caller.close()
    },
  )

  it('R-A-66: a tool that has changed since is not called through the front', async () => {
    const fixture = make()
    const { caller, tool } = await bound(fixture, 'ping', 'says pong')
    fixture.tools.ping.update({ description: 'another', title: 'x' })
    expect(await codeOf(tool.call(caller.session, {}))).toBe('answered')
    fixture.tools.ping.disable()
    expect((await tool.call(caller.session, {})).kind).toBe('tool-error')
    expect(fixture.calls.length).toBe(1)
    await caller.close()
  })

  it('a new session or a changed list ends a binding', async () => {
    const fixture = make()
    let child = 1
    const isCurrent: BindOptions['isCurrent'] = ({ generation }) => generation.child === `${child}`
    const { caller, tool } = await bound(fixture, 'get_user', 'fetch a user', { isCurrent })
    await tool.call(caller.session, { id: '7' })
    child++
    expect(await codeOf(tool.call(caller.session, { id: '7' }))).toBe('binding-stale')
    expect(fixture.calls.length).toBe(1)
    await caller.close()
  })

  it.each(['abort', 'timeout'])('%s ends a call that takes its time', async (kind) => {
    const fixture = make()
    const { caller, tool } = await bound(fixture, 'slow', 'takes its time')
    const controller = new AbortController()
    const options = kind === 'abort' ? { signal: controller.signal } : { timeout: 100 }
    const calling = codeOf(tool.call(caller.session, { ms: 20_000 }, options))
    await expect.poll(() => fixture.log.includes('started slow')).toBe(true)
    controller.abort(new Error('enough'))
    expect(await calling).not.toBe('answered')
    await caller.close()
  })
})
