import { chatMemory, records, type RowStore, type Thread } from '@keepsake/core'
import { expectEqual, expectError } from '../expect.ts'
import { together } from '../together.ts'
import { said, say } from './chats.ts'
import { modelCasesOf, type MemoryModelCase } from './model-case.ts'
import { MINUTE_MS, testClock } from './test-clock.ts'
import { watched } from './watched-store.ts'

const numbers = (count: number): string[] => Array.from({ length: count }, (_, i) => String(i))
const idsOf = (threads: readonly Thread[]): string[] => threads.map(({ id }) => id)

export const chatReadingCases: MemoryModelCase[] = modelCasesOf('chat: reading', [
  [
    'the last n messages, whatever the turns',
    async ({ store, name }) => {
      const chat = chatMemory(store)
      for (const turn of [['1', '2', '3'], ['4'], ['5', '6']])
        await chat.append(
          name(),
          turn.map((text) => say(text)),
        )
      const expected: readonly (readonly [number, string[]])[] = [
        [0, []],
        [1, ['6']],
        [2, ['5', '6']],
        [3, ['4', '5', '6']],
        [4, ['3', '4', '5', '6']],
        [5, ['2', '3', '4', '5', '6']],
        [6, ['1', '2', '3', '4', '5', '6']],
        [7, ['1', '2', '3', '4', '5', '6']],
        [1e6, ['1', '2', '3', '4', '5', '6']],
        [Infinity, ['1', '2', '3', '4', '5', '6']],
      ]
      for (const [last, texts] of expected) {
        expectEqual(said(await chat.messages(name(), { last })), texts, `last ${last}`)
      }
    },
  ],
  [
    'a thread that never was has no messages',
    async ({ store, name }) => {
      expectEqual(await chatMemory(store).messages(name()), [], 'messages')
      expectEqual(await chatMemory(store).messages(name(), { owner: name(), last: 5 }), [], 'the last')
      expectEqual((await chatMemory(store).threads({ owner: name() })).items, [], 'the list')
    },
  ],
  [
    'the last 20 of 300 appends cost 21 rows, and an append to them two',
    async ({ store, name }) => {
      for (const n of numbers(300)) await chatMemory(store).append(name(), [say(n)])
      const notes = watched(store)
      const chat = chatMemory(notes.store)
      expectEqual(said(await chat.messages(name(), { last: 20 })), numbers(300).slice(280), 'the last 20')
      expectEqual([notes.rowsRead, notes.calls], [21, 1], 'rows and calls of reading')
      notes.rowsRead = 0
      await chat.append(name(), [say('300')])
      expectEqual(notes.rowsRead, 2, 'rows that an append reads')
      notes.rowsRead = 0
      expectEqual(said(await chat.messages(name())), numbers(301), 'all')
      expectEqual(notes.rowsRead, 302, 'rows of all')
    },
  ],
  [
    'turns of ten messages do not make the last ones cost more',
    async ({ store, name }) => {
      for (const n of numbers(30))
        await chatMemory(store).append(
          name(),
          numbers(10).map((m) => say(`${n}.${m}`)),
        )
      const notes = watched(store)
      const messages = await chatMemory(notes.store).messages(name(), { last: 25 })
      expectEqual(said(messages).slice(0, 2), ['27.5', '27.6'], 'the first of them')
      expectEqual([messages.length, notes.rowsRead <= 26], [25, true], 'how many, and whether few rows were read')
    },
  ],
  [
    'messages that were removed do not make the last ones fewer',
    async ({ store, name }) => {
      const chat = chatMemory(store)
      for (const n of numbers(40)) await chat.append(name(), [say(n, n)])
      await chat.removeMessages(name(), numbers(39).slice(5))
      expectEqual(said(await chat.messages(name(), { last: 3 })), ['3', '4', '39'], 'the last 3')
    },
  ],
  [
    'an append reads two rows, however many of the newest messages were removed',
    async ({ store, name }) => {
      const chat = chatMemory(store)
      for (const n of numbers(40)) await chat.append(name(), [say(n, n)])
      await chat.removeMessages(name(), numbers(40).slice(1))
      const notes = watched(store)
      await chatMemory(notes.store).append(name(), [say('40')])
      expectEqual([notes.rowsRead, notes.calls], [2, 2], 'rows that it read, and calls')
      expectEqual(said(await chat.messages(name())), ['0', '40'], 'the thread')
    },
  ],
  [
    'a thread that is cleared and begun again between two pages is read as it is afterwards',
    async ({ store, name }) => {
      const chat = chatMemory(store)
      await chat.append(name(), [say('first')])
      for (let done = 0; done < 600; done += 100) {
        await together(numbers(100).map((n) => chat.append(name(), [say(n)])))
      }
      for (const next of [[], ['new']]) {
        let scans = 0
        const slow: RowStore = {
          ...store,
          async scan(entity, range, options) {
            if (++scans === 2) {
              await chat.clear(name())
              for (const text of next) await chat.append(name(), [say(text)])
            }
            return store.scan(entity, range, options)
          },
        }
        expectEqual(said(await chatMemory(slow).messages(name())), next, 'the thread')
        for (let done = 0; done < 600; done += 100) {
          await together(numbers(100).map((n) => chat.append(name(), [say(n)])))
        }
      }
    },
  ],
  [
    'a page may be as large as it likes',
    async ({ store, name }) => {
      const chat = chatMemory(store)
      for (const n of numbers(3)) await chat.append(name(n), [say('x')], { owner: name('o') })
      const { items, cursor } = await chat.threads({ owner: name('o'), limit: Number.MAX_SAFE_INTEGER })
      expectEqual([items.length, cursor ?? null], [3, null], 'threads and the next page')
    },
  ],
  [
    "an owner's threads come newest first, with their times",
    async ({ store, name }) => {
      const clock = testClock()
      const chat = chatMemory(store, { clock })
      const start = clock.nowMs()
      for (const suffix of ['a', 'b', 'c']) {
        await chat.append(name(suffix), [say('x')], { owner: name('o') })
        clock.pass(MINUTE_MS)
      }
      await chat.append(name('a'), [say('y')], { owner: name('o') })
      const expected = [
        { id: name('c'), owner: name('o'), createdAtMs: start + 2 * MINUTE_MS, updatedAtMs: start + 2 * MINUTE_MS },
        { id: name('b'), owner: name('o'), createdAtMs: start + MINUTE_MS, updatedAtMs: start + MINUTE_MS },
        { id: name('a'), owner: name('o'), createdAtMs: start, updatedAtMs: start + 3 * MINUTE_MS },
      ]
      expectEqual(await chat.threads({ owner: name('o') }), { items: expected }, 'the list')
    },
  ],
  [
    'threads are paged while others are added and cleared: each that was and stays is there once',
    async ({ store, name }) => {
      const chat = chatMemory(store)
      const owner = name('o')
      const begin = (suffix: string) => chat.append(name(suffix), [say('x')], { owner })
      for (const n of numbers(25)) await begin(n)
      const seen: string[] = []
      let pages = 0
      for (let cursor: string | undefined; ; pages++) {
        const page = await chat.threads({ owner, limit: 4, ...(cursor !== undefined && { cursor }) })
        seen.push(...idsOf(page.items))
        await begin(`new ${pages}`)
        // One that was shown, and one that was not yet.
        await chat.clear(name(String(24 - pages * 4)))
        await chat.clear(name(String(pages)))
        if (page.cursor === undefined) break
        cursor = page.cursor
      }
      expectEqual(new Set(seen).size, seen.length, 'no thread twice')
      const stayed = numbers(25).filter((n) => Number(n) % 4 !== 0 && Number(n) > pages)
      expectEqual(
        stayed.every((n) => seen.includes(name(n))),
        true,
        'all that stayed',
      )
      expectEqual(
        seen.some((id) => id.includes('new')),
        false,
        'none that came later, before the cursor',
      )
    },
  ],
  [
    'many cleared threads do not end the list',
    async ({ store, name }) => {
      const chat = chatMemory(store)
      for (const n of numbers(30)) await chat.append(name(n), [say('x')], { owner: name('o') })
      for (const n of numbers(29).slice(1)) await chat.clear(name(n))
      const pages = [await chat.threads({ owner: name('o'), limit: 1 })]
      pages.push(await chat.threads({ owner: name('o'), limit: 1, cursor: pages[0]!.cursor! }))
      expectEqual(
        pages.map(({ items }) => idsOf(items)),
        [[name('29')], [name('0')]],
        'two pages',
      )
      expectEqual(
        pages.map(({ cursor }) => cursor !== undefined),
        [true, false],
        'which has another after it',
      )
    },
  ],
  [
    'all threads come in the order of their ids, with or without an owner',
    async ({ store, name }) => {
      const chat = chatMemory(store)
      await chat.append(name('b'), [say('x')], { owner: name('o') })
      await chat.append(name('a'), [say('x')])
      await chat.append(name('\u{1F600}'), [say('x')])
      await chat.append(name('\uFF5E'), [say('x')])
      await chat.append(name('c'), [say('x')])
      await chat.clear(name('c'))
      const seen: Thread[] = []
      for await (const thread of chat.threads({ limit: 100 })) if (thread.id.startsWith(name())) seen.push(thread)
      expectEqual(
        idsOf(seen),
        ['a', 'b', '\uFF5E', '\u{1F600}'].map((suffix) => name(suffix)),
        'their ids',
      )
      expectEqual(
        seen.map(({ owner }) => owner ?? null),
        [null, name('o'), null, null],
        'their owners',
      )
    },
  ],
  [
    'a cursor of another list is refused',
    async ({ store, name }) => {
      const chat = chatMemory(store)
      const notes = records<string>(store, name('o'))
      for (const n of numbers(3)) {
        await chat.append(name(n), [say('x')], { owner: name('o') })
        await notes.put([n], n)
      }
      const [threads, entries] = [
        await chat.threads({ owner: name('o'), limit: 1 }),
        await notes.list([], { limit: 1 }),
      ]
      const wrong = [
        () => chat.threads({ limit: 1, cursor: threads.cursor! }),
        () => chat.threads({ owner: name('o'), limit: 1, cursor: entries.cursor! }),
        () => notes.list([], { limit: 1, cursor: threads.cursor! }),
        () => notes.search([], 'x', { limit: 1, cursor: entries.cursor! }),
      ]
      for (const list of wrong) await expectError(Promise.resolve(list()), 'invalid_value', 'a cursor of another list')
    },
  ],
])
