import { KeepsakeError, type Message } from '@keepsake/core'
import type { History } from '@keepsake/strategies'
import { generateText } from 'ai'
import { describe, expect, test } from 'vitest'
import { historyMiddleware, withHistory, withTemporaryThread } from '../src/index.ts'
import { codeOf, rejection, setup } from './support.ts'

const long = 'é'.repeat(257)
const wrong: [string, unknown, RegExp][] = [
  ['a text', 't1', /providerOptions\.keepsake must be an object, .*it is a string/],
  ['null', null, /must be an object.*null/],
  ['a list', ['t1'], /must be an object/],
  ['no thread', {}, /keepsake\.threadId must be a text that is not empty; it is undefined/],
  ['an empty thread', { threadId: '' }, /threadId must be a text that is not empty; it is empty/],
  ['a number as thread', { threadId: 5 }, /threadId must be a text.*it is a number/],
  ['half a character', { threadId: '\uD800' }, /threadId must be well-formed Unicode/],
  ['U+0000', { threadId: 'a\0b' }, /threadId must be well-formed Unicode without U\+0000/],
  ['a thread that is too long', { threadId: long }, /threadId must be at most 512 bytes/],
  ['an owner that is undefined', { threadId: 't1', owner: undefined }, /owner must be a text.*it is undefined/],
  ['an empty owner', { threadId: 't1', owner: '' }, /owner must be a text that is not empty/],
  ['an opId that is a number', { threadId: 't1', opId: 1 }, /opId must be a text/],
  ['an opId that is too long', { threadId: 't1', opId: 'x'.repeat(257) }, /opId must be at most 256 bytes/],
  ['a misspelt owner', { threadId: 't1', user: 'ada' }, /there is no option "user". There are threadId, owner, opId/],
]

describe('options of a call that are refused before the thread is read or the model asked', () => {
  test.each(wrong)('%s', async (_name, keepsake, message) => {
    const one = setup(['Hello.'])
    const call = {
      prompt: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hi' }] }],
      providerOptions: { keepsake } as never,
    }
    for (const work of [one.remembering.doGenerate(call), one.remembering.doStream(call)]) {
      const error = await rejection(work)
      expect(KeepsakeError.isInstance(error, 'invalid_value')).toBe(true)
      expect(error.message).toMatch(message)
    }
    expect(one.model.calls).toEqual([])
    expect(await one.store.entities({ limit: 1 })).toEqual([])
  })

  test('through generateText, the error is the same', async () => {
    const one = setup(['Hello.'])
    const providerOptions = { keepsake: { thread: 't1' } }
    expect(await codeOf(generateText({ model: one.remembering, prompt: 'Hi', providerOptions }))).toBe('invalid_value')
  })
})

describe('withHistory', () => {
  test('gives what a call needs', () => {
    expect(withHistory('t1')).toEqual({ keepsake: { threadId: 't1' } })
    expect(withHistory('t1', { owner: 'ada', opId: 'r' })).toEqual({
      keepsake: { threadId: 't1', owner: 'ada', opId: 'r' },
    })
  })

  test.each(wrong.filter(([, call]) => typeof call === 'object' && call !== null && 'threadId' in call))(
    'refuses %s at once',
    (_name, call, message) => {
      const { threadId, ...options } = call as { threadId: string }
      expect(() => withHistory(threadId, options)).toThrow(message)
    },
  )

  test('refuses options that are none, and a thread among them', () => {
    expect(() => withHistory('t1', 'ada' as never)).toThrow(/options of withHistory must be an object/)
    expect(() => withHistory(undefined as never)).toThrow(/threadId must be a text/)
  })

  test('takes any characters', () => {
    const providerOptions = withHistory('t/1 % __proto__ 🙂', { owner: 'a:b', opId: '\u0001'.repeat(256) })
    expect(providerOptions.keepsake['threadId']).toBe('t/1 % __proto__ 🙂')
  })
})

test('the longest ids are stored', async () => {
  const one = setup(['Hello.', 'Never asked.'])
  const providerOptions = withHistory('t'.repeat(480), { owner: 'ada', opId: '\u0001'.repeat(256) })
  for (let i = 0; i < 2; i++)
    expect((await generateText({ model: one.remembering, prompt: 'Hi', providerOptions })).text).toBe('Hello.')
})

test('an id that the thread cannot have is refused before the model is asked', async () => {
  const one = setup(['Hello.'])
  const providerOptions = withHistory('t'.repeat(512))
  expect(await codeOf(generateText({ model: one.remembering, prompt: 'Hi', providerOptions }))).toBe('invalid_key')
  expect(one.model.calls).toEqual([])
})

describe('a history that is none', () => {
  const verbs: History = {
    load: async () => [],
    append: async () => {},
    prepare: (messages: readonly Message[]) => [...messages],
    clear: async () => {},
  }

  test('is refused when the model is wrapped', () => {
    expect(() => historyMiddleware(undefined as never)).toThrow(/historyMiddleware: history must be one.*undefined/)
    expect(() => historyMiddleware({} as never)).toThrow(/history must be one/)
    expect(() => historyMiddleware({ history: { ...verbs, append: undefined } as never })).toThrow(/without append/)
  })

  test('is refused by withTemporaryThread', async () => {
    expect(await codeOf(withTemporaryThread({} as never, async () => 1))).toBe('invalid_value')
  })

  test('is refused when it gives no list', async () => {
    const { model } = setup(['Hello.'])
    const call = {
      prompt: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hi' }] }],
      providerOptions: withHistory('t1'),
    }
    for (const verb of ['load', 'prepare'] as const) {
      const history = { ...verbs, [verb]: async () => undefined } as never
      const { wrapGenerate } = historyMiddleware({ history })
      const asked = wrapGenerate!({
        doGenerate: () => model.doGenerate(call),
        doStream: () => model.doStream(call),
        params: call,
        model,
      })
      expect((await rejection(asked)).message).toMatch(`history.${verb} gives must be a list`)
    }
    expect(model.calls).toEqual([])
  })
})
