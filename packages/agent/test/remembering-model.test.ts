import type { LanguageModelV4 } from '@ai-sdk/provider'
import { scriptedModel } from '@keepsake/store-testing'
import { wrapLanguageModel } from 'ai'
import { describe, expect, test } from 'vitest'
import { createAgent, isRemembering, markRemembering } from '../src/index.ts'

const plain = scriptedModel(() => 'Hello.')
/** As a middleware marks a model. */
const marking = {
  specificationVersion: 'v4' as const,
  overrideSupportedUrls: ({ model }: { model: LanguageModelV4 }) => markRemembering(model.supportedUrls),
}
const marked = wrapLanguageModel({ model: plain, middleware: marking })

describe('a model that stores its conversations itself', () => {
  test.each<[string, object]>([
    ['by default', {}],
    ["with history: 'default'", { history: 'default' }],
    ['with a window', { history: { window: 5 } }],
  ])('is refused by an agent with a history: %s', (_name, options) => {
    expect(() => createAgent({ model: marked, ...options })).toThrow(/model stores its conversations itself/)
  })

  test.each(['none', false] as const)('is taken with history: %s', async (history) => {
    const agent = createAgent({ model: marked, history })
    expect(await agent.run({ threadId: 't', prompt: 'Hi' })).toMatchObject({ text: 'Hello.' })
  })

  test('is known also when it is wrapped once more', () => {
    const twice = wrapLanguageModel({ model: marked, middleware: { specificationVersion: 'v4' } })
    expect([plain, marked, twice].map(isRemembering)).toEqual([false, true, true])
  })
})

describe('the mark', () => {
  test('changes nothing of the URLs, nor of the model that was wrapped', async () => {
    const urls = { 'image/*': [/^https:/] }
    expect(markRemembering(urls)).toEqual(urls)
    expect(Object.getOwnPropertySymbols(urls)).toEqual([])
    expect(await markRemembering(Promise.resolve(urls))).toBe(urls)
  })

  test('is on URLs that come later, and their failure is heard by who asks', async () => {
    const failing = Promise.reject(new Error('away'))
    const model = { ...plain, supportedUrls: markRemembering(failing) }
    expect(isRemembering(model)).toBe(true)
    await expect(model.supportedUrls).rejects.toThrow('away')
  })

  test('is on no URLs at all', () => {
    expect(isRemembering({ ...plain, supportedUrls: markRemembering(undefined as never) })).toBe(true)
  })

  test.each([undefined, null, 'x'])('is not seen in %s', (supportedUrls) => {
    expect(isRemembering({ ...plain, supportedUrls } as never)).toBe(false)
  })
})
