import type { Message } from '@keepsake/core'
import { expectEqual } from '../expect.ts'
import { expectMessages, sameValue } from './expect-messages.ts'
import { historyCasesOf, type HistoryCase, type HistoryContext } from './history-case.ts'
import { asked, orphansIn, turnWithTools } from './messages.ts'

/** Enough to be longer than the usual windows. */
const TURNS = 40

export const prepareCases: HistoryCase[] = historyCasesOf('prepare', [
  [
    'prepare changes neither the list nor the messages that it is given',
    async (context) => {
      const messages = await longThread(context)
      const before = structuredClone(messages)
      await context.history.prepare(deepFreeze(messages), { threadId: context.thread() })
      expectMessages(messages, before, 'what was given')
    },
  ],
  [
    'prepare changes nothing that is stored',
    async (context) => {
      const { history, thread } = context
      const before = await longThread(context)
      await history.prepare(await history.load(thread()), { threadId: thread() })
      expectMessages(await history.load(thread()), before, 'what is stored')
    },
  ],
  [
    'prepare parts no call from its results, however long the thread is',
    async (context) => {
      const messages = await longThread(context)
      for (let length = 1; length <= messages.length; length++) {
        const given = messages.slice(0, length)
        if (orphansIn(given).length > 0) continue
        const prepared = await context.history.prepare(given, { threadId: context.thread() })
        expectEqual(orphansIn(prepared), [], `orphans of ${length} messages`)
      }
    },
  ],
  [
    'prepare keeps the newest message, stored or not',
    async (context) => {
      const { history, thread } = context
      const stored = await longThread(context)
      for (const newest of [stored.at(-1)!, asked('not stored yet')]) {
        const given = newest === stored.at(-1) ? stored : [...stored, newest]
        const prepared = await history.prepare(given, { threadId: thread() })
        const kept = prepared.some((message) => sameValue(message.content, newest.content))
        expectEqual(kept, true, `whether ${JSON.stringify(newest.content)} is kept`)
      }
    },
  ],
])

/** Appends turns with tools and returns them as loaded. */
async function longThread({ history, thread }: HistoryContext): Promise<Message[]> {
  for (let turn = 0; turn < TURNS; turn++) await history.append(thread(), turnWithTools(turn))
  return history.load(thread())
}

function deepFreeze<T>(value: T): T {
  // Bytes cannot be frozen.
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value
  Object.values(Object.freeze(value)).forEach(deepFreeze)
  return value
}
