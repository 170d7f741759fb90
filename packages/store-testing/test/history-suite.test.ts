import { chatMemory, inMemoryStore, KeepsakeError } from '@keepsake/core'
import { createHistory, window } from '@keepsake/strategies'
import { describe, expect, it } from 'vitest'
import { brokenHistories, historyCases, runHistoryCase, testHistory } from '../src/index.ts'

const chat = chatMemory(inMemoryStore())

testHistory('createHistory with window(20)', () => createHistory({ chat, prepare: [window(20)] }))
testHistory('createHistory with window(20, { step: 5 })', () =>
  createHistory({ chat, prepare: [window(20, { step: 5 })] }),
)
testHistory('createHistory without steps', () => createHistory({ chat }))

describe('the suite', () => {
  it('has case names that are unique', () => {
    const names = historyCases.map((testCase) => testCase.name)
    expect(new Set(names).size).toBe(names.length)
  })

  it.each([
    [{ 'no such case': 'because' }, 'skip names "no such case", which is no case and no topic.'],
    [{ owners: ' ' }, 'skip of "owners" needs a reason: say why in words.'],
  ])('refuses the skips %j', (skip, message) => {
    let error: unknown
    try {
      testHistory('skips', () => createHistory({ chat }), { skip })
    } catch (caught) {
      error = caught
    }
    expect(KeepsakeError.isInstance(error, 'invalid_value')).toBe(true)
    expect((error as Error).message).toBe(message)
  })
})

describe('a history that', () => {
  it.each(brokenHistories.map((history) => [history.name, history] as const))('%s is caught', async (_, history) => {
    const testCase = historyCases.find(({ name }) => name === history.caughtBy)
    if (testCase === undefined) throw new Error(`no case is named ${JSON.stringify(history.caughtBy)}`)
    await expect(runHistoryCase(testCase, history.create())).rejects.toThrow(/./)
  })
})
