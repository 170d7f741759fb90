import { createAgent } from '@keepsake/agent'
import { wrapLanguageModel } from 'ai'
import { expect, test } from 'vitest'
import { linesOf, setup } from './support.ts'

test('a model with memory is refused by an agent with a history, also when it is wrapped once more', () => {
  const { remembering } = setup([])
  const again = wrapLanguageModel({ model: remembering, middleware: { specificationVersion: 'v4' } })
  for (const model of [remembering, again])
    expect(() => createAgent({ model })).toThrow(/model stores its conversations itself \(historyMiddleware\)/)
})

test('an agent without a history takes it, and its calls have no thread', async () => {
  const one = setup(['Hello.'])
  const agent = createAgent({ model: one.remembering, history: 'none' })
  expect(await agent.run({ threadId: 't1', prompt: 'Hi' })).toMatchObject({ text: 'Hello.' })
  expect(await linesOf(one)).toEqual([])
})
