import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { sqliteStore } from '../src/sqlite-store.ts'
import { bytes, row } from './rows.ts'
import { tempFolder } from './temp-folder.ts'

const applied = [{ status: 'applied' }]
const busy = { code: 'unavailable', retryable: true, message: expect.stringContaining('locked by another connection') }

describe('a lock that another connection holds', () => {
  test('is waited for, and this process goes on meanwhile', async () => {
    const path = join(tempFolder(), 'app.db')
    await using store = sqliteStore({ path })
    await store.provision()
    using other = new DatabaseSync(path)
    for (const call of [
      () => store.write([row({ key: 'a' })]),
      () => store.write([row({ key: 'b' }), row({ key: 'c' })]),
      () => store.remove([row({ key: 'b' })]),
      () => store.removeEntity('ann'),
      () => store.provision({ down: true }),
    ]) {
      other.exec('begin immediate')
      let done = false
      const outcome = call().then((result) => {
        done = true
        return result
      })
      // A turn of the event loop: the call has met the lock, and waits.
      await new Promise(setImmediate)
      expect(done).toBe(false)
      other.exec('rollback')
      await outcome
    }
  })

  test('makes a call unavailable, and to be tried again, when the busy timeout ends', async () => {
    const path = join(tempFolder(), 'app.db')
    await using store = sqliteStore({ path, busyTimeoutMs: 20 })
    await store.write([row({ key: 'before' })])
    using other = new DatabaseSync(path)
    other.exec('begin immediate')
    await expect(store.write([row()])).rejects.toMatchObject(busy)
    await expect(store.write([row(), row({ key: 'l' })])).rejects.toMatchObject(busy)
    await expect(store.provision({ down: true })).rejects.toMatchObject(busy)
    other.exec('rollback')
    expect(await store.write([row()])).toEqual(applied)
  })

  test('makes a call unavailable at once when the busy timeout is 0', async () => {
    const path = join(tempFolder(), 'app.db')
    await using store = sqliteStore({ path, busyTimeoutMs: 0 })
    await store.provision()
    using other = new DatabaseSync(path)
    other.exec('begin immediate')
    await expect(store.write([row()])).rejects.toMatchObject(busy)
  })

  test('does not keep readers waiting', async () => {
    const path = join(tempFolder(), 'app.db')
    await using store = sqliteStore({ path, busyTimeoutMs: 0 })
    await store.write([row()])
    using other = new DatabaseSync(path)
    other.exec('begin immediate; delete from keepsake_rows')
    expect(await store.load([row()])).toEqual([expect.objectContaining({ seq: 1 })])
    await using another = sqliteStore({ path, busyTimeoutMs: 0 })
    expect(await another.scan('ann', { limit: 10 })).toHaveLength(1)
  })

  test('is no obstacle to opening a new file', async () => {
    const path = join(tempFolder(), 'app.db')
    using other = new DatabaseSync(path)
    other.exec('begin immediate; create table users (id)')
    await using store = sqliteStore({ path })
    const write = store.write([row()])
    await expect(store.load([row()], { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'aborted' })
    other.exec('commit')
    expect(await write).toEqual(applied)
  })

  test('is waited for by close() too, for the calls that wait', async () => {
    const path = join(tempFolder(), 'app.db')
    const store = sqliteStore({ path })
    await store.provision()
    using other = new DatabaseSync(path)
    other.exec('begin immediate')
    const write = store.write([row()])
    const closed = store.close()
    other.exec('rollback')
    expect(await write).toEqual(applied)
    await closed
  })

  test('is waited for no longer than the signal allows', async () => {
    const path = join(tempFolder(), 'app.db')
    await using store = sqliteStore({ path })
    await store.provision()
    using other = new DatabaseSync(path)
    other.exec('begin immediate')
    const controller = new AbortController()
    const write = store.write([row()], { signal: controller.signal })
    controller.abort()
    await expect(write).rejects.toMatchObject({ code: 'aborted' })
    other.exec('rollback')
    expect(await store.load([row()])).toEqual([undefined])
  })
})

test('a database that was passed in waits as the application set it up, and no longer', async () => {
  const path = join(tempFolder(), 'app.db')
  using database = new DatabaseSync(path)
  await using store = sqliteStore({ database })
  await store.provision()
  using other = new DatabaseSync(path)
  other.exec('begin immediate')
  await expect(store.write([row()])).rejects.toMatchObject(busy)
})

test('a call that waits works on copies of its arguments', async () => {
  const path = join(tempFolder(), 'app.db')
  // Each store's first call waits for its file to be opened.
  await using first = sqliteStore({ path })
  const write = row({ rec: bytes('first'), guard: 'absent' })
  const written = first.write([write])
  write.key = 'changed'
  write.rec.fill(0)
  expect(await written).toEqual(applied)

  await using second = sqliteStore({ path })
  const id = { entity: 'ann', key: 'k' }
  const loaded = second.load([id])
  id.key = 'changed'
  expect(await loaded).toEqual([row()])

  await using third = sqliteStore({ path })
  const range = { prefix: 'k', after: '', limit: 1 }
  const scanned = third.scan('ann', range)
  range.prefix = 'changed'
  expect(await scanned).toEqual([row()])

  await using fourth = sqliteStore({ path })
  const removal = { entity: 'ann', key: 'k', seq: 1 }
  const removed = fourth.remove([removal])
  removal.seq = 2
  expect(await removed).toBe(1)
})
