import type { RowStore, RowWrite } from '@keepsake/core'
import { encrypted, type SubjectKeys } from '@keepsake/privacy/encryption'
import { sealingKey } from '../../../privacy/src/encryption/gcm-siv.ts'
import { openRecord, rowPlace } from '../../../privacy/src/encryption/sealed-record.ts'

/** Encryption of a run: one key for everybody, so that whoever checks can read what was sent at once. */
export interface Cipher {
  over(store: RowStore): RowStore
  /** A row as it was before it was encrypted. */
  opened(write: RowWrite): RowWrite
}

export function testCipher(): Cipher {
  const key = sealingKey(new Uint8Array(32).fill(9))
  const keys: SubjectKeys = {
    current: async () => ({ id: { subject: new Uint8Array(16), generation: 1 }, key }),
    find: async () => key,
    rotate: async () => {},
    destroy: async () => 0,
    rewrap: async () => 0,
  }
  return {
    over: (store) => encrypted(store, { keys }),
    opened: (write) =>
      write.rec.length === 0 ? write : { ...write, rec: openRecord(write.rec, key, rowPlace(write)) },
  }
}
