import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testChaos } from '@keepsake/store-testing/chaos'
import { afterAll, beforeAll, describe } from 'vitest'
import { liveDatabases } from './live-database.ts'

const moduleOf = (name: string): string => new URL(`../src/${name}.ts`, import.meta.url).href

describe.each(await liveDatabases())('$name', (database) => {
  beforeAll(() => database.create())
  afterAll(() => database[Symbol.asyncDispose]())

  testChaos(database.name, { driver: moduleOf(database.name), uri: database.url })
})

const folder = mkdtempSync(join(tmpdir(), 'keepsake-sql-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

testChaos('sqlite', {
  driver: moduleOf('sqlite'),
  uri: `sqlite:${join(folder, 'app.db')}`,
  calls: 500,
  rows: 20,
  kills: 8,
  fewerBecause: 'one file takes one writer at a time, each write synced to disk',
})
