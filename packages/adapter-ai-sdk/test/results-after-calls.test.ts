import type { Message } from '@keepsake/core'
import { expect, test } from 'vitest'
import { resultsAfterCalls } from '../src/results-after-calls.ts'

const user = (content: string): Message => ({ role: 'user', content })
const calls = (...ids: string[]): Message => ({
  role: 'assistant',
  content: ids.map((toolCallId) => ({ type: 'tool-call', toolCallId, toolName: 't', input: {} })),
})
const results = (...ids: string[]): Message => ({
  role: 'tool',
  content: ids.map((toolCallId) => ({
    type: 'tool-result',
    toolCallId,
    toolName: 't',
    output: { type: 'text', value: '' },
  })),
})

test.each<[string, Message[], number[]]>([
  ['nothing', [], []],
  ['in order already', [user('a'), calls('1', '2'), results('1'), results('2'), user('b')], [0, 1, 2, 3, 4]],
  ['two turns at once', [user('a'), calls('1'), user('b'), calls('2'), results('1'), results('2')], [0, 1, 4, 2, 3, 5]],
  [
    'the same id again answers the newest call',
    [calls('1'), results('1'), calls('1'), user('a'), results('1')],
    [0, 1, 2, 4, 3],
  ],
  ['a result without its call stays where it is', [user('a'), results('1'), calls('1')], [0, 1, 2]],
])('%s', (_name, messages, order) => {
  expect(resultsAfterCalls(messages)).toEqual(order.map((index) => messages[index]))
})

test('is linear: 100,000 messages take no time to speak of', () => {
  const messages = Array.from({ length: 50_000 }, (_, index) => [calls(`${index}`), results(`${index}`)]).flat()
  expect(resultsAfterCalls(messages)).toEqual(messages)
})
