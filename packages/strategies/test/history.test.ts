import { describe, expect, expectTypeOf, it } from 'vitest'
import { chatMemory, inMemoryStore, KeepsakeError, type ChatMemory, type Message, type RowStore } from '@keepsake/core'
import { createHistory, type History } from '../src/history.ts'
import type { Prepare } from '../src/prepare.ts'
import { window } from '../src/window.ts'
import { calls, results, say, system, user } from './messages.ts'

/** What a message says, without its id and time. */
const texts = (messages: readonly Message[]): unknown[] => messages.map((message) => message.content)

async function rejectionOf(promise: Promise<unknown>): Promise<KeepsakeError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (KeepsakeError.isInstance(error)) return error
  throw new Error(`expected a KeepsakeError, got ${String(error)}`)
}

describe('createHistory', () => {
  it('stores, loads and prepares', async () => {
    const history = createHistory({ chat: chatMemory(inMemoryStore()), prepare: [window(3)] })
    await history.append('t', [user('a'), calls('c1'), results('c1'), say('b')])
    await history.append('t', [user('c')])
    const loaded = await history.load('t')
    expect(loaded).toMatchObject([user('a'), calls('c1'), results('c1'), say('b'), user('c')])
    expect(await history.prepare(loaded)).toEqual(loaded.slice(3))
    await history.clear('t')
    expect(await history.load('t')).toEqual([])
  })

  it('without steps sends everything, in a new list', async () => {
    const history = createHistory({ chat: chatMemory(inMemoryStore()) })
    const messages = [results('c9'), user('a'), system('x')]
    const prepared = await history.prepare(messages)
    expect(prepared).toEqual(messages)
    expect(prepared).not.toBe(messages)
  })

  it('applies the steps first to last, each on what the one before gave, with the context', async () => {
    const seen: unknown[] = []
    const note =
      (name: string): Prepare =>
      async (messages, context) => {
        seen.push([name, context?.threadId, context?.owner])
        return [...messages, user(name)]
      }
    const history = createHistory({ chat: chatMemory(inMemoryStore()), prepare: [note('one'), window(2), note('two')] })
    const prepared = await history.prepare([user('a'), say('b')], { threadId: 't', owner: 'ada' })
    expect(texts(prepared)).toEqual(['b', 'one', 'two'])
    expect(seen).toEqual([
      ['one', 't', 'ada'],
      ['two', 't', 'ada'],
    ])
  })

  it('stops between two steps when the signal fires', async () => {
    const controller = new AbortController()
    let reached = false
    const steps: Prepare[] = [
      (messages) => {
        controller.abort()
        return [...messages]
      },
      (messages) => {
        reached = true
        return [...messages]
      },
    ]
    const history = createHistory({ chat: chatMemory(inMemoryStore()), prepare: steps })
    expect((await rejectionOf(Promise.resolve(history.prepare([], { signal: controller.signal })))).code).toBe(
      'aborted',
    )
    expect(reached).toBe(false)
  })

  it("passes owner, opId, subject and signal on, and the owner's check comes back", async () => {
    const store = inMemoryStore()
    const history = createHistory({ chat: chatMemory(store) })
    await history.append('t', [user('a')], { owner: 'ada', opId: '1', subject: 'grace' })
    await history.append('t', [user('a')], { owner: 'ada', opId: '1', subject: 'grace' })
    expect(texts(await history.load('t', { owner: 'ada' }))).toEqual(['a'])
    expect((await rejectionOf(history.load('t', { owner: 'bob' }))).code).toBe('wrong_owner')
    expect((await rejectionOf(history.append('t', [user('b')], { owner: 'bob' }))).code).toBe('wrong_owner')
    expect((await rejectionOf(history.clear('t', { owner: 'bob' }))).code).toBe('wrong_owner')
    const signal = AbortSignal.abort()
    expect((await rejectionOf(history.load('t', { signal }))).code).toBe('aborted')
    expect(texts(await history.load('t'))).toEqual(['a'])
  })

  it.each([
    [{}, 'chat must be a chat memory, such as chatMemory(store); it is undefined.'],
    [{ chat: inMemoryStore() }, 'chat must be a chat memory, such as chatMemory(store); it is an object.'],
    [
      { chat: chatMemory(inMemoryStore()), prepare: window(20) },
      'prepare must be an array of functions, such as [window(20)].',
    ],
    [
      { chat: chatMemory(inMemoryStore()), prepare: [20] },
      'prepare must be an array of functions, such as [window(20)].',
    ],
    [{ chat: chatMemory(inMemoryStore()), last: 0 }, 'last must be a whole number from 1, or Infinity; it is 0.'],
    [
      { chat: chatMemory(inMemoryStore()), last: '9' },
      'last must be a whole number from 1, or Infinity; it is a string.',
    ],
  ])('refuses %#', (options, message) => {
    let error: unknown
    try {
      createHistory(options as Parameters<typeof createHistory>[0])
    } catch (caught) {
      error = caught
    }
    expect(KeepsakeError.isInstance(error, 'invalid_value')).toBe(true)
    expect((error as Error).message).toBe(`createHistory: ${message}`)
  })

  it('has the types of a history', () => {
    expectTypeOf(createHistory).returns.toEqualTypeOf<History>()
    expectTypeOf<History['prepare']>().toEqualTypeOf<Prepare>()
    // A history of one's own, whose methods need less.
    expectTypeOf<{
      load(threadId: string): Promise<Message[]>
      append(threadId: string, messages: readonly Message[]): Promise<void>
      prepare(messages: readonly Message[]): Message[]
      clear(threadId: string): Promise<void>
    }>().toExtend<History>()
  })
})

/** A chat memory that notes how many messages each read asks for. */
function counting(store: RowStore): { chat: ChatMemory<Message>; asked: (number | undefined)[] } {
  const chat = chatMemory(store)
  const asked: (number | undefined)[] = []
  return {
    asked,
    chat: {
      ...chat,
      messages(threadId, options) {
        asked.push(options?.last)
        return chat.messages(threadId, options)
      },
    },
  }
}

describe('createHistory with last', () => {
  it('reads so many of the newest messages, from the beginning of a turn', async () => {
    const { chat, asked } = counting(inMemoryStore())
    const history = createHistory({ chat, last: 4 })
    for (let i = 0; i < 50; i++) await history.append('t', [user(`q${i}`), say(`a${i}`)])
    expect(texts(await history.load('t'))).toEqual(['q48', 'a48', 'q49', 'a49'])
    expect(asked).toEqual([4])
  })

  it('reads on where that would begin inside a turn', async () => {
    const { chat, asked } = counting(inMemoryStore())
    const history = createHistory({ chat, last: 2 })
    for (let i = 0; i < 10; i++) await history.append('t', [user(`q${i}`), say(`a${i}`)])
    const turn = [user('q'), calls('c1'), results('c1'), calls('c2'), results('c2'), say('a')]
    await history.append('t', turn)
    // Of the newest 2 and 4 the first is no user message; of 8 it is that of turn 9.
    expect(await history.load('t')).toMatchObject([user('q9'), say('a9'), ...turn])
    expect(asked).toEqual([2, 4, 8])
  })

  it('reads on where a result would lose its call', async () => {
    const { chat, asked } = counting(inMemoryStore())
    const history = createHistory({ chat, last: 3 })
    await history.append('t', [
      user('first'),
      say('x'),
      user('q'),
      calls('c1'),
      user('still there?'),
      results('c1'),
      say('a'),
    ])
    // The newest 3 begin with a user message, but hold a result whose call is before it. Of 6 the first is no user message.
    expect(texts(await history.load('t'))).toHaveLength(7)
    expect(asked).toEqual([3, 6, 12])
  })

  it('reads everything once if the thread is shorter', async () => {
    const { chat, asked } = counting(inMemoryStore())
    const history = createHistory({ chat, last: 10 })
    await history.append('t', [say('hello'), results('c9')])
    expect(await history.load('t')).toHaveLength(2)
    expect(await history.load('none')).toEqual([])
    expect(asked).toEqual([10, 10])
  })

  it('ends on a thread that has no beginning of a turn anywhere', async () => {
    const { chat, asked } = counting(inMemoryStore())
    const history = createHistory({ chat, last: 2 })
    await history.append('t', [say('1'), say('2'), say('3'), say('4')])
    expect(await history.load('t')).toHaveLength(4)
    expect(asked).toEqual([2, 4, 8])
  })
})
