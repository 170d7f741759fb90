import { KeepsakeError, throwIfAborted, type CallOptions } from '@keepsake/core'

/** The calls of a store over its life. */
export interface Calls {
  /** Throws `unavailable` once the store was closed, and `aborted` for a signal that has fired. */
  begin(options: CallOptions | undefined): void
  /** Keeps a call that waits for something, so that `close` can wait for it. */
  underWay<T>(call: Promise<T>): Promise<T>
  /** Lets no call begin any more, waits for those that have begun and then does `shut`. Once, however often it is called. */
  close(shut: () => Promise<void>): Promise<void>
}

/** `where` names the database in messages. */
export function createCalls(where: string): Calls {
  const waiting = new Set<Promise<unknown>>()
  let closing: Promise<void> | undefined

  return {
    begin(options) {
      if (closing !== undefined) {
        throw new KeepsakeError('unavailable', `The store on ${where} was closed; open a new one.`)
      }
      throwIfAborted(options?.signal)
    },

    underWay(call) {
      waiting.add(call)
      return call.finally(() => waiting.delete(call))
    },

    close(shut) {
      closing ??= Promise.allSettled(waiting).then(shut)
      return closing
    },
  }
}
