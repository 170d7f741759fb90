import { chatMemory } from '@keepsake/core'
import { expectEqual } from '../expect.ts'
import { together } from '../together.ts'
import { said, say } from './chats.ts'
import { expectSame } from './expect-same.ts'
import { modelCasesOf, type MemoryModelCase } from './model-case.ts'
import { HOUR_MS, MINUTE_MS, testClock } from './test-clock.ts'

const numbers = (count: number): string[] => Array.from({ length: count }, (_, i) => String(i))

export const chatOrderCases: MemoryModelCase[] = modelCasesOf('chat: order', [
  [
    'messages come back in the order of the appends, the turns whole',
    async ({ store, name }) => {
      const chat = chatMemory(store)
      await chat.append(name(), [say('1'), say('2')])
      await chat.append(name(), [say('3')])
      await chat.append(name(), [say('4'), say('5'), say('6')])
      expectEqual(said(await chat.messages(name())), ['1', '2', '3', '4', '5', '6'], 'order')
    },
  ],
  [
    'time that stands still leaves the order of the appends',
    async ({ store, name }) => {
      const chat = chatMemory(store, { clock: testClock() })
      for (const n of numbers(20)) await chat.append(name(), [say(n)])
      expectEqual(said(await chat.messages(name())), numbers(20), 'order')
    },
  ],
  [
    'two processes whose clocks are 5 minutes apart take turns: each sees its append last',
    async ({ store, name }) => {
      const chats = [0, 5 * MINUTE_MS].map((aheadMs) => chatMemory(store, { clock: testClock(aheadMs) }))
      for (const n of numbers(10)) {
        await chats[Number(n) % 2]!.append(name(), [say(n)])
        expectEqual(said(await chats[0]!.messages(name(), { last: 1 })), [n], 'the newest')
      }
      expectEqual(said(await chats[1]!.messages(name())), numbers(10), 'order')
    },
  ],
  [
    'a clock that is set back by an hour between appends does not turn their order around',
    async ({ store, name }) => {
      const clock = testClock()
      await chatMemory(store, { clock }).append(name(), [say('1')])
      clock.pass(-HOUR_MS)
      await chatMemory(store, { clock }).append(name(), [say('2')])
      // Another process, which has not seen the hour.
      await chatMemory(store, { clock: testClock(-HOUR_MS) }).append(name(), [say('3')])
      expectEqual(said(await chatMemory(store).messages(name())), ['1', '2', '3'], 'order')
    },
  ],
  [
    '64 appends at once by clocks minutes apart are all there, once, their turns whole',
    async ({ store, name }) => {
      const chats = [-5, 0, 1, 5].map((minutes) => chatMemory(store, { clock: testClock(minutes * MINUTE_MS) }))
      const returned = await together(
        numbers(64).map((n, i) => chats[i % 4]!.append(name(), [say(`${n} asks`), say(`${n} goes on`)])),
      )
      const messages = await chats[0]!.messages(name())
      const texts = said(messages) as string[]
      const expected = numbers(64).flatMap((n) => [`${n} asks`, `${n} goes on`])
      expectEqual(texts.toSorted(), expected.toSorted(), 'all of them')
      for (let i = 0; i < texts.length; i += 2) {
        expectEqual(texts[i + 1], texts[i]!.replace('asks', 'goes on'), 'the second half of a turn')
      }
      expectEqual(
        messages.map(({ id }) => id).toSorted(),
        returned
          .flat()
          .map(({ id }) => id)
          .toSorted(),
        'ids',
      )
    },
  ],
  [
    'of 64 appends by 8 processes, one that began after another had returned comes after it',
    async ({ store, name }) => {
      let ticks = 0
      const times = new Map<string, { began: number; returned: number }>()
      await together(
        numbers(8).map(async (lane, i) => {
          const chat = chatMemory(store, { clock: testClock((i - 4) * MINUTE_MS) })
          for (const n of numbers(8)) {
            const began = ticks++
            await chat.append(name(), [say(`${lane}.${n}`)])
            times.set(`${lane}.${n}`, { began, returned: ticks++ })
          }
        }),
      )
      const order = said(await chatMemory(store).messages(name())) as string[]
      expectEqual(order.length, 64, 'how many')
      for (const [position, later] of order.entries()) {
        for (const earlier of order.slice(position + 1)) {
          const wrong = times.get(earlier)!.returned < times.get(later)!.began
          expectEqual(wrong, false, `${earlier} had returned before ${later} began, and comes after it`)
        }
      }
    },
  ],
  [
    'ids and times that messages lack are given, and are unique; those that they bring stay',
    async ({ store, name }) => {
      const clock = testClock()
      const chat = chatMemory(store, { clock })
      const own = { ...say('own', 'm1'), createdAtMs: 5 }
      const appended = await chat.append(name(), [say('a'), own, say('b')])
      expectEqual(
        appended.map(({ createdAtMs }) => createdAtMs),
        [clock.nowMs(), 5, clock.nowMs()],
        'times',
      )
      expectEqual(appended[1]!.id, 'm1', 'its own id')
      expectEqual(new Set(appended.map(({ id }) => id)).size, 3, 'different ids')
      expectSame(await chat.messages(name()), appended, 'read as they were returned')
    },
  ],
  [
    'an append of nothing writes nothing',
    async ({ store, name, rows }) => {
      expectEqual(await chatMemory(store).append(name(), [], { owner: name(), opId: 'op' }), [], 'appended')
      expectEqual(await rows(), [], 'rows')
    },
  ],
])
