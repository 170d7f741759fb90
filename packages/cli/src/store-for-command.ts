import { parseStoreUri, type RowStore } from '@keepsake/core'
import { openExistingStore, openStore } from '@keepsake/open'
import { asUsage, usageError } from './cli-error.ts'
import type { OpenOptions } from './context.ts'
import { interruptibleStore } from './interruptible-store.ts'

/** Opens a command's store. An address that cannot be read, or that nothing opens, is a usage error. */
export async function storeForCommand(uri: string, signal: AbortSignal, options: OpenOptions = {}): Promise<RowStore> {
  const { kind } = asUsage(() => parseStoreUri(uri))
  const open = options.create ? openStore : openExistingStore
  try {
    return interruptibleStore(await open(uri), signal)
  } catch (error) {
    throw kind === 'other' ? usageError((error as Error).message) : error
  }
}
