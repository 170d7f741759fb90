import { describe, expect, it } from 'vitest'
import { inMemoryStore } from '../src/rows/in-memory-store.ts'
import { encodeTuple } from '../src/rows/keys.ts'
import {
  createMark,
  findMark,
  MIGRATION_ENTITY,
  migrationMark,
  type MigrationMark,
} from '../src/migration/migration-mark.ts'
import { NOW_MS, testClock } from './migration-stores.ts'

const MARK: MigrationMark = { source: 'abc', startedAtMs: NOW_MS, rows: 5, pass: 1, done: 0 }

describe('the mark', () => {
  it('is one row of an entity of its own', async () => {
    const store = inMemoryStore()
    expect(await migrationMark(store)).toBeUndefined()
    await createMark(store, testClock(), MARK)
    expect(MIGRATION_ENTITY).toBe(encodeTuple(['keepsake', 'migration']))
    expect(await store.entities({ limit: 9 })).toEqual([MIGRATION_ENTITY])
    expect((await store.scan(MIGRATION_ENTITY, { limit: 9 })).map(({ key }) => key)).toEqual([encodeTuple(['mark'])])
    expect(await migrationMark(store)).toEqual(MARK)
  })

  it('keeps any place, and is gone when it is removed', async () => {
    const store = inMemoryStore()
    const keeper = await createMark(store, testClock(), MARK)
    const next = { ...MARK, pass: 2, done: 3, after: { entity: encodeTuple(['\u{1f600}', '']), key: '__proto__' } }
    await keeper.save(next)
    expect([await migrationMark(store), keeper.mark]).toEqual([next, next])
    await keeper.save(MARK)
    expect(await migrationMark(store)).toEqual(MARK)
    await keeper.remove()
    expect(await store.entities({ limit: 9 })).toEqual([])
  })

  it('is made by one of two processes that begin at once, even in the same moment with the same clock', async () => {
    const store = inMemoryStore()
    await createMark(store, testClock(), MARK)
    const other = { ...testClock(), newId: () => 'other' }
    await expect(createMark(store, other, MARK)).rejects.toMatchObject({ code: 'conflict' })
  })

  it('goes over to who takes it, and the former keeper notices', async () => {
    const store = inMemoryStore()
    const first = await createMark(store, testClock(), MARK)
    const second = (await findMark(store, testClock()))!
    expect(second.mark).toEqual(MARK)
    await second.save({ ...MARK, done: 2 })
    await expect(first.save({ ...MARK, done: 1 })).rejects.toMatchObject({ code: 'conflict' })
    // Nor does the former one take the mark of the other away.
    await first.remove()
    expect(await migrationMark(store)).toEqual({ ...MARK, done: 2 })
  })

  it('is not there to be found in a store without one', async () => {
    expect(await findMark(inMemoryStore(), testClock())).toBeUndefined()
  })

  it('that cannot be read is an error, so no store is taken for unmarked', async () => {
    const store = inMemoryStore()
    await store.write([
      { entity: MIGRATION_ENTITY, key: encodeTuple(['mark']), seq: 1, rec: Uint8Array.of(255), updatedAtMs: 1 },
    ])
    await expect(migrationMark(store)).rejects.toMatchObject({ code: 'invalid_value' })
  })
})
