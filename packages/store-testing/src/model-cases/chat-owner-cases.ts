import {
  chatMemory,
  createClock,
  KeepsakeError,
  ownerEntity,
  systemClock,
  type ChatMemory,
  type Message,
  type RowStore,
} from '@keepsake/core'
import { distinctPairs } from '../cases/hostile-strings.ts'
import { shown } from '../cases/rows.ts'
import { expectEqual, expectError } from '../expect.ts'
import { together } from '../together.ts'
import { isHeadOf, isTurnOf, said, say } from './chats.ts'
import { expectSame } from './expect-same.ts'
import { modelCasesOf, type MemoryModelCase, type ModelCaseEntry, type ModelContext } from './model-case.ts'
import { MINUTE_MS, testClock } from './test-clock.ts'
import { overtaken } from './watched-store.ts'

/** Every method, called for an owner. */
const calls: readonly (readonly [string, (chat: ChatMemory<Message>, thread: string, owner: string) => unknown])[] = [
  ['append', (chat, thread, owner) => chat.append(thread, [say('x')], { owner })],
  ['append with an opId', (chat, thread, owner) => chat.append(thread, [say('x')], { owner, opId: 'op' })],
  ['append with an id', (chat, thread, owner) => chat.append(thread, [say('x', 'm1')], { owner })],
  ['messages', (chat, thread, owner) => chat.messages(thread, { owner })],
  ['messages, the last', (chat, thread, owner) => chat.messages(thread, { owner, last: 1 })],
  ['removeMessages', (chat, thread, owner) => chat.removeMessages(thread, ['m1'], { owner })],
  ['clear', (chat, thread, owner) => chat.clear(thread, { owner })],
]

/** What two owners do who begin one thread at the same time; `bob` is slower. */
async function race({ store, name }: ModelContext, begin: (chat: ChatMemory<Message>, owner: string) => unknown) {
  const [ada, bob, thread] = [name('ada'), name('bob'), name('t')]
  const chat = chatMemory(store)
  const slow = overtaken(store, isHeadOf(thread), async () => begin(chat, ada))
  const bobs = chatMemory(slow, { clock: testClock(MINUTE_MS) })
  await expectError(Promise.resolve(begin(bobs, bob)), 'wrong_owner', 'who came second')
  const check = async (when: string) => {
    expectEqual(said(await chat.messages(thread, { owner: ada })), [`by ${ada}`], `the thread ${when}`)
    expectEqual((await chat.threads({ owner: bob })).items, [], `the list of who came second ${when}`)
    expectEqual((await chat.threads({ owner: ada })).items.length, 1, `the list of who came first ${when}`)
  }
  await check('after the race')
  // The loser's transport sends what it had sent before once more.
  await expectError(Promise.resolve(begin(bobs, bob)), 'wrong_owner', 'who tries again')
  await check('after another attempt')
  await chat.clear(thread)
  await chat.append(thread, [say('new')], { owner: bob })
  expectEqual(said(await chat.messages(thread)), ['new'], 'the next life of the thread')
}

/** How two owners may begin one thread. */
const beginnings: readonly (readonly [
  string,
  (chat: ChatMemory<Message>, owner: string, thread: string) => unknown,
])[] = [
  ['', (chat, owner, thread) => chat.append(thread, [say(`by ${owner}`)], { owner })],
  [', with one opId', (chat, owner, thread) => chat.append(thread, [say(`by ${owner}`)], { owner, opId: 'op' })],
  [', with one message id', (chat, owner, thread) => chat.append(thread, [say(`by ${owner}`, 'm')], { owner })],
]

export const chatOwnerCases: MemoryModelCase[] = modelCasesOf('chat: owners', [
  ...calls.map(([method, call]): ModelCaseEntry => [
    `another owner is refused: ${method}`,
    async ({ store, name, rows }) => {
      const chat = chatMemory(store)
      await chat.append(name('t'), [say('hers', 'm1')], { owner: name('ada') })
      const before = await rows()
      await expectError(Promise.resolve(call(chat, name('t'), name('bob'))), 'wrong_owner', method)
      expectSame(await rows(), before, 'rows')
    },
  ]),
  ...calls.map(([method, call]): ModelCaseEntry => [
    `an empty owner is refused, also where there is no thread: ${method}`,
    async ({ store, name, rows }) => {
      const chat = chatMemory(store)
      await expectError(Promise.resolve(call(chat, name('t'), '')), 'invalid_key', method)
      expectEqual(await rows(), [], 'rows')
    },
  ]),
  ...calls.map(([method, call]): ModelCaseEntry => [
    `a thread that began without an owner is nobody's to claim: ${method}`,
    async ({ store, name, rows }) => {
      const chat = chatMemory(store)
      await chat.append(name('t'), [say('anybody', 'm1')])
      const before = await rows()
      await expectError(Promise.resolve(call(chat, name('t'), name('bob'))), 'wrong_owner', method)
      expectSame(await rows(), before, 'rows')
    },
  ]),
  [
    'whoever does not say who they are may read and write',
    async ({ store, name }) => {
      const chat = chatMemory(store)
      await chat.append(name('t'), [say('a')], { owner: name('ada') })
      await chat.append(name('t'), [say('b')])
      expectEqual(said(await chat.messages(name('t'))), ['a', 'b'], 'the thread')
      const [thread] = (await chat.threads({ owner: name('ada') })).items
      expectEqual(thread!.owner, name('ada'), 'its owner')
    },
  ],
  ...beginnings.map(([how, append]): ModelCaseEntry => [
    `two owners begin a thread at once${how}: one has it, nothing of the other ever shows`,
    (context) => race(context, (chat, owner) => append(chat, owner, context.name('t'))),
  ]),
  [
    'two owners begin a thread at once with the very same call: the first append stays',
    async ({ store, name }) => {
      const [ada, bob, thread] = [name('ada'), name('bob'), name('t')]
      const begin = (chat: ChatMemory<Message>, owner: string) => chat.append(thread, [say('hi', 'm1')], { owner })
      const slow = overtaken(store, isHeadOf(thread), () => begin(chatMemory(store), ada))
      await expectError(begin(chatMemory(slow), bob), 'wrong_owner', 'who came second')
      expectEqual(said(await chatMemory(store).messages(thread, { owner: ada })), ['hi'], 'the thread')
    },
  ],
  [
    'rounds of 8 owners who begin one thread at once: one has it, 7 are refused',
    async ({ store, name }) => {
      for (let round = 0; round < 8; round++) {
        const thread = name(`t${round}`)
        const owners = Array.from({ length: 8 }, (_, i) => name(`owner ${i}`))
        const outcomes = await Promise.allSettled(
          owners.map((owner, i) =>
            chatMemory(store, { clock: testClock((i % 3) * MINUTE_MS) }).append(thread, [say(owner, 'm1')], {
              owner,
              opId: 'op',
            }),
          ),
        )
        const won = owners.filter((_, i) => outcomes[i]!.status === 'fulfilled')
        expectEqual(won.length, 1, 'how many have the thread')
        for (const outcome of outcomes) {
          if (outcome.status === 'rejected' && !KeepsakeError.isInstance(outcome.reason, 'wrong_owner'))
            throw outcome.reason
        }
        expectEqual(said(await chatMemory(store).messages(thread, { owner: won[0]! })), won, 'the thread')
        for (const owner of owners) {
          const { items } = await chatMemory(store).threads({ owner })
          expectEqual(
            items.some(({ id }) => id === thread),
            owner === won[0],
            `whether ${owner} lists it`,
          )
        }
      }
    },
  ],
  [
    '8 appends of one owner who begin one thread at once are all there',
    async ({ store, name }) => {
      const texts = Array.from({ length: 8 }, (_, i) => String(i))
      await together(
        texts.map((text, i) =>
          chatMemory(store, { clock: testClock((i % 3) * MINUTE_MS) }).append(name('t'), [say(text)], {
            owner: name(),
          }),
        ),
      )
      expectEqual((said(await chatMemory(store).messages(name('t'))) as string[]).toSorted(), texts, 'the thread')
      expectEqual((await chatMemory(store).threads({ owner: name() })).items.length, 1, 'the list')
      // Nothing is left of those who came second but what they appended.
      const listed = await store.scan(ownerEntity(name()), { prefix: 't\u0001', limit: 20 })
      expectEqual(listed.length, 1, 'rows of the list')
    },
  ],
  [
    'two processes whose clocks give one version begin a thread of one owner: it is listed, and both appends are there',
    async ({ store, name }) => {
      const nowMs = systemClock().nowMs()
      const chatOn = (on: RowStore) => chatMemory(on, { clock: createClock({ nowMs: () => nowMs }) })
      const append = (chat: ChatMemory<Message>, text: string) => chat.append(name('t'), [say(text)], { owner: name() })
      await append(chatOn(overtaken(store, isHeadOf(name('t')), () => append(chatOn(store), 'first'))), 'second')
      expectEqual(said(await chatMemory(store).messages(name('t'))), ['first', 'second'], 'the thread')
      expectEqual(
        (await chatMemory(store).threads({ owner: name() })).items.map(({ id }) => id),
        [name('t')],
        'the list',
      )
    },
  ],
  [
    'two processes whose clocks give one version begin a thread of two owners: one lists it',
    async ({ store, name }) => {
      const nowMs = systemClock().nowMs()
      const [ada, bob] = [name('ada'), name('bob')]
      const chatOn = (on: RowStore) => chatMemory(on, { clock: createClock({ nowMs: () => nowMs }) })
      const append = (chat: ChatMemory<Message>, owner: string) => chat.append(name('t'), [say(owner)], { owner })
      const slow = overtaken(store, isHeadOf(name('t')), () => append(chatOn(store), ada))
      await expectError(append(chatOn(slow), bob), 'wrong_owner', 'who came second')
      expectEqual((await store.scan(ownerEntity(ada), { limit: 5 })).length, 1, "rows of the first owner's list")
      expectEqual(await store.scan(ownerEntity(bob), { limit: 5 }), [], "rows of the second owner's list")
    },
  ],
  [
    'an append that was overtaken by another of its owner comes after it',
    async ({ store, name }) => {
      const append = (chat: ChatMemory<Message>, text: string) => chat.append(name('t'), [say(text)], { owner: name() })
      const slow = overtaken(store, isHeadOf(name('t')), () => append(chatMemory(store), 'first'))
      await append(chatMemory(slow, { clock: testClock(-MINUTE_MS) }), 'second')
      expectEqual(said(await chatMemory(store).messages(name('t'))), ['first', 'second'], 'the thread')
    },
  ],
  [
    'a turn that is on its way when another owner asks for the thread stays unseen to them',
    async ({ store, name }) => {
      const [ada, bob, thread] = [name('ada'), name('bob'), name('t')]
      const slow = overtaken(store, isTurnOf(thread), async () => {
        expectEqual(await chatMemory(store).messages(thread, { owner: bob }), [], 'what they see meanwhile')
      })
      await chatMemory(slow).append(thread, [say('hers')], { owner: ada })
      expectEqual(said(await chatMemory(store).messages(thread, { owner: ada })), ['hers'], 'the thread')
      await expectError(chatMemory(store).messages(thread, { owner: bob }), 'wrong_owner', 'who asks afterwards')
    },
  ],
  ...distinctPairs.map(([a, b]): ModelCaseEntry => [
    `owners and threads ${shown(a)} and ${shown(b)} are different`,
    async ({ store, name }) => {
      const chat = chatMemory(store)
      for (const suffix of [a, b]) {
        await chat.append(name(`t ${suffix}`), [say(`of ${suffix}`)], { owner: name(`o ${suffix}`) })
      }
      for (const suffix of [a, b]) {
        expectEqual(said(await chat.messages(name(`t ${suffix}`))), [`of ${suffix}`], 'the thread')
        const { items } = await chat.threads({ owner: name(`o ${suffix}`) })
        expectEqual(
          items.map(({ id }) => id),
          [name(`t ${suffix}`)],
          'the list',
        )
      }
    },
  ]),
  ...['%', '_', '*', '?', '\\', '.*', '\u0001'].map((wildcard): ModelCaseEntry => [
    `an owner ${shown(wildcard)} is one owner`,
    async ({ store, name }) => {
      const chat = chatMemory(store)
      await chat.append(name('t1'), [say('1')], { owner: name('x') })
      expectEqual((await chat.threads({ owner: name(wildcard) })).items, [], 'the list before')
      await chat.append(name('t2'), [say('2')], { owner: name(wildcard) })
      expectEqual(
        (await chat.threads({ owner: name(wildcard) })).items.map(({ id }) => id),
        [name('t2')],
        'the list',
      )
    },
  ]),
])
