import { randomUUID } from 'node:crypto'
import { status } from '@grpc/grpc-js'
import { failure } from './protocol.ts'

/** Gives what a read found, as a text that is another one when that has changed. */
type Look = () => string

/** Transactions without locks: what one has read is looked at again when it commits. */
export interface Transactions {
  begin(): Buffer
  /** Remembers a read. Without an id it is not part of a transaction. */
  remember(id: Buffer | undefined, look: Look): void
  /** Ends one. Throws ABORTED if something that it read has changed. */
  finish(id: Buffer): void
  forget(id: Buffer): void
}

export function transactions(): Transactions {
  const open = new Map<string, { look: Look; seen: string }[]>()

  function readsOf(id: Buffer): { look: Look; seen: string }[] {
    const reads = open.get(id.toString())
    if (reads === undefined) throw failure(status.INVALID_ARGUMENT, 'This transaction is unknown, or has ended.')
    return reads
  }

  return {
    begin() {
      const id = randomUUID()
      open.set(id, [])
      return Buffer.from(id)
    },

    remember(id, look) {
      if (id !== undefined) readsOf(id).push({ look, seen: look() })
    },

    finish(id) {
      const reads = readsOf(id)
      open.delete(id.toString())
      if (reads.every(({ look, seen }) => look() === seen)) return
      throw failure(status.ABORTED, 'What this transaction has read was changed meanwhile.')
    },

    forget: (id) => void open.delete(id.toString()),
  }
}
