import { describe, expect, it } from 'vitest'
import { window } from '../src/window.ts'
import { calls, results, say, system, thinks, user } from './messages.ts'
import { testWindowCases } from './window-cases.ts'

testWindowCases('no tools', [
  { name: 'an empty list', messages: [], kept: { 0: [], 1: [], 5: [] } },
  { name: 'one user message', messages: [user('a')], kept: { 0: [0], 1: [0], 5: [0] } },
  {
    name: 'a plain conversation',
    messages: [user('a'), say('b'), user('c'), say('d'), user('e')],
    kept: { 0: [4], 1: [4], 2: [3, 4], 4: [1, 2, 3, 4], 5: [0, 1, 2, 3, 4], 100: [0, 1, 2, 3, 4] },
  },
  {
    name: 'system messages alone',
    messages: [system('x'), system('y')],
    kept: { 0: [0, 1], 1: [0, 1], 5: [0, 1] },
  },
  {
    name: 'a system message at the beginning is not counted',
    messages: [system('x'), user('a'), say('b'), user('c')],
    kept: { 0: [0, 3], 1: [0, 3], 2: [0, 2, 3], 3: [0, 1, 2, 3] },
  },
  {
    name: 'system messages in the middle and at the end come first, in their order',
    messages: [user('a'), system('x'), say('b'), user('c'), system('y')],
    kept: { 0: [1, 4, 3], 1: [1, 4, 3], 2: [1, 4, 2, 3], 3: [1, 4, 0, 2, 3] },
  },
])

testWindowCases('calls and results', [
  {
    name: 'a call and its result (A1: never the result alone)',
    messages: [system('x'), user('a'), calls('c1'), results('c1'), user('b')],
    kept: { 0: [0, 4], 1: [0, 4], 2: [0, 4], 3: [0, 2, 3, 4], 4: [0, 1, 2, 3, 4] },
  },
  {
    name: 'the newest unit is longer than n (A2, A3: kept whole)',
    messages: [user('a'), calls('c1'), results('c1')],
    kept: { 0: [1, 2], 1: [1, 2], 2: [1, 2], 3: [0, 1, 2] },
  },
  {
    name: 'a turn of four items (A3: the limit never splits)',
    messages: [user('a'), calls('c1'), results('c1'), say('b')],
    kept: { 1: [3], 2: [3], 3: [1, 2, 3], 4: [0, 1, 2, 3] },
  },
  {
    name: 'parallel calls with one tool message each (A4)',
    messages: [user('a'), calls('c1', 'c2', 'c3'), results('c1'), results('c2'), results('c3'), user('b')],
    kept: { 1: [5], 4: [5], 5: [1, 2, 3, 4, 5], 6: [0, 1, 2, 3, 4, 5] },
  },
  {
    name: 'parallel calls, answered in another order, in two tool messages',
    messages: [user('a'), calls('c1', 'c2', 'c3'), results('c3', 'c1'), results('c2'), say('b')],
    kept: { 1: [4], 3: [4], 4: [1, 2, 3, 4], 5: [0, 1, 2, 3, 4] },
  },
  {
    name: 'calls one after the other are units of their own (A5, and legal cuts inside a turn)',
    messages: [user('a'), calls('c1'), results('c1'), calls('c2'), results('c2'), say('b')],
    kept: { 2: [5], 3: [3, 4, 5], 4: [3, 4, 5], 5: [1, 2, 3, 4, 5], 6: [0, 1, 2, 3, 4, 5] },
  },
  {
    name: 'a result far from its call holds what is between them',
    messages: [user('a'), calls('c1'), user('b'), say('c'), results('c1'), user('d')],
    kept: { 1: [5], 4: [5], 5: [1, 2, 3, 4, 5], 6: [0, 1, 2, 3, 4, 5] },
  },
  {
    name: 'overlapping pairs are one unit',
    messages: [user('a'), calls('c1'), calls('c2'), results('c1'), results('c2'), user('b')],
    kept: { 4: [5], 5: [1, 2, 3, 4, 5] },
  },
  {
    name: 'a system message between call and result goes first and parts nothing',
    messages: [calls('c1'), system('x'), results('c1'), user('a')],
    kept: { 1: [1, 3], 2: [1, 3], 3: [1, 0, 2, 3] },
  },
  {
    name: 'the same ids in every turn are pairs of their own',
    messages: [user('a'), calls('c1'), results('c1'), user('b'), calls('c1'), results('c1'), user('c')],
    kept: { 1: [6], 3: [4, 5, 6], 4: [3, 4, 5, 6], 6: [1, 2, 3, 4, 5, 6] },
  },
  {
    name: 'ids that objects inherit are ordinary',
    messages: [calls('__proto__', 'constructor'), results('__proto__'), results('constructor'), user('a')],
    kept: { 1: [3], 3: [3], 4: [0, 1, 2, 3] },
  },
  {
    name: 'two results of one call stay with it',
    messages: [calls('c1'), results('c1'), results('c1'), user('a')],
    kept: { 1: [3], 3: [3], 4: [0, 1, 2, 3] },
  },
])

describe('window: Infinity', () => {
  it('gives the same messages back in a new list, whatever they are', () => {
    const messages = [results('c9'), user('a'), system('x'), thinks('hm'), calls('c1')]
    const output = window(Infinity)(messages)
    expect(output).not.toBe(messages)
    expect(output).toHaveLength(5)
    for (const [i, message] of output.entries()) expect(message).toBe(messages[i])
  })
})

describe('window: one turn of 100 calls', () => {
  it('is cut at the edge of a call inside the turn', () => {
    const turn = Array.from({ length: 100 }, (_, i) => [calls(`c${i}`), results(`c${i}`)]).flat()
    const messages = [user('a'), ...turn]
    expect(window(21)(messages)).toEqual(messages.slice(-20))
  })
})
