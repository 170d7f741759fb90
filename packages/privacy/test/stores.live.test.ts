import type { RowStore } from '@keepsake/core'
import { testRowStore } from '@keepsake/store-testing'
import { openPlace, storesHere, type TestPlace } from '@keepsake/test-stores'
import { openStore } from '@keepsake/test-stores/open-store'
import { afterAll, beforeAll, describe } from 'vitest'
import { encrypted, keyring, subjectKeys } from '../src/encryption/index.ts'
import { redacted } from '../src/index.ts'

const STORES = ['sqlite', 'postgres', 'mysql', 'redis', 'redis-cluster', 'bigtable', 'firestore'] as const
const WRAPPING = keyring([['first', new Uint8Array(32).fill(7)]])

const shorter = 'a record that encryption adds 42 bytes to is at most 42 bytes short of 4 MiB'
const LESS_ROOM = {
  'every store takes records of 4 MiB': shorter,
  'a large record is replaced by a small one, and a small one by a large one': shorter,
}
const tooLarge = 'the emulator of Google takes no request over 4 MiB; Firestore does'
const FIRESTORES = {
  'a record one byte below the limit': tooLarge,
  'a record of exactly the limit': tooLarge,
  'three records of the limit in one call': tooLarge,
  'the own repeat of a record of the limit is recognised, and one that differs in its last byte is not': tooLarge,
}

describe.each(await storesHere(STORES))('%s', (name) => {
  let shared: TestPlace
  beforeAll(async () => {
    shared = await openPlace(name)
  })
  afterAll(() => shared[Symbol.asyncDispose]())

  const open = (): Promise<RowStore> => openStore(shared.place)
  /** With the keys in the same store. */
  const openEncrypted = async (): Promise<RowStore> => {
    const store = await open()
    return encrypted(store, { keys: subjectKeys({ store, wrapping: WRAPPING }) })
  }
  if (name === 'firestore') {
    // Its emulator takes five minutes each time.
    const skip = { ...LESS_ROOM, ...FIRESTORES }
    testRowStore('redacted and encrypted', async () => redacted(await openEncrypted()), { skip })
  } else {
    testRowStore('encrypted', openEncrypted, { skip: LESS_ROOM })
    testRowStore('redacted', async () => redacted(await open()))
  }
})
