import type { JSONValue } from '@ai-sdk/provider'
import { records, type Records, type RowStore } from '@keepsake/core'

/**
 * The state of a thread: records of an owner of their own, so that code can fill it before a run, and nobody reads it who
 * does not name the thread. Files in it are those of `stateFiles`.
 */
export function threadState(store: RowStore, threadId: string): Records<JSONValue> {
  return records(store, ['threads', threadId])
}

/** Removes the files of a thread that is deleted. What else is kept under its name is not the agent's. */
export async function forgetStateFiles(store: RowStore, threadId: string): Promise<void> {
  await threadState(store, threadId).deleteAll(['files'])
}
