import type { Key } from '@keepsake/core'
import { checkNames, refuse } from '../../options/refuse.ts'

/** What happens to working memory whose time is over: made by `flushToLongterm`. */
export interface OnExpire {
  readonly name: string
}

export interface FlushToLongterm extends OnExpire {
  readonly name: 'flush_to_longterm'
  readonly key: Key
  readonly timeoutMs: number
}

/**
 * Before working memory is wiped it is written into the entity's long-term records, whole, under `key`
 * (`['working_memory']`): `{ entries: [{ key, value }] }`. Nothing is wiped before that has succeeded, however often it
 * has to be tried; one try takes at most `timeoutMs` (30,000). Empty memory is not written.
 */
export function flushToLongterm(options: { key?: Key; timeoutMs?: number } = {}): OnExpire {
  checkNames('flushToLongterm', options, ['key', 'timeoutMs'])
  const { key = ['working_memory'], timeoutMs = 30_000 } = options
  if (!Array.isArray(key) || key.length === 0 || !key.every((part) => typeof part === 'string'))
    throw refuse('key', "a key, such as ['working_memory']", key)
  if (!Number.isSafeInteger(timeoutMs) || timeoutMs < 1) throw refuse('timeoutMs', 'a whole number from 1', timeoutMs)
  const flush: FlushToLongterm = { name: 'flush_to_longterm', key: [...key], timeoutMs }
  return flush
}
