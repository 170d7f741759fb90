import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { MAX_REC_BYTES, MAX_SEQ } from '@keepsake/core'
import { describe, expect, test } from 'vitest'
import { sqliteFile } from '../src/sqlite-client.ts'
import { sqliteStore } from '../src/sqlite-store.ts'
import { applied, bytes, row } from './rows.ts'
import { tempFolder } from './temp-folder.ts'

describe('what is stored', () => {
  test('comes back exactly: the largest seq, times, an empty record, bytes that are a part of a buffer', async () => {
    await using store = sqliteStore({ path: ':memory:' })
    const written = [
      row({ key: 'large', seq: MAX_SEQ, updatedAtMs: Number.MAX_SAFE_INTEGER, expiresAtMs: Number.MAX_SAFE_INTEGER }),
      row({ key: 'zero', seq: 0, updatedAtMs: 0, expiresAtMs: 0 }),
      row({ key: 'empty', rec: new Uint8Array(0) }),
      row({ key: 'part', rec: new Uint8Array([1, 2, 3, 4]).subarray(1, 3) }),
      row({ key: 'buffer', rec: Buffer.from('text') }),
    ]
    await store.write(written)
    const rows = await store.load(written)
    expect(rows).toEqual([
      { ...written[0] },
      { ...written[1] },
      { ...written[2], rec: new Uint8Array(0) },
      { ...written[3], rec: new Uint8Array([2, 3]) },
      { ...written[4], rec: bytes('text') },
    ])
    for (const loaded of rows) expect(loaded!.rec.constructor).toBe(Uint8Array)
    expect(Object.keys(rows[2]!)).toEqual(['entity', 'key', 'seq', 'rec', 'updatedAtMs'])
  })

  test('is of the types that other programs expect', async () => {
    const path = join(tempFolder(), 'app.db')
    await using store = sqliteStore({ path })
    await store.write([row({ seq: MAX_SEQ, expiresAtMs: 2 ** 40, rec: new Uint8Array(0) })])
    using other = new DatabaseSync(path)
    const types = other
      .prepare(
        'select typeof(entity_key) entity, typeof(seq) seq, typeof(rec) rec, typeof(updated_at_ms) updated, typeof(expires_at_ms) expires from keepsake_rows',
      )
      .get()
    expect({ ...types }).toEqual({
      entity: 'text',
      seq: 'integer',
      rec: 'blob',
      updated: 'integer',
      expires: 'integer',
    })
  })

  test('may be as large as the limit, and no larger', async () => {
    await using store = sqliteStore({ path: ':memory:' })
    await store.write([row({ rec: new Uint8Array(MAX_REC_BYTES).fill(7) })])
    expect((await store.load([row()]))[0]!.rec).toHaveLength(4_194_304)
    await expect(store.write([row({ key: 'larger', rec: new Uint8Array(MAX_REC_BYTES + 1) })])).rejects.toMatchObject({
      code: 'too_large',
    })
  })
})

describe('a batch', () => {
  test('decides rows one after the other, also those of one key', async () => {
    await using store = sqliteStore({ path: ':memory:' })
    expect(
      await store.write([
        row({ seq: 5 }),
        row({ seq: 4 }),
        row({ seq: 6, guard: { seq: 5 } }),
        row({ seq: 7, guard: { seq: 5 } }),
        row({ key: 'other', seq: 1, guard: 'absent' }),
        row({ key: 'other', seq: 2, guard: 'absent' }),
        row({ key: 'missing', seq: 2, guard: { seq: 1 } }),
      ]),
    ).toEqual([
      { status: 'applied' },
      { status: 'stale', seq: 5 },
      { status: 'applied' },
      { status: 'stale', seq: 6 },
      { status: 'applied' },
      { status: 'stale', seq: 1 },
      { status: 'stale', seq: -1 },
    ])
  })

  test('lands whole or not at all', async () => {
    const path = join(tempFolder(), 'app.db')
    await using store = sqliteStore({ path })
    await store.provision()
    using other = new DatabaseSync(path)
    other.exec(
      `create trigger refuse before insert on keepsake_rows when new.key = 'third' begin select raise(abort, 'refused'); end`,
    )
    const batch = ['first', 'second', 'third'].map((key) => row({ key }))
    await expect(store.write(batch)).rejects.toMatchObject({ code: 'unavailable' })
    expect(await store.load(batch)).toEqual([undefined, undefined, undefined])
    other.exec('drop trigger refuse')
    expect(await store.write(batch)).toEqual(Array.from({ length: 3 }, () => ({ status: 'applied' })))
  })

  test('keeps its first error when rolling back fails', async () => {
    const path = join(tempFolder(), 'app.db')
    await using store = sqliteStore({ path })
    await store.provision()
    using other = new DatabaseSync(path)
    // RAISE(ROLLBACK) ends the transaction, so that the store's own ROLLBACK fails.
    other.exec(
      `create trigger refuse before insert on keepsake_rows when new.key = 'second' begin select raise(rollback, 'refused'); end`,
    )
    await expect(store.write([row({ key: 'first' }), row({ key: 'second' })])).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('refused'),
    })
    expect(await store.write([row({ key: 'a' }), row({ key: 'b' })])).toEqual([
      { status: 'applied' },
      { status: 'applied' },
    ])
  })

  test('of more rows than a transaction takes is written in several', async () => {
    await using store = sqliteStore({ path: ':memory:' })
    const writes = Array.from({ length: 2_001 }, (_, i) => row({ key: String(i).padStart(4, '0'), seq: i }))
    expect(await store.write(writes)).toEqual(writes.map(() => ({ status: 'applied' })))
    expect(
      await store.remove([
        { entity: 'ann', key: '0000' },
        { entity: 'ann', key: '0001', seq: 9 },
        { entity: 'ann', key: 'none' },
      ]),
    ).toBe(1)
    expect(await store.removeEntity('ann')).toBe(2_000)
  })

  test('of 10,000 rows is loaded, scanned in the order of its keys and removed as one entity', async () => {
    await using store = sqliteStore({ path: ':memory:' })
    const rows = Array.from({ length: 10_000 }, (_, i) => row({ key: String(i).padStart(5, '0'), seq: i }))
    expect(await store.write(rows.toReversed())).toEqual(applied(10_000))
    expect(await store.scan('ann', { limit: 20_000 })).toEqual(rows)
    expect(await store.load(rows)).toEqual(rows)
    expect(await store.removeEntity('ann')).toBe(10_000)
    expect(await store.entities({ limit: 1 })).toEqual([])
  })

  test('of nothing is nothing', async () => {
    await using store = sqliteStore({ path: ':memory:' })
    expect([await store.write([]), await store.load([]), await store.remove([])]).toEqual([[], [], 0])
  })
})

describe('durability', () => {
  test.each([
    ['power', 2, 1],
    ['process', 1, 0],
  ] as const)(
    '%s is synchronous = %i, fullfsync = %i, with a write-ahead log',
    async (durability, synchronous, fullfsync) => {
      const client = sqliteFile(join(tempFolder(), 'app.db'), durability, 0)
      using database = await client.open()
      const pragma = (name: string) => Object.values(database.prepare(`pragma ${name}`).get()!)[0]
      expect(['journal_mode', 'synchronous', 'fullfsync'].map(pragma)).toEqual(['wal', synchronous, fullfsync])
    },
  )
})

describe('close', () => {
  test('waits for calls that began before, may be called twice, and ends the store', async () => {
    const path = join(tempFolder(), 'app.db')
    const store = sqliteStore({ path })
    const begun = [store.write([row()]), store.scan('ann', { limit: 10 })]
    const closed = store.close()
    await expect(store.load([row()])).rejects.toMatchObject({ code: 'unavailable' })
    await Promise.all([closed, store.close()])
    expect(await Promise.all(begun)).toEqual([[{ status: 'applied' }], [expect.objectContaining({ seq: 1 })]])
    await store.close()
    for (const call of [
      () => store.load([]),
      () => store.scan('ann', { limit: 1 }),
      () => store.entities({ limit: 1 }),
      () => store.write([]),
      () => store.remove([]),
      () => store.removeEntity('ann'),
      () => store.provision(),
      () => store.verify(),
    ]) {
      await expect(call()).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringContaining('was closed'),
      })
    }
    await using again = sqliteStore({ path })
    expect(await again.load([row()])).toEqual([expect.objectContaining({ seq: 1 })])
  })

  test('waits for a provision() that began before', async () => {
    const path = join(tempFolder(), 'app.db')
    const store = sqliteStore({ path })
    const begun = store.provision()
    await store.close()
    await begun
    await using again = sqliteStore({ path, provision: false })
    await again.verify()
  })

  test('of a store that was never used opens nothing', async () => {
    const path = join(tempFolder(), 'app.db')
    await sqliteStore({ path }).close()
    expect(() => new DatabaseSync(path, { readOnly: true })).toThrow('unable to open')
  })
})

test('a signal that has fired stops a call before it begins, also while the file is opened', async () => {
  await using store = sqliteStore({ path: ':memory:' })
  const signal = AbortSignal.abort()
  await expect(store.write([row()], { signal })).rejects.toMatchObject({ code: 'aborted' })
  const controller = new AbortController()
  const write = store.write([row()], { signal: controller.signal })
  controller.abort()
  await expect(write).rejects.toMatchObject({ code: 'aborted' })
  expect(await store.entities({ limit: 1 })).toEqual([])
})
