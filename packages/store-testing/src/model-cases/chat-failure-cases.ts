import { chatMemory, KeepsakeError, ownerEntity, type RowStore } from '@keepsake/core'
import { expectEqual, expectError } from '../expect.ts'
import { isTurnOf, isTurnWithMessages, said, say } from './chats.ts'
import { modelCasesOf, type MemoryModelCase } from './model-case.ts'
import { intercepted, overtaken } from './watched-store.ts'

/** A store that never gets the turns of this thread, but marks in their places, which go by themselves. */
function losingTurns(store: RowStore, threadId: string): RowStore {
  return intercepted(store, async (rows, send) => {
    if (!isTurnOf(threadId)(rows) || rows.some(({ expiresAtMs }) => expiresAtMs !== undefined)) return send()
    throw new KeepsakeError('unavailable', 'The network is down.')
  })
}

export const chatFailureCases: MemoryModelCase[] = modelCasesOf('chat: appends that fail', [
  [
    'a message id of an append that failed is free for another call',
    async ({ store, name }) => {
      const chat = chatMemory(store)
      await chat.append(name(), [say('before')])
      const failing = chatMemory(losingTurns(store, name()))
      await expectError(failing.append(name(), [say('1', 'u1')], { opId: 'run 1' }), 'unavailable', 'the first run')
      await chat.append(name(), [say('2', 'u1')], { opId: 'run 2' })
      expectEqual(said(await chat.messages(name())), ['before', '2'], 'the thread')
      await expectError(chat.append(name(), [say('1', 'u1')], { opId: 'run 1' }), 'conflict', 'the first run again')
      expectEqual(said(await chat.append(name(), [say('2', 'u1')], { opId: 'run 2' })), ['2'], 'the second run again')
      expectEqual(said((await chat.appended(name(), 'run 2')) ?? []), ['2'], 'what the second run stored')
      expectEqual(await chat.appended(name(), 'run 1'), undefined, 'what the first run stored')
    },
  ],
  [
    'an append that had only seemed to fail does not land after another took its id',
    async ({ store, name }) => {
      const chat = chatMemory(store)
      await chat.append(name(), [say('before')])
      const slow = overtaken(store, isTurnOf(name()), () => chat.append(name(), [say('2', 'u1')], { opId: 'run 2' }))
      await expectError(
        chatMemory(slow).append(name(), [say('1', 'u1')], { opId: 'run 1' }),
        'conflict',
        'the slow one',
      )
      expectEqual(said(await chat.messages(name())), ['before', '2'], 'the thread')
    },
  ],
  [
    'an append that failed takes its id back from another that took it and failed as well',
    async ({ store, name }) => {
      const chat = chatMemory(store)
      await chat.append(name(), [say('before')])
      const failing = chatMemory(losingTurns(store, name()))
      for (const opId of ['1', '2']) {
        await expectError(failing.append(name(), [say(opId, 'u')], { opId }), 'unavailable', `attempt ${opId}`)
      }
      await chat.append(name(), [say('1', 'u')], { opId: '1' })
      await expectError(chat.append(name(), [say('2', 'u')], { opId: '2' }), 'conflict', 'the other again')
      expectEqual(said(await chat.messages(name())), ['before', '1'], 'the thread')
    },
  ],
  [
    "a thread whose first append failed is nobody's yet",
    async ({ store, name }) => {
      const [ada, bob] = [name('ada'), name('bob')]
      const failing = chatMemory(losingTurns(store, name('t')))
      await expectError(failing.append(name('t'), [say('hers')], { owner: ada }), 'unavailable', 'the first append')
      const chat = chatMemory(store)
      expectEqual(await chat.messages(name('t'), { owner: bob }), [], 'what another owner reads')
      await chat.clear(name('t'), { owner: bob })
      await chat.append(name('t'), [say('his')], { owner: bob })
      expectEqual(said(await chat.messages(name('t'), { owner: bob })), ['his'], 'the thread')
      await expectError(chat.append(name('t'), [say('hers')], { owner: ada }), 'wrong_owner', 'the first owner again')
      expectEqual(await store.scan(ownerEntity(ada), { limit: 5 }), [], "rows of the first owner's list")
      expectEqual((await chat.threads({ owner: bob })).items.length, 1, "the second owner's list")
    },
  ],
  [
    "a first append that is slow does not land in a thread that became another owner's, and is told so",
    async ({ store, name }) => {
      const [ada, bob] = [name('ada'), name('bob')]
      const chat = chatMemory(store)
      const slow = overtaken(store, isTurnOf(name('t')), () => chat.append(name('t'), [say('his')], { owner: bob }))
      const late = chatMemory(slow).append(name('t'), [say('hers')], { owner: ada })
      await expectError(late, 'wrong_owner', 'the slow one')
      expectEqual(said(await chat.messages(name('t'))), ['his'], 'the thread')
      expectEqual(await store.scan(ownerEntity(ada), { limit: 5 }), [], "rows of the first owner's list")
    },
  ],
  [
    'first appends that were overtaken by one that was overtaken too are all there',
    async ({ store, name }) => {
      const append = (on: RowStore, text: string) => chatMemory(on).append(name(), [say(text)])
      // Each has begun the thread and is about to write its turn when the next one takes the thread over.
      const behind = (next: () => Promise<unknown>) => overtaken(store, isTurnWithMessages(name()), next)
      const second = () =>
        append(
          behind(() => append(store, 'third')),
          'second',
        )
      await append(behind(second), 'first')
      expectEqual(said(await chatMemory(store).messages(name())), ['third', 'second', 'first'], 'the thread')
    },
  ],
  [
    'a first append that is slow comes after one of the same owner that was faster: both are there',
    async ({ store, name }) => {
      const append = (on: RowStore, text: string) => chatMemory(on).append(name('t'), [say(text)], { owner: name() })
      await append(
        overtaken(store, isTurnOf(name('t')), () => append(store, 'fast')),
        'slow',
      )
      expectEqual(said(await chatMemory(store).messages(name('t'))), ['fast', 'slow'], 'the thread')
      expectEqual((await chatMemory(store).threads({ owner: name() })).items.length, 1, 'the list')
    },
  ],
])
