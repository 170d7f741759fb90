import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { testMemoryModels } from '@keepsake/store-testing'
import { afterAll } from 'vitest'
import { sqliteStore } from '../src/sqlite-store.ts'

const folder = mkdtempSync(join(tmpdir(), 'keepsake-models-'))
const path = join(folder, 'app.db')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

testMemoryModels('chat memory and records in an SQLite file', async () => sqliteStore({ path }), {
  async everything() {
    const database = new DatabaseSync(path)
    // Until then the file has bytes of rows that are gone.
    database.exec('VACUUM; PRAGMA wal_checkpoint(TRUNCATE)')
    database.close()
    return readFileSync(path, 'latin1')
  },
})
