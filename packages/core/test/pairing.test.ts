import { describe, expect, it } from 'vitest'
import type { AnyMessage } from '../src/message.ts'
import { withPairs } from '../src/chat/pairing.ts'

const say = (id: string): AnyMessage & { id: string } => ({ id, role: 'user' })
const withContent = (id: string, ...content: object[]): AnyMessage & { id: string } =>
  Object.assign(say(id), { content })
const call = (toolCallId: string) => ({ type: 'tool-call', toolCallId, toolName: 't', input: {} })
const result = (toolCallId: string) => ({ type: 'tool-result', toolCallId, toolName: 't', output: {} })

const conversation = [
  say('u1'),
  withContent('a1', { type: 'text', text: 'both' }, call('c1'), call('c2')),
  withContent('r1', result('c1')),
  say('u2'),
  withContent('r2', result('c2')),
  withContent('a2', call('c3')),
  withContent('r3', result('c3')),
  withContent('a3', call('c4'), { type: 'tool-approval-request', approvalId: 'p1', toolCallId: 'c4' }),
  withContent('ok', { type: 'tool-approval-response', approvalId: 'p1', approved: true }),
  withContent('r4', result('c4')),
]

describe('withPairs', () => {
  it.each([
    [[], []],
    [['u1'], ['u1']],
    [
      ['u1', 'u2'],
      ['u1', 'u2'],
    ],
    [['a1'], ['a1', 'r1', 'r2']],
    [['r1'], ['a1', 'r1', 'r2']],
    [
      ['r2', 'u2'],
      ['a1', 'r1', 'r2', 'u2'],
    ],
    [['r3'], ['a2', 'r3']],
    // An approval goes with what it approves.
    [['a3'], ['a3', 'ok', 'r4']],
    [['ok'], ['a3', 'ok', 'r4']],
    [['r4'], ['a3', 'ok', 'r4']],
  ])('%j takes %j', (ids, expected) => {
    expect([...withPairs(conversation, new Set(ids))].toSorted()).toEqual(expected)
  })

  it('reads the parts of a UIMessage too', () => {
    const ui = [
      { id: 'm1', role: 'assistant', parts: [{ type: 'tool-weather', toolCallId: 'c1', state: 'input-available' }] },
      { id: 'm2', role: 'assistant', parts: [{ type: 'tool-weather', toolCallId: 'c1', state: 'output-available' }] },
      { id: 'm3', role: 'user', parts: [{ type: 'text', text: 'c1' }] },
    ]
    expect([...withPairs(ui, new Set(['m2']))].toSorted()).toEqual(['m1', 'm2'])
  })

  it('keeps calls and approvals of one name apart, and takes names like __proto__', () => {
    const messages = [
      withContent('m1', call('__proto__')),
      withContent('m2', { type: 'tool-approval-response', approvalId: '__proto__', approved: true }),
      withContent('m3', result('__proto__')),
    ]
    expect([...withPairs(messages, new Set(['m1']))].toSorted()).toEqual(['m1', 'm3'])
  })

  it.each([
    ['a1', ['a1', 'r1']],
    ['r2', ['a2', 'r2']],
    // Left without an answer: the next turn's is another call.
    ['a3', ['a3']],
    ['a4', ['a4', 'r4']],
  ])('where every turn uses one call id, %s takes %j', (id, expected) => {
    const messages = ['1', '2', '3', '4'].flatMap((turn) => [
      say(`u${turn}`),
      withContent(`a${turn}`, call('call_0')),
      ...(turn === '3' ? [] : [{ ...withContent(`r${turn}`, result('call_0')), role: 'tool' }]),
    ])
    expect([...withPairs(messages, new Set([id]))].toSorted()).toEqual(expected)
  })

  it('takes results of tools that answer nothing along, where anything is asked', () => {
    const orphan = { ...withContent('r', result('c1')), role: 'tool' }
    const messages = [say('u'), orphan, withContent('a', call('c1'))]
    expect([...withPairs(messages, new Set(['u']))].toSorted()).toEqual(['r', 'u'])
    expect([...withPairs(messages, new Set())]).toEqual([])
  })

  it('is not disturbed by content of any other form', () => {
    const odd = [null, 5, 'text', { toolCallId: 7 }, [call('c1')]] as object[]
    expect([...withPairs([withContent('m1', ...odd), say('m2')], new Set(['m1']))]).toEqual(['m1'])
  })
})
