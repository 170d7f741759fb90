import { expectEqual, expectError } from '../expect.ts'
import { historyCasesOf, type HistoryCase } from './history-case.ts'
import { answered, asked, textsOf } from './messages.ts'

export const ownerCases: HistoryCase[] = historyCasesOf('owners', [
  [
    "a thread's owner may go on with it",
    async ({ history, thread }) => {
      const id = thread()
      await history.append(id, [asked('a')], { owner: 'ada' })
      await history.append(id, [answered('b')], { owner: 'ada' })
      expectEqual(textsOf(await history.load(id, { owner: 'ada' })), ['a', 'b'], 'texts')
    },
  ],
  [
    'an append by another owner is refused and stores nothing',
    async ({ history, thread }) => {
      const id = thread()
      await history.append(id, [asked('a')], { owner: 'ada' })
      for (const owner of ['bob', 'Ada', 'ada ', 'ad', 'adaa', '%']) {
        await expectError(history.append(id, [asked('b')], { owner }), 'wrong_owner', `append by ${owner}`)
      }
      expectEqual(textsOf(await history.load(id, { owner: 'ada' })), ['a'], 'texts')
    },
  ],
  [
    'a load by another owner is refused',
    async ({ history, thread }) => {
      const id = thread()
      await history.append(id, [asked('a')], { owner: 'ada' })
      for (const owner of ['bob', 'Ada', 'ada ', 'ad', 'adaa', '%']) {
        await expectError(history.load(id, { owner }), 'wrong_owner', `load by ${owner}`)
      }
    },
  ],
  [
    'a clear by another owner is refused and removes nothing',
    async ({ history, thread }) => {
      const id = thread()
      await history.append(id, [asked('a')], { owner: 'ada' })
      await expectError(history.clear(id, { owner: 'bob' }), 'wrong_owner', 'clear by bob')
      expectEqual(textsOf(await history.load(id, { owner: 'ada' })), ['a'], 'texts')
      await history.clear(id, { owner: 'ada' })
      expectEqual(await history.load(id), [], 'messages after clear by ada')
    },
  ],
])
