import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { sqliteStore } from '../src/sqlite-store.ts'
import { startProgram } from './program.ts'
import { tempFolder } from './temp-folder.ts'

const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']

test('eight processes that write 200 rows each to one file lose nothing', async () => {
  const path = join(tempFolder(), 'app.db')
  await Promise.all(names.map((name) => startProgram('write-rows', path, name, 200).ended()))
  await using store = sqliteStore({ path })
  const rows = await store.scan('shared', { limit: 10_000 })
  const expected = names.flatMap((name) => Array.from({ length: 200 }, (_, i) => `${name} ${i}`))
  expect(rows.map(({ rec }) => new TextDecoder().decode(rec))).toEqual(expected)
})

test('a counter that four processes add to by compare-and-set is exact', async () => {
  const path = join(tempFolder(), 'app.db')
  await Promise.all(names.slice(0, 4).map((name) => startProgram('count-up', path, name, 100).ended()))
  await using store = sqliteStore({ path })
  const [row] = await store.load([{ entity: 'counters', key: 'shared' }])
  expect(JSON.parse(new TextDecoder().decode(row!.rec))).toMatchObject({ value: 400 })
  expect(row!.seq).toBe(400)
})

test('eight processes that are the first to use a new file all find it ready', async () => {
  for (let round = 0; round < 3; round++) {
    const path = join(tempFolder(), 'app.db')
    const programs = names.map((name) => startProgram('open-new', path, name))
    for (const { lines } of programs) expect(await lines.next()).toEqual({ done: false, value: 'ready' })
    for (const { input } of programs) input.write('go\n')
    await Promise.all(programs.map((program) => program.ended()))
    await using store = sqliteStore({ path })
    expect((await store.scan('shared', { limit: 10 })).map(({ key }) => key)).toEqual(names)
  }
})

test('who loads several rows while another process writes them together finds all of one batch', async () => {
  const path = join(tempFolder(), 'app.db')
  const ids = ['a', 'b', 'c'].map((key) => ({ entity: 'together', key }))
  const writer = startProgram('write-together', path, ...ids.map(({ key }) => key))
  expect(await writer.lines.next()).toEqual({ done: false, value: 'begun' })
  await using store = sqliteStore({ path })
  const seen = new Set<number>()
  for (let i = 0; i < 20_000; i++) {
    const [first, ...others] = (await store.load(ids)).map((row) => row!.seq)
    expect(others).toEqual([first, first])
    seen.add(first!)
  }
  // The writer was at work all the time.
  expect(seen.size).toBeGreaterThan(100)
  writer.kill()
  await writer.ended()
})

test('a writer that is killed in the middle of a batch leaves whole batches, and every acknowledged one', async () => {
  const path = join(tempFolder(), 'app.db')
  const rowsInBatch = 500
  for (const name of names) {
    const writer = startProgram('write-batches', path, name, rowsInBatch)
    let acknowledged = -1
    // The next batch is under way when the line of the one before has come.
    while (acknowledged < 3) acknowledged = Number((await writer.lines.next()).value)
    writer.kill()
    await writer.ended()
    for (let line = await writer.lines.next(); !line.done; line = await writer.lines.next())
      acknowledged = Number(line.value)

    await using store = sqliteStore({ path })
    const keys = (await store.scan(name, { limit: 100_000 })).map(({ key }) => key)
    const batches = Map.groupBy(keys, (key) => Number(key.split('/')[0]))
    for (const [batch, found] of batches) expect([batch, found.length]).toEqual([batch, rowsInBatch])
    expect(batches.size).toBeGreaterThan(acknowledged)
    // The file serves the next writer without repair.
    await store.write([{ entity: 'after', key: name, seq: 1, rec: new Uint8Array(1), updatedAtMs: 0 }])
  }
  using database = new DatabaseSync(path)
  expect(database.prepare('pragma integrity_check').get()).toMatchObject({ integrity_check: 'ok' })
})
