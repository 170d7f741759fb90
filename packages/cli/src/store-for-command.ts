import { parseStoreUri, type RowStore } from '@keepsake/core'
import { openExistingStore } from '@keepsake/open'
import { asUsage, usageError } from './cli-error.ts'
import { interruptibleStore } from './interruptible-store.ts'

/** Opens a store to look at it, creating nothing. An address that cannot be read, or that nothing opens, is a usage error. */
export async function storeForCommand(uri: string, signal: AbortSignal): Promise<RowStore> {
  const { kind } = asUsage(() => parseStoreUri(uri))
  try {
    return interruptibleStore(await openExistingStore(uri), signal)
  } catch (error) {
    throw kind === 'other' ? usageError((error as Error).message) : error
  }
}
