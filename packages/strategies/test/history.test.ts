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
  it('reads so many of the newest messages and the one before them, and begins with a turn', async () => {
    const { chat, asked } = counting(inMemoryStore())
    const history = createHistory({ chat, last: 4 })
    for (let i = 0; i < 50; i++) await history.append('t', [user(`q${i}`), say(`a${i}`)])
    expect(texts(await history.load('t'))).toEqual(['q48', 'a48', 'q49', 'a49'])
    expect(asked).toEqual([5])
  })

  it('reads no more of long turns: 1,000 of 6 messages', async () => {
    const { chat, asked } = counting(inMemoryStore())
    const history = createHistory({ chat, last: 200 })
    const turn = (i: number) => [
      user(`q${i}`),
      calls(`c${i}`),
      results(`c${i}`),
      calls(`d${i}`),
      results(`d${i}`),
      say(`a${i}`),
    ]
    await history.append('t', Array.from({ length: 1000 }, (_, i) => turn(i)).flat())
    const loaded = await history.load('t')
    // 200 are 33 turns and 2 messages of the one before.
    expect(loaded).toHaveLength(198)
    expect(loaded[0]).toMatchObject(user('q967'))
    expect(asked).toEqual([201])
  })

  it('ends with a result that never had a call, and keeps it', async () => {
    const { chat, asked } = counting(inMemoryStore())
    const history = createHistory({ chat, last: 4 })
    for (let i = 0; i < 50; i++) await history.append('t', [user(`q${i}`), say(`a${i}`)])
    await history.append('t', [results('gone')])
    // Of the newest 4 the first is the answer of an older turn.
    expect(await history.load('t')).toMatchObject([user('q49'), say('a49'), results('gone')])
    expect(asked).toEqual([5])
  })

  it('begins inside a turn that has more than half of them, but not inside a unit', async () => {
    const { chat, asked } = counting(inMemoryStore())
    const history = createHistory({ chat, last: 5 })
    await history.append('t', [user('q'), calls('c1', 'c2'), results('c1'), results('c2')])
    await history.append('t', [calls('c3'), results('c3'), say('a'), user('thanks')])
    // The newest 5 are the second result and these 4; the turn of 'thanks' alone would be 1.
    expect(await history.load('t')).toMatchObject([calls('c3'), results('c3'), say('a'), user('thanks')])
    expect(asked).toEqual([6])
  })

  it('parts no call from its reasoning', async () => {
    const history = createHistory({ chat: chatMemory(inMemoryStore()), last: 4 })
    const thinks: Message = { role: 'assistant', content: [{ type: 'reasoning', text: 'hm' }] }
    await history.append('t', [user('q'), thinks, calls('c1'), results('c1'), say('a'), say('b')])
    // The newest 4 begin with the call.
    expect(texts(await history.load('t'))).toEqual(['a', 'b'])
  })

  it('reads twice as many where a unit takes more than half', async () => {
    const { chat, asked } = counting(inMemoryStore())
    const history = createHistory({ chat, last: 3 })
    const tail = [user('q'), calls('c1'), user('still there?'), results('c1'), say('a')]
    await history.append('t', [user('first'), say('x'), ...tail])
    // Of the newest 3 only the last belongs to no call before them. Of the newest 6 the first is an answer.
    expect(await history.load('t')).toMatchObject(tail)
    expect(asked).toEqual([4, 7])
  })

  it('gives twice as many as they are where one unit takes all', async () => {
    const { chat, asked } = counting(inMemoryStore())
    const history = createHistory({ chat, last: 2 })
    const ids = ['1', '2', '3', '4', '5', '6']
    await history.append('t', [calls(...ids), ...ids.map((id) => results(id))])
    expect(await history.load('t')).toMatchObject(['3', '4', '5', '6'].map((id) => results(id)))
    expect(asked).toEqual([3, 5])
  })

  it('keeps the system messages among them, and sees none before', async () => {
    const history = createHistory({ chat: chatMemory(inMemoryStore()), last: 4 })
    await history.append('t', [system('old'), user('p'), say('x'), system('new'), user('q'), say('a')])
    expect(texts(await history.load('t'))).toEqual(['new', 'q', 'a'])
  })

  it('reads everything once if the thread is no longer', async () => {
    const { chat, asked } = counting(inMemoryStore())
    const history = createHistory({ chat, last: 2 })
    await history.append('t', [say('hello'), results('c9')])
    expect(await history.load('t')).toHaveLength(2)
    expect(await history.load('none')).toEqual([])
    expect(asked).toEqual([3, 3])
  })

  it('gives as many where no message begins a turn', async () => {
    const { chat, asked } = counting(inMemoryStore())
    const history = createHistory({ chat, last: 2 })
    await history.append('t', [say('1'), say('2'), say('3'), say('4')])
    expect(texts(await history.load('t'))).toEqual(['3', '4'])
    expect(asked).toEqual([3])
  })
})
