import { chatMemory, ownerEntity, threadEntity, type ChatMemory, type Message } from '@keepsake/core'
import { expectEqual } from '../expect.ts'
import { together } from '../together.ts'
import { isHeadOf, isTurnOf, said, say } from './chats.ts'
import { expectSame } from './expect-same.ts'
import { modelCasesOf, type MemoryModelCase, type ModelCaseEntry, type ModelContext } from './model-case.ts'
import { MINUTE_MS, testClock } from './test-clock.ts'
import { overtaken, watched } from './watched-store.ts'

type Append = (chat: ChatMemory<Message>, thread: string) => Promise<unknown>

/** Appends that are under way when the thread is cleared. */
const late: readonly (readonly [string, Append])[] = [
  ['an append', (chat, thread) => chat.append(thread, [say('late')])],
  ['an append with an opId', (chat, thread) => chat.append(thread, [say('late')], { opId: 'op' })],
  ['an append with an id', (chat, thread) => chat.append(thread, [say('late', 'm1')])],
]

/** Where the append stands when the clear comes, on a thread that lives or that the append itself has just begun. */
async function clearMeanwhile(
  { store, name }: ModelContext,
  append: Append,
  { began, aheadMs, reborn }: { began: boolean; aheadMs: number; reborn: boolean },
): Promise<void> {
  const [thread, owner] = [name('t'), name('o')]
  const chat = chatMemory(store)
  if (began) await chat.append(thread, [say('old')], { owner })
  const slow = overtaken(store, isTurnOf(thread), async () => {
    await chat.clear(thread)
    if (reborn) await chat.append(thread, [say('new')], { owner })
  })
  await append(chatMemory(slow, { clock: testClock(aheadMs) }), thread)
  expectEqual(said(await chat.messages(thread)), reborn ? ['new'] : [], 'the thread')
  if (!reborn) await chat.append(thread, [say('new')], { owner })
  expectEqual(said(await chat.messages(thread)), ['new'], 'its next life')
  expectEqual((await chat.threads({ owner })).items.length, 1, 'the list')
  await chat.clear(thread)
  expectEqual((await store.scan(threadEntity(thread), { limit: 10 })).length, 1, 'rows after another clear')
}

const lateCases: ModelCaseEntry[] = late.flatMap(([what, append]) =>
  [true, false].flatMap((began) =>
    [0, 5, -5].flatMap((minutes) =>
      [false, true].map((reborn): ModelCaseEntry => {
        const where = began ? '' : ' that begins the thread'
        const clock =
          minutes === 0 ? '' : `, by a clock that is ${Math.abs(minutes)} minutes ${minutes > 0 ? 'ahead' : 'behind'}`
        const when = reborn ? 'and begun again' : ''
        return [
          `${what}${where}${clock} that lands after the thread was cleared ${when}: nothing of it shows`.replace(
            '  ',
            ' ',
          ),
          (context) => clearMeanwhile(context, append, { began, aheadMs: minutes * MINUTE_MS, reborn }),
        ]
      }),
    ),
  ),
)

export const chatClearCases: MemoryModelCase[] = modelCasesOf('chat: clear', [
  ...lateCases,
  [
    'nothing is left of a thread but a mark without content',
    async ({ store, name }) => {
      const chat = chatMemory(store)
      await chat.append(name('t'), [say('secret', 'm1')], { owner: name('o'), opId: 'op' })
      await chat.append(name('t'), [say('secret')])
      await chat.clear(name('t'))
      expectEqual(await chat.messages(name('t')), [], 'the thread')
      expectEqual((await chat.threads({ owner: name('o') })).items, [], 'the list')
      const rows = await store.scan(threadEntity(name('t')), { limit: 10 })
      expectEqual(
        rows.map(({ key }) => key),
        ['m\u0001'],
        'rows of the thread',
      )
      expectEqual(new TextDecoder().decode(rows[0]!.rec).includes(name('o')), false, 'whether the mark names the owner')
      expectEqual(rows[0]!.expiresAtMs! > rows[0]!.updatedAtMs, true, 'whether the mark goes by itself')
      expectEqual(await store.scan(ownerEntity(name('o')), { limit: 10 }), [], 'rows of the owner')
    },
  ],
  [
    'a thread that never was, or that was cleared before, is cleared without a write',
    async ({ store, name, rows }) => {
      const notes = watched(store)
      const chat = chatMemory(notes.store)
      await chat.clear(name('never'))
      await chat.append(name('t'), [say('a')])
      await chat.clear(name('t'))
      const before = await rows()
      notes.writes.length = 0
      await chat.clear(name('t'))
      await chat.clear(name('t'), { owner: name('anybody') })
      expectEqual(notes.writes.length, 0, 'writes')
      expectSame(await rows(), before, 'rows')
    },
  ],
  [
    'a cleared thread begins anew: another owner, another time, no old message',
    async ({ store, name }) => {
      const clock = testClock()
      const chat = chatMemory(store, { clock })
      await chat.append(name('t'), [say('old', 'm1')], { owner: name('ada'), opId: 'op' })
      clock.pass(MINUTE_MS)
      await chat.clear(name('t'), { owner: name('ada') })
      await chat.append(name('t'), [say('new', 'm1')], { owner: name('bob'), opId: 'op' })
      expectEqual(said(await chat.messages(name('t'), { owner: name('bob') })), ['new'], 'the thread')
      const expected = { id: name('t'), owner: name('bob'), createdAtMs: clock.nowMs(), updatedAtMs: clock.nowMs() }
      expectEqual((await chat.threads({ owner: name('bob') })).items, [expected], 'his list')
      expectEqual((await chat.threads({ owner: name('ada') })).items, [], 'her list')
    },
  ],
  [
    'a slow clock clears what a fast one wrote, and the thread lives again by a slow one',
    async ({ store, name }) => {
      const [slow, fast] = [-5 * MINUTE_MS, 5 * MINUTE_MS].map((aheadMs) =>
        chatMemory(store, { clock: testClock(aheadMs) }),
      )
      await fast!.append(name(), [say('old')])
      await slow!.clear(name())
      expectEqual(await fast!.messages(name()), [], 'the thread')
      await slow!.append(name(), [say('new')])
      expectEqual(said(await fast!.messages(name())), ['new'], 'its next life')
    },
  ],
  [
    'every write of a cleared thread that arrives once more changes nothing that shows',
    async ({ store, name }) => {
      const notes = watched(store)
      const first = chatMemory(notes.store, { clock: testClock(5 * MINUTE_MS) })
      await first.append(name('t'), [say('old', 'm1')], { owner: name('o'), opId: 'op' })
      await first.append(name('t'), [say('old too')])
      const chat = chatMemory(store)
      const repeatAll = async () => {
        for (const rows of notes.writes) await store.write(rows)
      }
      await chat.clear(name('t'))
      await repeatAll()
      expectEqual(await chat.messages(name('t')), [], 'the thread')
      expectEqual((await chat.threads({ owner: name('o') })).items, [], 'the list')
      await chat.append(name('t'), [say('new')], { owner: name('p') })
      await repeatAll()
      expectEqual(said(await chat.messages(name('t'))), ['new'], 'its next life')
      expectEqual((await chat.threads({ owner: name('o') })).items, [], "the first owner's list")
      expectEqual((await chat.threads({ owner: name('p') })).items.length, 1, "the second owner's list")
    },
  ],
  [
    'of 16 appends and a clear at once, what shows is part of the appends, and the next append comes last',
    async ({ store, name }) => {
      const chats = [-1, 0, 1].map((minutes) => chatMemory(store, { clock: testClock(minutes * MINUTE_MS) }))
      await chats[1]!.append(name(), [say('old')])
      const texts = Array.from({ length: 16 }, (_, i) => String(i))
      await together([
        ...texts.slice(0, 8).map((text, i) => chats[i % 3]!.append(name(), [say(text)])),
        chats[0]!.clear(name()),
        ...texts.slice(8).map((text, i) => chats[i % 3]!.append(name(), [say(text)])),
      ])
      await chats[0]!.append(name(), [say('last')])
      const shown = said(await chats[2]!.messages(name())) as string[]
      expectEqual(shown.at(-1), 'last', 'the newest')
      expectEqual(
        shown.slice(0, -1).every((text) => texts.includes(text)),
        true,
        'whether the others are of the appends',
      )
      expectEqual(new Set(shown).size, shown.length, 'no message twice')
      await chats[1]!.clear(name())
      expectEqual(await chats[2]!.messages(name()), [], 'after another clear')
    },
  ],
  [
    'two clears at once, and a thread that is begun again between them',
    async ({ store, name }) => {
      const chat = chatMemory(store)
      await chat.append(name('t'), [say('old')], { owner: name('o') })
      const slow = overtaken(store, isHeadOf(name('t')), async () => {
        await chat.clear(name('t'))
        await chat.append(name('t'), [say('new')], { owner: name('o') })
      })
      await chatMemory(slow).clear(name('t'))
      expectEqual(await chat.messages(name('t')), [], 'the thread')
      expectEqual((await chat.threads({ owner: name('o') })).items, [], 'the list')
      expectEqual(await store.scan(ownerEntity(name('o')), { limit: 10 }), [], 'rows of the owner')
    },
  ],
  [
    'a thread of 1,100 appends is cleared whole',
    async ({ store, name }) => {
      const chat = chatMemory(store)
      await chat.append(name(), [say('0')])
      for (let done = 1; done < 1100; done += 100) {
        await together(Array.from({ length: 100 }, (_, i) => chat.append(name(), [say(String(done + i))])))
      }
      expectEqual((await chat.messages(name())).length, 1101, 'messages before')
      await chat.clear(name())
      expectEqual((await store.scan(threadEntity(name()), { limit: 10 })).length, 1, 'rows after')
    },
  ],
])
