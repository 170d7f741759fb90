import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rowFiles } from '@keepsake/files'
import { testFiles } from '@keepsake/store-testing'
import { afterAll } from 'vitest'
import { sqliteStore } from '../src/sqlite-store.ts'

const folder = mkdtempSync(join(tmpdir(), 'keepsake-sql-'))
const path = join(folder, 'files.db')
const stores = [sqliteStore({ path, durability: 'process' }), sqliteStore({ path, durability: 'process' })] as const
let owners = 0
afterAll(async () => {
  for (const store of stores) await store.close()
  rmSync(folder, { recursive: true, force: true })
})

testFiles('rowFiles in SQLite, by two connections', () => {
  const owner = ['files', String(owners++)]
  return { files: rowFiles(stores[0], owner), again: rowFiles(stores[1], owner) }
})
