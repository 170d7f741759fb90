import { test } from 'vitest'
import { sqliteStore } from '../src/sqlite-store.ts'
import { expectReference } from './expect-reference.ts'

test('any calls, one after the other, give what the in-memory store gives', async () => {
  await using store = sqliteStore({ path: ':memory:' })
  await expectReference(store, 500)
})
