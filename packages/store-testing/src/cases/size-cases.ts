import { MAX_ENTITY_BYTES, MAX_KEY_BYTES, MAX_REC_BYTES, utf8Length, type RowWrite } from '@keepsake/core'
import { casesOf, type CaseContext, type CaseEntry, type RowStoreCase } from '../row-store-case.ts'
import { expectEqual, expectError, expectResults, expectRows } from '../expect.ts'
import { keysOf, numberedKeys, put, UPDATED_AT_MS } from './rows.ts'

/** Characters of one to four bytes of UTF-8, and what fills a name up to its limit. */
const characters = ['a', 'é', '€', '😀']

export const sizeCases: RowStoreCase[] = casesOf('sizes', [
  ...[1, 2, 255, 256, 4095, 4096, 65_535, 65_536, 1_048_576].map((bytes): CaseEntry => [
    `a record of ${bytes} bytes`,
    (c) => roundTrip(c, bytes),
  ]),
  ['a record one byte below the limit', (c) => roundTrip(c, c.store.limits.maxRecBytes - 1)],
  ['a record of exactly the limit', (c) => roundTrip(c, c.store.limits.maxRecBytes)],
  [
    'a record one byte over the limit is refused, with both sizes',
    async ({ store, entity }) => {
      const { maxRecBytes } = store.limits
      const error = await expectError(store.write([sized(entity(), 'k', maxRecBytes + 1)]), 'too_large', 'write')
      expectEqual(error.details['bytes'], maxRecBytes + 1, 'details.bytes')
      expectEqual(error.details['maxBytes'], maxRecBytes, 'details.maxBytes')
      expectRows(await store.scan(entity(), { limit: 9 }), [])
    },
  ],
  [
    'a record over the limit at the end of a batch is refused before anything is written',
    async ({ store, entity }) => {
      await store.write([put(entity(), 'a', 1, 'before')])
      const batch = [put(entity(), 'a', 2, 'after'), put(entity(), 'b', 1, 'b')]
      await expectError(
        store.write([...batch, sized(entity(), 'c', store.limits.maxRecBytes + 1)]),
        'too_large',
        'write of a batch',
      )
      expectRows(await store.scan(entity(), { limit: 9 }), [put(entity(), 'a', 1, 'before')])
    },
  ],
  [
    'a record over the limit after more rows than one request takes is refused before anything is written',
    async ({ store, entity }) => {
      const batch = numberedKeys(Math.min(store.limits.maxBatchRows, 2000)).map((key) => put(entity(), key, 1, key))
      await expectError(
        store.write([...batch, sized(entity(), 'x', store.limits.maxRecBytes + 1)]),
        'too_large',
        'write of a long batch',
      )
      expectRows(await store.scan(entity(), { limit: 9 }), [])
    },
  ],
  [
    'three records of the limit in one call',
    async ({ store, entity }) => {
      const batch = ['a', 'b', 'c'].map((key) => sized(entity(), key, store.limits.maxRecBytes))
      expectResults(await store.write(batch), ['applied', 'applied', 'applied'])
      expectRows(await store.scan(entity(), { limit: 9 }), batch, 'scan')
      expectRows(await store.load(batch), batch, 'load')
    },
  ],
  [
    'a large record is replaced by a small one, and a small one by a large one',
    async ({ store, entity }) => {
      const rows = [sized(entity(), 'k', MAX_REC_BYTES), put(entity(), 'k', 2, 's'), sized(entity(), 'k', 300_000, 3)]
      for (const row of rows) {
        expectResults(await store.write([row]), ['applied'])
        expectRows(await store.load([row]), [row])
      }
    },
  ],
  [
    'the own repeat of a record of the limit is recognised, and one that differs in its last byte is not',
    async ({ store, entity }) => {
      const mine = sized(entity(), 'k', store.limits.maxRecBytes)
      await store.write([mine])
      expectResults(await store.write([{ ...mine, guard: 'absent' }]), ['applied'])
      const other = new Uint8Array(mine.rec)
      other[other.length - 1]! ^= 1
      expectResults(await store.write([{ ...mine, rec: other, guard: 'absent' }]), [mine.seq])
    },
  ],
  [
    'every store takes records of 4 MiB',
    async ({ store }) => expectEqual(store.limits.maxRecBytes >= 4_194_304, true, 'maxRecBytes >= 4194304'),
  ],
  [
    'limits and name are usable values',
    async ({ store }) => {
      const { maxRecBytes, maxBatchRows, atomicBatch } = store.limits
      expectEqual(Number.isSafeInteger(maxRecBytes), true, 'maxRecBytes is a whole number')
      expectEqual(
        maxBatchRows >= 1 && (maxBatchRows === Infinity || Number.isSafeInteger(maxBatchRows)),
        true,
        'maxBatchRows',
      )
      expectEqual(typeof atomicBatch, 'boolean', 'the type of atomicBatch')
      expectEqual(typeof store.name === 'string' && store.name !== '', true, 'name is a text')
    },
  ],
  ...characters.flatMap((character): CaseEntry[] => [
    [`a key of 1024 bytes of ${utf8Length(character)}-byte characters`, (c) => keyOfBytes(c, character, MAX_KEY_BYTES)],
    [
      `a key of 1023 bytes of ${utf8Length(character)}-byte characters`,
      (c) => keyOfBytes(c, character, MAX_KEY_BYTES - 1),
    ],
    [`a key of 1025 bytes of ${utf8Length(character)}-byte characters is refused`, (c) => longKey(c, character)],
    [`an entity of 512 bytes of ${utf8Length(character)}-byte characters`, (c) => entityOfBytes(c, character)],
    [`an entity of 513 bytes of ${utf8Length(character)}-byte characters is refused`, (c) => longEntity(c, character)],
  ]),
  [
    'keys of the greatest length that differ in their last byte are two rows',
    async ({ store, entity }) => {
      const rows = ['a', 'b'].map((last) => put(entity(), 'k'.repeat(MAX_KEY_BYTES - 1) + last, 1, last))
      expectResults(await store.write(rows.map((row) => ({ ...row, guard: 'absent' }))), ['applied', 'applied'])
      expectRows(await store.scan(entity(), { limit: 9 }), rows)
      expectEqual(
        keysOf(await store.scan(entity(), { after: rows[0]!.key, limit: 9 })),
        [rows[1]!.key],
        'after the first',
      )
    },
  ],
  [
    'the greatest entity with the greatest key',
    async ({ store, entity }) => {
      const row = put(entity(fillUp('😀', MAX_ENTITY_BYTES - entity().length)), fillUp('😀', MAX_KEY_BYTES), 1, 'x')
      expectResults(await store.write([row]), ['applied'])
      expectRows(await store.load([row]), [row], 'load')
      expectRows(await store.scan(row.entity, { prefix: row.key, limit: 9 }), [row], 'scan')
      expectEqual(await store.remove([row]), 1, 'remove')
    },
  ],
  [
    'an empty key with an empty record',
    async ({ store, entity }) => {
      const row = put(entity(), '', 0, '')
      expectResults(await store.write([row]), ['applied'])
      expectRows(await store.load([row]), [row], 'load')
      expectRows(await store.scan(entity(), { limit: 9 }), [row], 'scan')
    },
  ],
])

async function roundTrip({ store, entity }: CaseContext, bytes: number): Promise<void> {
  const row = sized(entity(), 'k', bytes)
  expectResults(await store.write([row]), ['applied'])
  expectRows(await store.load([row]), [row], 'load')
  expectRows(await store.scan(entity(), { limit: 9 }), [row], 'scan')
}

async function keyOfBytes({ store, entity }: CaseContext, character: string, bytes: number): Promise<void> {
  const row = put(entity(), fillUp(character, bytes), 1, 'x')
  expectEqual(utf8Length(row.key), bytes, 'bytes of the key')
  expectResults(await store.write([row]), ['applied'])
  expectRows(await store.load([row]), [row], 'load')
  expectEqual(keysOf(await store.scan(entity(), { limit: 9 })), [row.key], 'keys')
}

async function longKey({ store, entity }: CaseContext, character: string): Promise<void> {
  const row = put(entity(), fillUp(character, MAX_KEY_BYTES + 1), 1, 'x')
  await expectError(store.write([row]), 'invalid_key', 'write')
  await expectError(store.load([row]), 'invalid_key', 'load')
  await expectError(store.remove([row]), 'invalid_key', 'remove')
  expectRows(await store.scan(entity(), { limit: 9 }), [])
}

async function entityOfBytes({ store, entity }: CaseContext, character: string): Promise<void> {
  const row = put(entity(fillUp(character, MAX_ENTITY_BYTES - entity().length)), 'k', 1, 'x')
  expectEqual(utf8Length(row.entity), MAX_ENTITY_BYTES, 'bytes of the entity')
  expectResults(await store.write([row]), ['applied'])
  expectRows(await store.scan(row.entity, { limit: 9 }), [row], 'scan')
  expectEqual(await store.entities({ prefix: entity(), limit: 9 }), [row.entity], 'entities')
  expectEqual(await store.removeEntity(row.entity), 1, 'removeEntity')
}

async function longEntity({ store, entity }: CaseContext, character: string): Promise<void> {
  // Written out by hand, because `entity()` would remember it for the clearing up, which is refused too.
  const long = entity() + fillUp(character, MAX_ENTITY_BYTES + 1 - entity().length)
  await expectError(store.write([put(long, 'k', 1, 'x')]), 'invalid_key', 'write')
  await expectError(store.scan(long, { limit: 1 }), 'invalid_key', 'scan')
  await expectError(store.removeEntity(long), 'invalid_key', 'removeEntity')
}

/** As many characters as fit, then `a` up to exactly `bytes`. */
function fillUp(character: string, bytes: number): string {
  const whole = character.repeat(Math.floor(bytes / utf8Length(character)))
  return whole + 'a'.repeat(bytes - utf8Length(whole))
}

function sized(entity: string, key: string, bytes: number, seq = 1): RowWrite {
  const rec = new Uint8Array(bytes)
  for (let i = 0; i < bytes; i++) rec[i] = i * 31 + (i >> 8)
  return { entity, key, seq, rec, updatedAtMs: UPDATED_AT_MS }
}
