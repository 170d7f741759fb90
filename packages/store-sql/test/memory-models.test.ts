import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testMemoryModels } from '@keepsake/store-testing'
import { afterAll } from 'vitest'
import { sqliteStore } from '../src/sqlite-store.ts'

const folder = mkdtempSync(join(tmpdir(), 'keepsake-models-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

testMemoryModels('chat memory and records in an SQLite file', async () => sqliteStore({ path: join(folder, 'app.db') }))
