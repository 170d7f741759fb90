import { setImmediate } from 'node:timers/promises'
import { throwIfAborted, type RowStore } from '@keepsake/core'

/**
 * The same store, whose reads end when `signal` fires. A store that answers at once (SQLite does) never leaves the
 * current turn of the event loop, and Ctrl-C is only seen between turns: so each read begins with a new one.
 */
export function interruptibleStore(store: RowStore, signal: AbortSignal): RowStore {
  async function newTurn(): Promise<void> {
    await setImmediate()
    throwIfAborted(signal)
  }
  return {
    ...store,
    async load(ids, options) {
      await newTurn()
      return await store.load(ids, { signal, ...options })
    },
    async scan(entity, range, options) {
      await newTurn()
      return await store.scan(entity, range, { signal, ...options })
    },
    async entities(range, options) {
      await newTurn()
      return await store.entities(range, { signal, ...options })
    },
  }
}
