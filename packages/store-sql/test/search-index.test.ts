import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testSearchIndex } from '@keepsake/store-testing'
import { afterAll } from 'vitest'
import { sqliteSearchIndex } from '../src/sqlite.ts'

const folder = mkdtempSync(join(tmpdir(), 'keepsake-search-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

testSearchIndex('FTS5 in an SQLite file', async (name) =>
  sqliteSearchIndex({ path: join(folder, 'app.db'), table: name, durability: 'process' }),
)
