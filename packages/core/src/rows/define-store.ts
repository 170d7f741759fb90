import { KeepsakeError, throwIfAborted } from '../errors.ts'
import { unlessAborted } from '../unless-aborted.ts'
import { checkEntity, checkRange, checkRowIds, checkRowWrites } from './row-checks.ts'
import type { CallOptions, RowStore } from './row-store.ts'

type Methods = 'load' | 'scan' | 'entities' | 'write' | 'remove' | 'removeEntity' | 'provision' | 'verify' | 'close'

/** A method that may also return, or throw, at once. */
type Prompt<M> = M extends (...args: infer A) => Promise<infer R> ? (...args: A) => R | Promise<R> : never

/** What a store does by itself: the work, for arguments that are right. */
export type StoreParts = Pick<RowStore, 'name' | 'limits'> & { [M in Methods]: Prompt<RowStore[M]> }

/**
 * Makes a store of what is a backend's own, and adds what the contract asks of all:
 *
 * - Arguments are checked before anything else, whole calls at once: see {@link RowStore}.
 * - A call after `close` rejects with `unavailable`, one whose signal has fired with `aborted`. Where the signal fires under
 *   way the caller is let go at once; what was sent goes on.
 * - `close` is done once, after the calls that have begun.
 *
 * The parts copy what they keep or need after their first wait, for the caller may change it meanwhile. Costs less than a
 * microsecond a call.
 */
export function defineStore(parts: StoreParts): RowStore {
  const { name, limits } = parts
  const underWay = new Set<Promise<unknown>>()
  let closing: Promise<void> | undefined

  function call<T>(options: CallOptions | undefined, work: () => T | Promise<T>): T | Promise<T> {
    if (closing !== undefined) throw new KeepsakeError('unavailable', `This ${name} store was closed; open a new one.`)
    throwIfAborted(options?.signal)
    const outcome = work()
    if (!(outcome instanceof Promise)) return outcome
    const ended = () => underWay.delete(outcome)
    underWay.add(outcome)
    outcome.then(ended, ended)
    return unlessAborted(outcome, options?.signal)
  }

  async function shut(): Promise<void> {
    await Promise.allSettled(underWay)
    await parts.close()
  }

  const close = (): Promise<void> => (closing ??= shut())

  // A method that throws rejects: that is what `async` is for here.
  return {
    name,
    limits,
    async load(ids, options) {
      checkRowIds(ids)
      return call(options, () => parts.load(ids, options))
    },
    async scan(entity, range, options) {
      checkEntity(entity)
      checkRange(range)
      return call(options, () => parts.scan(entity, range, options))
    },
    async entities(range, options) {
      checkRange(range)
      return call(options, () => parts.entities(range, options))
    },
    async write(rows, options) {
      checkRowWrites(rows, limits)
      return call(options, () => parts.write(rows, options))
    },
    async remove(ids, options) {
      checkRowIds(ids)
      return call(options, () => parts.remove(ids, options))
    },
    async removeEntity(entity, options) {
      checkEntity(entity)
      return call(options, () => parts.removeEntity(entity, options))
    },
    provision: async (options) => call(options, () => parts.provision(options)),
    verify: async (options) => call(options, () => parts.verify(options)),
    close,
    [Symbol.asyncDispose]: close,
  }
}
