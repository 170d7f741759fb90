import { scriptedModel } from '@keepsake/store-testing'
import { expect, test } from 'vitest'
import { streamWithMemory, wrong } from './programs.ts'
import { promptsOf } from './support.ts'

test('2: streamText with memory', async () => {
  const model = scriptedModel(['Hello Ada.', 'You are Ada.'])
  let written = ''
  await streamWithMemory(model, ['I am Ada.', 'Who am I?'], (delta) => void (written += delta))
  expect(written).toBe('Hello Ada.You are Ada.')
  expect(promptsOf(model)).toEqual([
    ['user: I am Ada.'],
    ['user: I am Ada.', 'assistant: Hello Ada.', 'user: Who am I?'],
  ])
})

test('what must not compile does not work either', () => {
  const failing = wrong()
  expect(failing).toHaveLength(4)
  for (const work of failing) expect(work).toThrow(/must be|there is no option/)
})
