import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { sqliteStore } from '../src/sqlite-store.ts'
import { row } from './rows.ts'
import { tempFolder } from './temp-folder.ts'

test('a database that was passed in is never closed', async () => {
  using database = new DatabaseSync(':memory:')
  const store = sqliteStore({ database })
  await store.write([row()])
  await store.close()
  await expect(store.load([row()])).rejects.toMatchObject({ code: 'unavailable' })
  expect(database.prepare('select count(*) as rows from keepsake_rows').get()).toMatchObject({ rows: 1 })
})

test("keeps the application's settings", async () => {
  using database = new DatabaseSync(join(tempFolder(), 'app.db'))
  const before = settings(database)
  await using store = sqliteStore({ database })
  await store.write([row(), row({ key: 'l' })])
  expect(settings(database)).toEqual(before)
})

test('is read right whatever the database returns by default', async () => {
  using database = new DatabaseSync(':memory:', { readBigInts: true, returnArrays: true })
  await using store = sqliteStore({ database })
  await store.provision()
  await store.provision()
  await store.verify()
  await store.write([row({ expiresAtMs: 9 })])
  expect(await store.load([row()])).toEqual([{ ...row(), expiresAtMs: 9 }])
  expect(await store.entities({ limit: 5 })).toEqual(['ann'])
  expect(await store.remove([row()])).toBe(1)
})

test("writes within the application's transaction are part of it", async () => {
  using database = new DatabaseSync(':memory:')
  await using store = sqliteStore({ database })
  await store.provision()

  database.exec('begin')
  await store.write([row({ key: 'a' }), row({ key: 'b' })])
  expect(database.isTransaction).toBe(true)
  database.exec('rollback')
  expect(await store.scan('ann', { limit: 10 })).toEqual([])

  database.exec('begin')
  await store.write([row({ key: 'a' }), row({ key: 'b' })])
  database.exec('commit')
  expect(await store.scan('ann', { limit: 10 })).toHaveLength(2)
})

test("a batch that fails within the application's transaction leaves that one as it was", async () => {
  using database = new DatabaseSync(':memory:')
  await using store = sqliteStore({ database })
  await store.provision()
  database.exec(
    `create trigger refuse before insert on keepsake_rows when new.key = 'c' begin select raise(abort, 'refused'); end`,
  )
  database.exec('begin')
  await store.write([row({ key: 'a' })])
  await expect(store.write([row({ key: 'b' }), row({ key: 'c' })])).rejects.toMatchObject({ code: 'unavailable' })
  database.exec('commit')
  expect((await store.scan('ann', { limit: 10 })).map(({ key }) => key)).toEqual(['a'])
})

test('that the application closed is unavailable', async () => {
  const database = new DatabaseSync(':memory:')
  const store = sqliteStore({ database })
  await store.write([row()])
  database.close()
  const closed = { code: 'unavailable', message: 'The database that was passed in was closed by the application.' }
  await expect(store.load([row()])).rejects.toMatchObject(closed)
  await expect(store.write([row(), row()])).rejects.toMatchObject(closed)
  await expect(store.verify()).rejects.toMatchObject(closed)
  await store.close()
  await expect(sqliteStore({ database }).load([row()])).rejects.toMatchObject(closed)
})

function settings(database: DatabaseSync): unknown[] {
  return ['journal_mode', 'synchronous', 'busy_timeout'].map((name) => ({
    ...database.prepare(`pragma ${name}`).get(),
  }))
}
