import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sqliteStore } from '../src/sqlite-store.ts'
import { runChaos, type ChaosResult } from './chaos/chaos.ts'
import { checkHistory } from './chaos/check-history.ts'
import { liveDatabases } from './live-database.ts'
import { tempFolder } from './temp-folder.ts'

const moduleOf = (name: string): string => new URL(`../src/${name}.ts`, import.meta.url).href
const TIMEOUT_MS = 600_000

function expectLegal({ events, final, kills }: ChaosResult, expected: { calls: number; kills: number }): void {
  const verdicts = events.flatMap((event) => (event.type === 'end' ? event.verdicts : []))
  // All of them were at work, and met each other.
  expect(kills).toBe(expected.kills)
  expect(events.filter(({ type }) => type === 'begin')).toHaveLength(expected.calls)
  expect(verdicts.filter((verdict) => verdict === true).length).toBeGreaterThan(expected.calls / 4)
  expect(verdicts.filter((verdict) => verdict !== true).length).toBeGreaterThan(expected.calls / 20)
  expect(checkHistory(events, final)).toEqual([])
}

describe.each(await liveDatabases())('$name', (database) => {
  beforeAll(() => database.create())
  afterAll(() => database[Symbol.asyncDispose]())

  test(
    'four processes, 5,000 calls each on 50 rows, killed twenty times: every acknowledgement holds',
    { timeout: TIMEOUT_MS },
    async () => {
      await using store = database.open()
      await store.provision()
      const result = await runChaos(store, {
        module: moduleOf(database.name),
        uri: database.url,
        folder: tempFolder(),
        writers: 4,
        calls: 5000,
        rows: 50,
        kills: 20,
      })
      expectLegal(result, { calls: 20_000, kills: 20 })
    },
  )
})

test('four processes on a SQLite file, killed eight times', { timeout: TIMEOUT_MS }, async () => {
  const folder = tempFolder()
  const path = `${folder}/app.db`
  await using store = sqliteStore({ path })
  await store.provision()
  const uri = `sqlite:${path}`
  const result = await runChaos(store, {
    module: moduleOf('sqlite'),
    uri,
    folder,
    writers: 4,
    calls: 500,
    rows: 20,
    kills: 8,
  })
  expectLegal(result, { calls: 2000, kills: 8 })
})
