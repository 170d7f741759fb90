import { chatMemory, inMemoryStore } from '@keepsake/core'
import { createHistory } from '@keepsake/strategies'
import { generateText } from 'ai'
import { expect, test } from 'vitest'
import { withHistory, withTemporaryThread } from '../src/index.ts'
import { linesOf, promptsOf, rejection, setup } from './support.ts'

test('lasts as long as it is used, and is gone after that', async () => {
  const one = setup(['7.', '14.'])
  let used = ''
  const answer = await withTemporaryThread(one.history, async (threadId) => {
    used = threadId
    const call = { model: one.remembering, providerOptions: withHistory(threadId, { owner: 'ada' }) }
    await generateText({ ...call, prompt: 'Think of a number.' })
    const { text } = await generateText({ ...call, prompt: 'Double it.' })
    expect(await linesOf(one, threadId)).toHaveLength(4)
    return text
  })
  expect(answer).toBe('14.')
  expect(promptsOf(one.model)[1]).toEqual(['user: Think of a number.', 'assistant: 7.', 'user: Double it.'])
  expect(await linesOf(one, used)).toEqual([])
  expect((await one.chat.threads({ owner: 'ada' })).items).toEqual([])
})

test('is cleared when what uses it fails, and the failure is told', async () => {
  const one = setup(['7.'])
  let used = ''
  const failing = withTemporaryThread(one.history, async (threadId) => {
    used = threadId
    await generateText({ model: one.remembering, prompt: 'Hi', providerOptions: withHistory(threadId) })
    throw new Error('enough')
  })
  expect((await rejection(failing)).message).toBe('enough')
  expect(await linesOf(one, used)).toEqual([])
})

test('two have nothing in common', async () => {
  const history = createHistory({ chat: chatMemory(inMemoryStore()) })
  const ids = await Promise.all([1, 2].map(() => withTemporaryThread(history, async (threadId) => threadId)))
  expect(ids[0]).not.toBe(ids[1])
})

test('where clearing fails, its error is told, unless there was one before', async () => {
  const failing = {
    ...createHistory({ chat: chatMemory(inMemoryStore()) }),
    clear: async () => {
      throw new Error('not cleared')
    },
  }
  expect((await rejection(withTemporaryThread(failing, async () => 1))).message).toBe('not cleared')
  const both = withTemporaryThread(failing, async () => {
    throw new Error('enough')
  })
  expect((await rejection(both)).message).toBe('enough')
})
