import { KeepsakeError, type AnyMessage, type Message } from '@keepsake/core'
import { describe, expect, it } from 'vitest'
import { tokenWindow, type TokenWindowOptions } from '../src/token-window.ts'
import { callPart, calls, resultPart, results, say, system, thinks, user } from './messages.ts'

/** A token for each character; a message has 4 more. `user('u'.repeat(6))` is 10. */
const count = (text: string): number => text.length
const ten = (letter: string): Message => user(letter.repeat(6))
const deepFreeze = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze)
  return value
}

describe('tokenWindow', () => {
  it('keeps the newest that fit, to the token', () => {
    const messages = [ten('a'), ten('b'), ten('c')]
    expect(tokenWindow({ maxTokens: 30, count })(messages)).toEqual(messages)
    expect(tokenWindow({ maxTokens: 29, count })(messages)).toEqual(messages.slice(1))
    expect(tokenWindow({ maxTokens: 20, count })(messages)).toEqual(messages.slice(1))
    expect(tokenWindow({ maxTokens: 19, count })(messages)).toEqual(messages.slice(2))
  })

  it('gives an empty list for one', () => expect(tokenWindow({ count })([])).toEqual([]))

  it('has a budget of 120,000 unless another is given', () => {
    const messages = [user('a'), user('b'.repeat(119_996 - 5))]
    expect(tokenWindow({ count })(messages)).toEqual(messages)
    expect(tokenWindow({ count: (text) => text.length + 1 })(messages)).toEqual(messages.slice(1))
  })

  it('counts system messages first, keeps them all, and says so when they alone are too much', () => {
    const messages = [ten('a'), system('s'.repeat(6)), ten('b')]
    expect(tokenWindow({ maxTokens: 29, count })(messages)).toEqual([messages[1], messages[2]])
    const error = caught(() => tokenWindow({ maxTokens: 9, count })(messages))
    expect(error).toMatchObject({ code: 'too_large', details: { systemTokens: 10, maxTokens: 9 } })
    expect(error.message).toContain('10')
    expect(error.message).not.toContain('sss')
  })

  it('never gives less than the newest unit, however large', () => {
    const unit = [calls('c1', 'c2'), results('c1'), results('c2')]
    expect(tokenWindow({ maxTokens: 5, count })([ten('a'), ...unit])).toEqual(unit)
  })

  it('never begins with a result, nor ends with a call', () => {
    const messages = [system('s'), user('q'), calls('c1'), results('c1'), user('next')]
    for (let maxTokens = 6; maxTokens < 80; maxTokens++) {
      for (const keep of ['first', 'last'] as const) {
        const kept = tokenWindow({ maxTokens, count, keep })(messages)
        expect(kept.includes(messages[2]!), `${keep} ${maxTokens}`).toBe(kept.includes(messages[3]!))
      }
    }
  })

  it('keeps parallel results with their call, and reasoning with what it led to', () => {
    const unit = [thinks('t'), calls('a', 'b', 'c'), results('a'), results('b'), results('c')]
    const messages = [user('q'), ...unit, user('n')]
    for (let maxTokens = 1; maxTokens < 200; maxTokens++) {
      const kept = tokenWindow({ maxTokens, count })(messages)
      const inside = unit.filter((message) => kept.includes(message)).length
      expect([0, unit.length]).toContain(inside)
    }
  })

  it("with keep: 'first' keeps the oldest units that fit, but never none", () => {
    const messages = [ten('a'), calls('c'), results('c'), ten('b')]
    // call: look {} is 7 and 4; result: seen is 4 and 4.
    expect(tokenWindow({ maxTokens: 28, count, keep: 'first' })(messages)).toEqual(messages.slice(0, 1))
    expect(tokenWindow({ maxTokens: 29, count, keep: 'first' })(messages)).toEqual(messages.slice(0, 3))
    expect(tokenWindow({ maxTokens: 39, count, keep: 'first' })(messages)).toEqual(messages)
    expect(tokenWindow({ maxTokens: 1, count, keep: 'first' })(messages)).toEqual(messages.slice(0, 1))
  })

  it('keeps the texts around a picture of a megabyte', () => {
    const picture: Message = { role: 'user', content: [{ type: 'image', image: 'A'.repeat(1_000_000) }] }
    const messages = [user('what is this?'), picture, say('a harbour'), user('and now?')]
    expect(tokenWindow({ maxTokens: 10_000, count })(messages)).toEqual(messages)
  })

  it('sees pictures in results of tools: six of 1,600 do not fit into 9,000', () => {
    const shot = (id: string): Message[] => [
      calls(id),
      {
        role: 'tool',
        content: [
          {
            ...resultPart(id),
            output: {
              type: 'content',
              value: [{ type: 'file', data: { type: 'data', data: 'A' }, mediaType: 'image/png' }],
            },
          } as never,
        ],
      },
    ]
    const messages = ['1', '2', '3', '4', '5', '6'].flatMap(shot)
    expect(tokenWindow({ maxTokens: 9_000, count })(messages)).toEqual(messages.slice(2))
  })

  it('works on frozen messages and leaves them as they are', () => {
    const messages = deepFreeze([system('s'), user('q'), calls('c'), results('c'), say('a')])
    const before = structuredClone(messages)
    tokenWindow({ maxTokens: 20, count, step: 5 })(messages)
    expect(messages).toEqual(before)
  })

  it('takes messages of the AI SDK that hold calls with their results', () => {
    const messages = [
      { role: 'user', parts: [{ type: 'text', text: 'aaaaaa' }] },
      { role: 'assistant', parts: [{ type: 'text', text: 'bbbbbb' }] },
    ]
    expect(tokenWindow({ maxTokens: 19, count })(messages)).toEqual(messages.slice(1))
  })

  it('counts each message once, ever, and never a list that is not whole', () => {
    let calledWith = 0
    const cut = tokenWindow({ maxTokens: 500, count: (text) => (calledWith++, text.length) })
    const messages: Message[] = []
    for (let turn = 0; turn < 300; turn++) {
      messages.push(user(`question ${turn}`), say(`answer ${turn}`))
      cut(messages)
    }
    expect(calledWith).toBe(600)
  })

  it.each([
    [{ maxTokens: 0, count }, 'maxTokens'],
    [{ maxTokens: 1.5, count }, 'maxTokens'],
    [{ maxTokens: '9', count }, 'maxTokens'],
    [{ maxTokens: 9, count, step: 10 }, 'step'],
    [{ maxTokens: 9, count, step: 0 }, 'step'],
    [{ maxTokens: 9 }, 'count'],
    [{ maxTokens: 9, count, keep: 'middle' }, 'keep'],
    [{ maxTokens: 9, count, keep: 'first', step: 2 }, 'step'],
  ])('refuses %j when it is made', (options, what) => {
    const error = caught(() => tokenWindow(options as TokenWindowOptions))
    expect(error.code).toBe('invalid_value')
    expect(error.message).toContain(what)
  })

  it.each([[-1], [Number.NaN], [Infinity], ['4'], [undefined]])('refuses a count of %s', (given) => {
    const cut = tokenWindow({ maxTokens: 9, count: () => given as number })
    expect(caught(() => cut([user('secret words')])).message).toMatch(/^tokenWindow: count must give/)
    expect(caught(() => cut([user('secret words')])).message).not.toContain('secret')
  })

  it('takes fractions for the next whole number', () => {
    const messages = [user('aaa'), user('bbb')]
    const cut = (maxTokens: number): AnyMessage[] =>
      tokenWindow({ maxTokens, count: (text) => text.length / 4 })(messages)
    // 4.75 each: 5.
    expect(cut(10)).toHaveLength(2)
    expect(cut(9)).toHaveLength(1)
  })

  it('refuses what is no list of messages', () => {
    expect(caught(() => tokenWindow({ count })('x' as never)).message).toContain('messages must be an array')
    expect(caught(() => tokenWindow({ count })([callPart('c')] as never)).message).toContain('messages[0]')
  })
})

function caught(work: () => unknown): KeepsakeError {
  try {
    work()
  } catch (error) {
    if (KeepsakeError.isInstance(error)) return error
    throw error
  }
  throw new Error('it did not throw')
}
