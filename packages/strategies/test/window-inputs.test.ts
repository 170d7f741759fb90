import { describe, expect, expectTypeOf, it } from 'vitest'
import type { ModelMessage, PrepareStepFunction, ToolSet, UIMessage } from 'ai'
import { KeepsakeError, type Message, type Stored } from '@keepsake/core'
import type { Prepare } from '../src/prepare.ts'
import { window } from '../src/window.ts'
import { calls, results, say, user } from './messages.ts'

const errorOf = (act: () => unknown): KeepsakeError => {
  try {
    act()
  } catch (error) {
    if (KeepsakeError.isInstance(error)) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

const turns = (count: number): Message[] =>
  Array.from({ length: count / 4 }, (_, i) => [user('a'), calls(`c${i}`), results(`c${i}`), say('b')]).flat()

/** How often a window looks at the content of these messages. */
function looks(messages: Message[]): number {
  let count = 0
  const watched = messages.map(({ role, content }) => ({
    role,
    get content() {
      count++
      return content
    },
  }))
  window(20)(watched as Message[])
  return count
}

// Compiled, which is the test.
const prepareStep: PrepareStepFunction<ToolSet> = ({ messages }) => ({ messages: window(20)(messages) })

describe('window refuses', () => {
  const strange: [unknown, string][] = [
    [-1, '-1'],
    [NaN, 'NaN'],
    [-Infinity, '-Infinity'],
    [2.5, '2.5'],
    [2 ** 53, '9007199254740992'],
    ['20', 'a string'],
    [null, 'null'],
    [undefined, 'undefined'],
    [20n, 'a bigint'],
    [{ n: 20 }, 'an object'],
    [[20], 'an array'],
    [true, 'a boolean'],
  ]
  it.each(strange)('n = %s when it is built', (n, shown) => {
    const error = errorOf(() => window(n as number))
    expect(error.code).toBe('invalid_value')
    expect(error.message).toBe(`window: n must be a whole number from 0, or Infinity; it is ${shown}.`)
  })

  it.each([
    [0, '0'],
    [21, '21'],
    [-5, '-5'],
    [NaN, 'NaN'],
    [1.5, '1.5'],
    [Infinity, 'Infinity'],
    ['5', 'a string'],
    [null, 'null'],
  ])('step = %s of 20', (step, shown) => {
    const error = errorOf(() => window(20, { step: step as number }))
    expect(error.code).toBe('invalid_value')
    expect(error.message).toBe(`window: step must be a whole number from 1 to 20; it is ${shown}.`)
  })

  it.each([
    [undefined, 'messages must be an array; it is undefined.'],
    [null, 'messages must be an array; it is null.'],
    ['hello', 'messages must be an array; it is a string.'],
    [{ length: 1 }, 'messages must be an array; it is an object.'],
    [[user('a'), null], 'messages[1] must be a message with a role; it is null.'],
    [[user('a'), 'b'], 'messages[1] must be a message with a role; it is a string.'],
    [[{ content: 'a' }], 'messages[0] must be a message with a role; it is an object.'],
    [[{ role: 1, content: 'a' }], 'messages[0] must be a message with a role; it is an object.'],
  ])('messages = %j', (messages, shown) => {
    const error = errorOf(() => window(20)(messages as unknown as Message[]))
    expect(error.code).toBe('invalid_value')
    expect(error.message).toBe(`window: ${shown}`)
  })
})

describe('window takes', () => {
  it('messages whose parts are not what they should be, as they are', () => {
    const odd = [
      { role: 'assistant', content: [null, 7, 'text', { type: 7 }, {}] },
      { role: 'user', content: null },
      { role: 'user' },
      { role: 'critic', content: 'own role' },
      { role: 'critic', content: [{ type: 'reasoning', text: 'of an own role' }] },
    ]
    expect(window(10)(odd)).toEqual(odd)
  })

  it("UI messages whole: a call's state is the AI SDK's business", () => {
    const messages: UIMessage[] = [
      { id: '1', role: 'system', parts: [{ type: 'text', text: 'x' }] },
      { id: '2', role: 'user', parts: [{ type: 'text', text: 'a' }] },
      {
        id: '3',
        role: 'assistant',
        parts: [
          { type: 'step-start' },
          { type: 'reasoning', text: 'hm' },
          { type: 'tool-look', toolCallId: 'c1', state: 'output-available', input: {}, output: 1 },
          { type: 'tool-look', toolCallId: 'c2', state: 'input-available', input: {} },
        ],
      },
      { id: '4', role: 'user', parts: [{ type: 'text', text: 'b' }] },
    ]
    const ids = (n: number): string[] => window(n)(messages).map((message) => message.id)
    expect(ids(1)).toEqual(['1', '4'])
    expect(ids(2)).toEqual(['1', '3', '4'])
    expect(ids(3)).toEqual(['1', '2', '3', '4'])
  })

  it('UI messages of tools that are named like parts of model messages', () => {
    const messages: UIMessage[] = [
      {
        id: '1',
        role: 'assistant',
        parts: [{ type: 'tool-call', toolCallId: 'c1', state: 'output-available', input: {}, output: 1 }],
      },
      {
        id: '2',
        role: 'assistant',
        parts: [{ type: 'tool-result', toolCallId: 'c2', state: 'output-available', input: {}, output: 1 }],
      },
      { id: '3', role: 'user', parts: [{ type: 'text', text: 'b' }] },
    ]
    expect(window(3)(messages)).toEqual(messages)
    expect(window(2)(messages)).toEqual(messages.slice(1))
  })

  it('no UI message that was stopped while it reasoned', () => {
    const messages: UIMessage[] = [
      { id: '1', role: 'user', parts: [{ type: 'text', text: 'a' }] },
      { id: '2', role: 'assistant', parts: [{ type: 'step-start' }, { type: 'reasoning', text: 'hm' }] },
      { id: '3', role: 'user', parts: [{ type: 'text', text: 'b' }] },
    ]
    expect(window(5)(messages).map((message) => message.id)).toEqual(['1', '3'])
  })

  it('each of 40,000 messages as often as each of 400', () => {
    const small = looks(turns(400))
    expect(small).toBeGreaterThanOrEqual(400)
    expect(small).toBeLessThanOrEqual(4 * 400)
    expect(looks(turns(40_000))).toBe(100 * small)
  })
})

describe('types', () => {
  it('keeps the type of the messages', () => {
    const cut = window(20)
    expectTypeOf(cut<Message>).returns.toEqualTypeOf<Message[]>()
    expectTypeOf(cut<ModelMessage>).returns.toEqualTypeOf<ModelMessage[]>()
    expectTypeOf(cut<UIMessage>).returns.toEqualTypeOf<UIMessage[]>()
    expectTypeOf(cut<Stored<Message>>).returns.toEqualTypeOf<Stored<Message>[]>()
    expectTypeOf(cut<{ role: 'user'; mine: number }>).returns.toEqualTypeOf<{ role: 'user'; mine: number }[]>()
  })

  it('fits where it is used', () => {
    expectTypeOf(prepareStep).toBeFunction()
    expectTypeOf(window(20)).toExtend<Prepare>()
    expectTypeOf(window(20, { step: 5 })).toExtend<Prepare<UIMessage>>()
  })

  it('refuses what is no message and what is no number', () => {
    // @ts-expect-error a message has a role
    expect(() => window(20)([{ content: 'a' }])).toThrow(KeepsakeError)
    // @ts-expect-error n is a number
    expect(() => window('20')).toThrow(KeepsakeError)
  })
})
