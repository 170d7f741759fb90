import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { sqliteStore } from '../src/sqlite-store.ts'
import { row } from './rows.ts'
import { tempFolder } from './temp-folder.ts'

test('a folder that does not exist is named, and is not created', async () => {
  const folder = join(tempFolder(), 'data')
  await using store = sqliteStore({ path: join(folder, 'app.db') })
  await expect(store.write([row()])).rejects.toMatchObject({
    code: 'invalid_value',
    message: `The folder of ${folder}/app.db does not exist; create ${folder} first.`,
  })
  mkdirSync(folder)
  expect(await store.write([row()])).toEqual([{ status: 'applied' }])
})

test('a path that is a folder', async () => {
  const folder = tempFolder()
  await using store = sqliteStore({ path: folder })
  await expect(store.provision()).rejects.toMatchObject({
    code: 'invalid_value',
    message: `${folder} is a folder; name a file in it.`,
  })
})

test('a file that is no database is left as it is', async () => {
  const path = join(tempFolder(), 'notes.txt')
  writeFileSync(path, 'remember the milk\n'.repeat(100))
  await using store = sqliteStore({ path })
  await expect(store.write([row()])).rejects.toMatchObject({
    code: 'invalid_value',
    retryable: false,
    message: `${path} is not a SQLite database; choose another path.`,
  })
})

test('a path that cannot be opened', async () => {
  const file = join(tempFolder(), 'file')
  writeFileSync(file, '')
  const path = join(file, 'app.db')
  await using store = sqliteStore({ path })
  await expect(store.write([row()])).rejects.toMatchObject({
    code: 'unavailable',
    message: `${path} cannot be opened; check the permissions of the file and its folder.`,
  })
})

test('a database that may only be read can be read', async () => {
  const path = join(tempFolder(), 'app.db')
  {
    await using store = sqliteStore({ path })
    await store.write([row()])
  }
  using database = new DatabaseSync(path, { readOnly: true })
  await using store = sqliteStore({ database })
  expect(await store.load([row()])).toEqual([expect.objectContaining({ seq: 1 })])
  await expect(store.write([row()])).rejects.toMatchObject({
    code: 'unavailable',
    retryable: false,
    message: expect.stringContaining('cannot be written'),
  })
})

test.each(['UTF-16le', 'UTF-16be'])('a database in %s, which has another order of keys', async (encoding) => {
  const path = join(tempFolder(), 'app.db')
  {
    using database = new DatabaseSync(path)
    database.exec(`pragma encoding = '${encoding}'; create table users (id)`)
  }
  await using store = sqliteStore({ path })
  await expect(store.write([row()])).rejects.toMatchObject({
    code: 'unsupported',
    message: expect.stringContaining(encoding),
  })
})

test('a table that is dropped while the store is open', async () => {
  const path = join(tempFolder(), 'app.db')
  await using store = sqliteStore({ path })
  await store.write([row()])
  using other = new DatabaseSync(path)
  other.exec('drop table keepsake_rows')
  await expect(store.load([row()])).rejects.toMatchObject({
    code: 'not_provisioned',
    message: expect.stringContaining('provision()'),
  })
})

test('what was wrong is looked at again by the next call', async () => {
  const path = join(tempFolder(), 'app.db')
  writeFileSync(path, 'no database at all, and longer than a header'.repeat(10))
  await using store = sqliteStore({ path })
  await expect(store.write([row()])).rejects.toMatchObject({ code: 'invalid_value' })
  writeFileSync(path, '')
  expect(await store.write([row()])).toEqual([{ status: 'applied' }])
})

test('a disk that is full', async () => {
  using database = new DatabaseSync(':memory:')
  await using store = sqliteStore({ database })
  await store.provision()
  database.exec('pragma max_page_count = 20')
  const rows = Array.from({ length: 100 }, (_, i) => row({ key: String(i), rec: new Uint8Array(4_000) }))
  await expect(store.write(rows)).rejects.toMatchObject({
    code: 'unavailable',
    message: 'The database that was passed in has no room left on its disk; nothing was written.',
  })
  expect(await store.entities({ limit: 1 })).toEqual([])
})
