import { chatMemory, ownerEntity, threadEntity } from '@keepsake/core'
import { expectEqual } from '../expect.ts'
import { isHeadOf, said, say } from './chats.ts'
import { modelCasesOf, type MemoryModelCase } from './model-case.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, testClock } from './test-clock.ts'
import { overtaken } from './watched-store.ts'

export const chatExpiryCases: MemoryModelCase[] = modelCasesOf('chat: expiry', [
  [
    'a thread is there until its time is up, and then nowhere',
    async ({ store, name }) => {
      const clock = testClock()
      const chat = chatMemory(store, { clock, ttlMs: HOUR_MS })
      const [message] = await chat.append(name('t'), [say('a')], { owner: name('o') })
      clock.pass(HOUR_MS - 1)
      expectEqual(said(await chat.messages(name('t'))), ['a'], 'a millisecond before')
      expectEqual((await chat.threads({ owner: name('o') })).items.length, 1, 'the list a millisecond before')
      clock.pass(1)
      expectEqual(await chat.messages(name('t')), [], 'messages')
      expectEqual(await chat.messages(name('t'), { last: 1 }), [], 'the last message')
      expectEqual(await chat.messages(name('t'), { owner: name('stranger') }), [], "messages to another owner's eyes")
      expectEqual((await chat.threads({ owner: name('o') })).items, [], 'the list')
      expectEqual(await chat.removeMessages(name('t'), [message!.id]), 0, 'what can be removed')
      for await (const { id } of chat.threads({ limit: 500 })) expectEqual(id === name('t'), false, 'among all threads')
    },
  ],
  [
    'whoever reads decides by their own clock, and needs no ttlMs',
    async ({ store, name }) => {
      const clock = testClock()
      await chatMemory(store, { clock, ttlMs: HOUR_MS }).append(name(), [say('a')])
      expectEqual(said(await chatMemory(store, { clock }).messages(name())), ['a'], 'before')
      expectEqual(await chatMemory(store, { clock: testClock(2 * HOUR_MS) }).messages(name()), [], 'after')
    },
  ],
  [
    'every append gives the whole thread more time',
    async ({ store, name }) => {
      const clock = testClock()
      const chat = chatMemory(store, { clock, ttlMs: HOUR_MS })
      await chat.append(name(), [say('at 0:00')])
      clock.pass(50 * MINUTE_MS)
      await chat.append(name(), [say('at 0:50')])
      clock.pass(59 * MINUTE_MS)
      expectEqual(said(await chat.messages(name())), ['at 0:00', 'at 0:50'], 'at 1:49')
      expectEqual(said(await chat.messages(name(), { last: 1 })), ['at 0:50'], 'the last at 1:49')
      clock.pass(MINUTE_MS)
      expectEqual(await chat.messages(name()), [], 'at 1:50')
    },
  ],
  [
    'an append without an end keeps the thread for ever',
    async ({ store, name }) => {
      const clock = testClock()
      await chatMemory(store, { clock, ttlMs: HOUR_MS }).append(name(), [say('a')])
      await chatMemory(store, { clock }).append(name(), [say('b')])
      clock.pass(40_000 * DAY_MS)
      expectEqual(said(await chatMemory(store, { clock, ttlMs: HOUR_MS }).messages(name())), ['a', 'b'], 'in a century')
    },
  ],
  [
    'no row of a thread goes before the others: what stores may drop by themselves is no part of it',
    async ({ store, name }) => {
      const chat = chatMemory(store, { ttlMs: HOUR_MS })
      for (const text of ['a', 'b']) await chat.append(name(), [say(text)])
      const rows = await store.scan(threadEntity(name()), { prefix: 'm\u0001', limit: 10 })
      expectEqual(
        rows.map(({ expiresAtMs }) => expiresAtMs ?? 'never'),
        ['never', 'never', 'never'],
        'when rows may go',
      )
    },
  ],
  [
    'after its time a thread begins anew, for anybody, and what it held is gone',
    async ({ store, name }) => {
      const clock = testClock()
      const chat = chatMemory(store, { clock, ttlMs: HOUR_MS })
      for (const text of ['a', 'b']) await chat.append(name('t'), [say(text)], { owner: name('ada'), opId: text })
      clock.pass(HOUR_MS)
      await chat.append(name('t'), [say('new')], { owner: name('bob'), opId: 'a' })
      expectEqual(said(await chat.messages(name('t'), { owner: name('bob') })), ['new'], 'the thread')
      expectEqual((await chat.threads({ owner: name('ada') })).items, [], "the first owner's list")
      expectEqual((await chat.threads({ owner: name('bob') })).items[0]!.createdAtMs, clock.nowMs(), 'when it began')
      // The head, the turn and the claim of its operation.
      expectEqual((await store.scan(threadEntity(name('t')), { limit: 10 })).length, 3, 'rows of the thread')
      expectEqual(await store.scan(ownerEntity(name('ada')), { limit: 10 }), [], "rows of the first owner's list")
    },
  ],
  [
    'two appends to a thread whose time is up: both are in its next life',
    async ({ store, name }) => {
      const clock = testClock()
      const chat = chatMemory(store, { clock, ttlMs: HOUR_MS })
      await chat.append(name('t'), [say('old')], { owner: name('o') })
      clock.pass(HOUR_MS)
      // The second sees that the time is up, and is overtaken by the first before it does anything about it.
      const slow = overtaken(store, isHeadOf(name('t')), () =>
        chat.append(name('t'), [say('first')], { owner: name('o') }),
      )
      await chatMemory(slow, { clock, ttlMs: HOUR_MS }).append(name('t'), [say('second')], { owner: name('o') })
      expectEqual(said(await chat.messages(name('t'))), ['first', 'second'], 'the thread')
    },
  ],
  [
    'a removal does not bring the end of a thread nearer',
    async ({ store, name }) => {
      const clock = testClock()
      const chat = chatMemory(store, { clock, ttlMs: HOUR_MS })
      await chat.append(name(), [say('at 0:00')])
      clock.pass(50 * MINUTE_MS)
      const [newest] = await chat.append(name(), [say('at 0:50')])
      await chat.removeMessages(name(), [newest!.id])
      clock.pass(HOUR_MS - 1)
      expectEqual(said(await chat.messages(name())), ['at 0:00'], 'a millisecond before 1:50')
      clock.pass(1)
      expectEqual(await chat.messages(name()), [], 'at 1:50')
    },
  ],
  [
    'listing removes threads whose time is up, 20 with each page',
    async ({ store, name }) => {
      const clock = testClock()
      const chat = chatMemory(store, { clock, ttlMs: HOUR_MS })
      for (let i = 0; i < 25; i++) await chat.append(name(`t${i}`), [say('a')], { owner: name('o'), opId: 'op' })
      clock.pass(HOUR_MS)
      const listed = async () => (await store.scan(ownerEntity(name('o')), { prefix: 't\u0001', limit: 50 })).length
      expectEqual((await chat.threads({ owner: name('o') })).items, [], 'the list')
      expectEqual(await listed(), 5, 'rows of the list after one')
      expectEqual((await chat.threads({ owner: name('o') })).items, [], 'the list again')
      expectEqual(await listed(), 0, 'rows of the list after two')
      expectEqual((await store.scan(threadEntity(name('t24')), { limit: 5 })).length, 1, 'rows of a thread')
    },
  ],
  [
    'a thread whose time is up can be cleared by anybody, and is listed to nobody',
    async ({ store, name }) => {
      const clock = testClock()
      const chat = chatMemory(store, { clock, ttlMs: HOUR_MS })
      await chat.append(name('t'), [say('secret')], { owner: name('ada') })
      clock.pass(HOUR_MS)
      await chat.clear(name('t'), { owner: name('bob') })
      expectEqual((await store.scan(threadEntity(name('t')), { limit: 10 })).length, 1, 'rows of the thread')
      expectEqual(await store.scan(ownerEntity(name('ada')), { limit: 10 }), [], 'rows of the list')
    },
  ],
])
