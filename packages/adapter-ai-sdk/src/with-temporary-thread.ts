import { systemClock } from '@keepsake/core'
import type { History } from '@keepsake/strategies'
import { checkHistory } from './check-history.ts'

/**
 * Runs `run` with a thread of its own and clears it when `run` has ended, also by an error. For a conversation that only
 * has to last for some calls: trying something out, or a task within a task.
 *
 * What `run` throws is thrown on, whatever becomes of the clearing; where only that fails, its error is thrown. Await
 * streams within `run`: one that is read afterwards begins the thread anew.
 *
 * ```ts
 * const answer = await withTemporaryThread(history, async (threadId) => {
 *   const providerOptions = withHistory(threadId)
 *   await generateText({ model, prompt: 'Think of a number.', providerOptions })
 *   return (await generateText({ model, prompt: 'Double it.', providerOptions })).text
 * })
 * ```
 */
export async function withTemporaryThread<T>(history: History, run: (threadId: string) => Promise<T>): Promise<T> {
  checkHistory('withTemporaryThread', history)
  const threadId = `temporary-${systemClock().newId()}`
  const clear = async (): Promise<void> => history.clear(threadId)
  let result: T
  try {
    result = await run(threadId)
  } catch (error) {
    // What went wrong first is what the caller must hear of.
    await clear().catch(() => {})
    throw error
  }
  await clear()
  return result
}
