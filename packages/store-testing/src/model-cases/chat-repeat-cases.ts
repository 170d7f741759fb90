import { chatMemory, KeepsakeError, type ChatMemory, type Message } from '@keepsake/core'
import { expectEqual, expectError } from '../expect.ts'
import { faultyStore } from '../faulty-store.ts'
import { together } from '../together.ts'
import { isTurnOf, said, say } from './chats.ts'
import { expectSame } from './expect-same.ts'
import { modelCasesOf, type MemoryModelCase, type ModelCaseEntry } from './model-case.ts'
import { DAY_MS, MINUTE_MS, testClock } from './test-clock.ts'
import { intercepted, watched } from './watched-store.ts'

type Append = (chat: ChatMemory<Message>, thread: string) => Promise<unknown>

/** Appends that may be repeated: what names them. */
const repeatable: readonly (readonly [string, Append])[] = [
  ['with an opId', (chat, thread) => chat.append(thread, [say('1'), say('2')], { owner: thread, opId: 'op' })],
  [
    'whose messages bring ids',
    (chat, thread) => chat.append(thread, [say('1', 'a'), say('2', 'b')], { owner: thread }),
  ],
  ['with both', (chat, thread) => chat.append(thread, [say('1', 'a'), say('2')], { owner: thread, opId: 'op' })],
]

function repeatCases([what, append]: (typeof repeatable)[number]): ModelCaseEntry[] {
  return [
    [
      `an append ${what} stores nothing when it is repeated, and returns what the first stored`,
      async ({ store, name }) => {
        const first = await append(chatMemory(store), name())
        const again = await append(chatMemory(store, { clock: testClock(-5 * MINUTE_MS) }), name())
        expectSame(again, first, 'what the repeat returns')
        expectSame(await chatMemory(store).messages(name()), first, 'the thread')
      },
    ],
    [
      `16 appends at once ${what} are one, whatever their clocks say`,
      async ({ store, name }) => {
        const chats = Array.from({ length: 16 }, (_, i) => chatMemory(store, { clock: testClock((i % 3) * MINUTE_MS) }))
        const returned = await together(chats.map((chat) => append(chat, name())))
        const stored = await chatMemory(store).messages(name())
        expectEqual(said(stored), ['1', '2'], 'the thread')
        for (const messages of returned) expectSame(messages, stored, 'what each returns')
      },
    ],
    [
      `an append ${what} whose answer is lost at any of its writes can be repeated`,
      ({ store, name }) => breakAtEachWrite(store, name, append, 'lose-answer'),
    ],
    [
      `an append ${what} that fails at any of its writes can be repeated`,
      ({ store, name }) => breakAtEachWrite(store, name, append, 'fail'),
    ],
  ]
}

/** Breaks the first, the second, … write of an append, on a new thread each, until it has no more; repeats it each time. */
async function breakAtEachWrite(
  store: Parameters<typeof chatMemory>[0],
  name: (suffix?: string) => string,
  append: Append,
  kind: 'lose-answer' | 'fail',
): Promise<void> {
  let broken = 0
  for (let index = 0; ; index++) {
    const thread = name(`-${kind}-${index}`)
    const faulty = faultyStore(store, [{ method: 'write', index, fault: { kind } }])
    const outcome = await append(chatMemory(faulty), thread).then(
      () => undefined,
      (error: unknown) => error,
    )
    if (outcome === undefined) break
    if (!KeepsakeError.isInstance(outcome, 'unavailable')) throw outcome
    broken++
    // Another process repeats it.
    const returned = await append(chatMemory(store, { clock: testClock(MINUTE_MS) }), thread)
    const stored = await chatMemory(store).messages(thread)
    expectEqual(said(stored), ['1', '2'], `the thread, after write ${index} broke`)
    expectSame(returned, stored, 'what the repeat returns')
    expectEqual(
      (await chatMemory(store).threads({ owner: thread })).items.map(({ id }) => id),
      [thread],
      'the list',
    )
  }
  // The subject's directory, the owner's list, the head, the claims, the turn.
  expectEqual(broken, 5, 'how many writes there were to break')
}

export const chatRepeatCases: MemoryModelCase[] = modelCasesOf('chat: repeats', [
  ...repeatable.flatMap(repeatCases),
  [
    'a repeat is recognised by its opId, whatever it brings',
    async ({ store, name }) => {
      const chat = chatMemory(store)
      await chat.append(name(), [say('first')], { opId: 'op' })
      expectEqual(said(await chat.append(name(), [say('other'), say('more')], { opId: 'op' })), ['first'], 'returned')
      expectEqual(said(await chat.messages(name())), ['first'], 'the thread')
    },
  ],
  [
    'different opIds are different appends, and so are equal ones of different threads',
    async ({ store, name }) => {
      const chat = chatMemory(store)
      for (const opId of ['op', 'op ', 'OP', '__proto__', '%']) await chat.append(name('a'), [say(opId)], { opId })
      await chat.append(name('b'), [say('in b')], { opId: 'op' })
      expectEqual(said(await chat.messages(name('a'))), ['op', 'op ', 'OP', '__proto__', '%'], 'one thread')
      expectEqual(said(await chat.messages(name('b'))), ['in b'], 'the other')
    },
  ],
  [
    'messages without ids may say the same twice',
    async ({ store, name }) => {
      const chat = chatMemory(store)
      await chat.append(name(), [say('ok')])
      await chat.append(name(), [say('ok')])
      expectEqual(said(await chat.messages(name())), ['ok', 'ok'], 'the thread')
    },
  ],
  [
    'an append that broke off after it was claimed keeps its place when it is repeated',
    async ({ store, name }) => {
      await chatMemory(store).append(name(), [say('zeroth')])
      let broken = false
      const breaking = intercepted(store, async (rows, send) => {
        if (broken || !isTurnOf(name())(rows)) return send()
        broken = true
        throw new KeepsakeError('unavailable', 'The network is down.')
      })
      const append = (chat: ChatMemory<Message>) => chat.append(name(), [say('first')], { opId: 'op' })
      await expectError(append(chatMemory(breaking)), 'unavailable', 'the first attempt')
      await chatMemory(store).append(name(), [say('second')])
      await append(chatMemory(store))
      expectEqual(
        said(await chatMemory(store).messages(name())),
        ['zeroth', 'first', 'second'],
        'the order in which they began',
      )
    },
  ],
  [
    'an id that the thread has is refused with other content, and nothing is written',
    async ({ store, name, rows }) => {
      const chat = chatMemory(store)
      await chat.append(name(), [say('a', 'm1'), say('b', 'm2')], { owner: name() })
      const before = await rows()
      for (const messages of [[say('other', 'm1')], [say('new', 'm3'), say('b', 'm2')], [say('a', 'm1')]]) {
        await expectError(chat.append(name(), messages), 'conflict', 'an id that is taken')
      }
      await expectError(chat.append(name(), [say('a', 'm1')], { opId: 'op' }), 'conflict', 'an id of another call')
      expectSame(await rows(), before, 'rows')
      await chat.append(name(), [say('new', 'm3')])
      expectEqual(said(await chat.messages(name())), ['a', 'b', 'new'], 'the thread')
    },
  ],
  [
    'a history that is sent back with one message more is refused, and the new message alone is not',
    async ({ store, name, rows }) => {
      const chat = chatMemory(store)
      await chat.append(name(), [say('a')], { owner: name() })
      await chat.append(name(), [say('b'), say('c')], { opId: 'op' })
      const all = await chat.messages(name())
      const before = await rows()
      for (const sent of [[...all, say('d')], [all[0]!], [all[2]!], [say('d'), all[1]!]]) {
        await expectError(chat.append(name(), sent), 'conflict', 'messages that the thread has')
        await expectError(chat.append(name(), sent, { opId: 'op 2' }), 'conflict', 'with an opId')
      }
      expectSame(await rows(), before, 'rows')
      await chat.append(name(), [say('d')])
      expectEqual(said(await chat.messages(name())), ['a', 'b', 'c', 'd'], 'the thread')
    },
  ],
  [
    'a message that was removed is not appended again; another thread, and the next life of this one, take it',
    async ({ store, name }) => {
      const chat = chatMemory(store)
      const [a, b] = await chat.append(name('t'), [say('a'), say('b')])
      await chat.append(name('other'), [a!, b!])
      expectSame(await chat.messages(name('other')), [a, b], 'another thread')
      await chat.removeMessages(name('t'), [a!.id])
      await expectError(chat.append(name('t'), [a!]), 'conflict', 'one that was removed')
      await chat.removeMessages(name('t'), [b!.id])
      await expectError(chat.append(name('t'), [b!]), 'conflict', 'the other')
      await chat.clear(name('t'))
      await chat.append(name('t'), [a!, b!])
      expectSame(await chat.messages(name('t')), [a, b], 'the next life')
    },
  ],
  [
    'of 16 appends at once with one id and different content, one is stored and 15 are conflicts',
    async ({ store, name }) => {
      const chat = chatMemory(store)
      const outcomes = await Promise.allSettled(
        Array.from({ length: 16 }, (_, i) => chat.append(name(), [say(`by ${i}`, 'm1')])),
      )
      const failures = outcomes.filter((outcome) => outcome.status === 'rejected')
      expectEqual(failures.length, 15, 'how many failed')
      for (const { reason } of failures) if (!KeepsakeError.isInstance(reason, 'conflict')) throw reason
      const winner = outcomes.findIndex(({ status }) => status === 'fulfilled')
      expectEqual(said(await chat.messages(name())), [`by ${winner}`], 'the thread')
    },
  ],
  [
    'one call with an id twice is refused before anything is written',
    async ({ store, name, rows }) => {
      const messages = [say('a', 'm1'), say('b', 'm1')]
      await expectError(chatMemory(store).append(name(), messages, { owner: name() }), 'invalid_value', 'an id twice')
      expectEqual(await rows(), [], 'rows')
    },
  ],
  [
    'a repeat does not bring back what was removed',
    async ({ store, name }) => {
      const chat = chatMemory(store)
      const append = () => chat.append(name(), [say('a'), say('b')], { opId: 'op' })
      const [a, b] = await append()
      await chat.removeMessages(name(), [a!.id])
      expectEqual(said(await append()), ['b'], 'what is left of it')
      await chat.removeMessages(name(), [b!.id])
      expectEqual(await append(), [], 'nothing is left of it')
      expectEqual(await chat.messages(name()), [], 'the thread')
    },
  ],
  [
    'after 30 days messages with ids still add nothing, and an opId names a new append',
    async ({ store, name }) => {
      const clock = testClock()
      const chat = chatMemory(store, { clock })
      const withIds = () => chat.append(name('ids'), [say('a', 'm1'), say('b', 'm2')])
      const named = () => chat.append(name('op'), [say('a')], { opId: 'op' })
      const first = [await withIds(), await named()]
      clock.pass(30 * DAY_MS - 1)
      expectSame([await withIds(), await named()], first, 'a millisecond before')
      clock.pass(1)
      expectSame(await withIds(), first[0], 'what the late repeat returns')
      expectEqual((await named())[0]!.id === first[1]![0]!.id, false, 'the same append')
      expectEqual(said(await chat.messages(name('ids'))), ['a', 'b'], 'the thread with ids')
      expectEqual(said(await chat.messages(name('op'))), ['a', 'a'], 'the thread with an opId')
    },
  ],
  [
    'where two attempts got some of the claims each, both take one place',
    async ({ store, name }) => {
      const append = (chat: ChatMemory<Message>) => chat.append(name(), [say('a', 'm1'), say('b', 'm2')])
      await chatMemory(store).append(name(), [say('before')])
      // The first attempt claims its ids and not its operation, as a write that breaks off may.
      const half = intercepted(store, async (rows, send) => {
        if (!rows.some(({ key }) => key.startsWith('i\u0001'))) return send()
        await store.write(rows.slice(1))
        throw new KeepsakeError('unavailable', 'The network is down.')
      })
      await expectError(append(chatMemory(half)), 'unavailable', 'the first attempt')
      await chatMemory(store).append(name(), [say('between')])
      const second = await append(chatMemory(store))
      expectSame(await append(chatMemory(store)), second, 'the third attempt')
      await expectError(chatMemory(store).append(name(), [say('c', 'm2')]), 'conflict', 'another call with an id of it')
      expectEqual(said(await chatMemory(store).messages(name())), ['before', 'a', 'b', 'between'], 'the thread')
    },
  ],
  [
    'an append without ids costs one read and one write',
    async ({ store, name }) => {
      const notes = watched(store)
      const chat = chatMemory(notes.store)
      await chat.append(name(), [say('a')], { owner: name() })
      expectEqual([notes.calls, notes.writes.length], [6, 4], 'calls and writes of the first append')
      notes.calls = 0
      await chat.append(name(), [say('b'), say('c')], { owner: name() })
      expectEqual(notes.calls, 2, 'calls of the second')
      notes.calls = 0
      await chat.append(name(), [say('d')], { opId: 'op' })
      expectEqual(notes.calls, 3, 'calls of one with an opId')
      notes.calls = 0
      await chat.append(name(), [say('e', 'm1')])
      expectEqual(notes.calls, 3, 'calls of one with an id')
    },
  ],
])
