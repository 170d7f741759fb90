import { DatabaseSync } from 'node:sqlite'
import { sqliteStore } from '@keepsake/store-sql/sqlite'
import { expect, test } from 'vitest'
import { STATEMENTS } from '../src/raw-sqlite.ts'
import { benchSqlite } from '../src/sqlite.ts'

test('every operation is compared, at both durabilities', async () => {
  const lines = await benchSqlite({ rows: 2_000, rounds: 1, operations: 1 })
  expect(lines.map(({ what }) => what)).toEqual([
    'write of 1, synchronous = FULL',
    'write of 100, synchronous = FULL',
    'load of 1, synchronous = FULL',
    'scan of 100, synchronous = FULL',
    'write of 1, synchronous = NORMAL',
    'write of 100, synchronous = NORMAL',
    'load of 1, synchronous = NORMAL',
    'scan of 100, synchronous = NORMAL',
  ])
  for (const { ratio, goal } of lines) {
    expect(ratio).toBeGreaterThan(0)
    expect(goal).toBe(1.25)
  }
})

test('the bare client runs the statements that the store runs', async () => {
  using database = new DatabaseSync(':memory:')
  const prepared: string[] = []
  const prepare = database.prepare.bind(database)
  database.prepare = (sql) => {
    prepared.push(sql)
    return prepare(sql)
  }
  await using store = sqliteStore({ database })
  await store.entities({ limit: 1 })
  expect(prepared).toEqual(expect.arrayContaining(Object.values(STATEMENTS)))
})
