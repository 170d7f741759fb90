import { type Message } from '@keepsake/core'
import { describe, expect, test } from 'vitest'
import { answerCallIds, threadCallIds } from '../src/tools/call-ids.ts'
import { testClock } from './support.ts'

const call = (id: string): Message => ({
  role: 'assistant',
  content: [{ type: 'tool-call', toolCallId: id, toolName: 't', input: {} }],
})

describe('ids of calls', () => {
  test('one that is free stays; one that the thread or the answer has is replaced, and its result with it', () => {
    const ids = answerCallIds(threadCallIds([{ role: 'user', content: 'x' }, call('old')]), testClock())
    expect([ids.call('new', false), ids.call('old', false), ids.call('new', false), ids.call('', false)]).toEqual([
      'new',
      'id-1',
      'id-2',
      'id-3',
    ])
    expect([ids.of('new'), ids.of('old'), ids.of('never')]).toEqual(['id-2', 'id-1', 'never'])
  })

  test('a call has the id under which its input arrived', () => {
    const ids = answerCallIds(threadCallIds([call('c')]), testClock())
    expect([ids.open('c', false), ids.of('c'), ids.call('c', false)]).toEqual(['id-1', 'id-1', 'id-1'])
    expect(ids.call('c', false)).toBe('id-2')
  })

  test('those of the provider stay as they are', () => {
    const ids = answerCallIds(threadCallIds([call('c')]), testClock())
    expect([ids.open('c', true), ids.call('c', true), ids.call('c', true)]).toEqual(['c', 'c', 'c'])
  })
})
