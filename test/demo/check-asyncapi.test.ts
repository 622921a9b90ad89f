import { describe, expect, test } from 'vitest'
import { call } from './session.ts'

const document = {
  asyncapi: '3.0.0',
  info: { title: 'Lights', version: '1.0.0' },
  channels: {},
  components: {
    messages: {
      lightMeasured: {
        name: 'lightMeasured',
        payload: { type: 'object', properties: { lumens: { type: 'integer', minimum: 0 } } },
      },
    },
  },
}

describe('check_asyncapi', () => {
  test('a valid document', async () => {
    const { structuredContent } = await call('check_asyncapi', document)
    expect(structuredContent).toEqual({ valid: true, errors: [] })
  })

  test.each([
    ['nothing', {}, '', 'asyncapi'],
    ['another version', { ...document, asyncapi: '1.0.0' }, '/asyncapi', '3.0.0'],
    ['an incomplete info', { ...document, info: { title: 'Lights' } }, '/info', 'version'],
    ['an unknown field', { ...document, info: { ...document.info, owner: 'me' } }, '/info/owner', 'not allowed'],
  ])('an invalid document is an answer, not an error: %s', async (_, args, path, message) => {
    const { structuredContent, isError } = await call('check_asyncapi', args)
    expect(isError).toBeUndefined()
    expect(structuredContent?.valid).toBe(false)
    expect(structuredContent?.errors).toContainEqual({ path, message: expect.stringContaining(message) })
  })
})
