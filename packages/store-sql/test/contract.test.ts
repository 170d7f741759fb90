import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { testRowStore } from '@keepsake/store-testing'
import { afterAll } from 'vitest'
import { sqliteStore } from '../src/sqlite-store.ts'

const folder = mkdtempSync(join(tmpdir(), 'keepsake-sql-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const path = join(folder, 'app.db')

testRowStore('a file', async () => sqliteStore({ path }))

testRowStore('memory', async () => sqliteStore({ path: ':memory:' }))

testRowStore('another table of that file', async () =>
  sqliteStore({ path, table: 'agent_Memory_2', durability: 'process' }),
)

testRowStore('a database that was passed in', async () => sqliteStore({ database: new DatabaseSync(':memory:') }))
