import { inMemoryStore, type RowStore } from '@keepsake/core'
import { array, assert, asyncProperty, constantFrom, integer, oneof, option, record } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { firestoreStore } from '../src/firestore-store.ts'
import { freshProject, NEEDS_EMULATOR, serverUrl } from './server.ts'

const host = await serverUrl()

// Few names, so that calls meet; among them what sorts differently by UTF-8, by UTF-16 and by letters.
const name = constantFrom('', 'a', 'A', 'a\u0001', 'ab', 'é', 'e\u0301', '\uff5e', '😀', '\u{10ffff}', '%', '.')
const seq = integer({ min: 0, max: 3 })
const id = record({ entity: name, key: name })
const write = record({
  entity: name,
  key: name,
  seq,
  rec: constantFrom('', 'x', 'y').map((text) => new TextEncoder().encode(text)),
  updatedAtMs: constantFrom(0, 2 ** 42),
  expiresAtMs: option(constantFrom(0, 2 ** 42, 2 ** 52), { nil: undefined }),
  guard: oneof(constantFrom('monotonic' as const, 'absent' as const), record({ seq })),
}).map((row) => (typeof row.guard === 'object' ? { ...row, seq: row.guard.seq + 1 + row.seq } : row))
const range = record({ prefix: name, after: name, limit: integer({ min: 1, max: 4 }) }, { requiredKeys: ['limit'] })
const removal = record({ entity: name, key: name, seq }, { requiredKeys: ['entity', 'key'] })

type Call = (store: RowStore) => Promise<unknown>
const call = oneof(
  {
    weight: 4,
    arbitrary: array(write, { minLength: 1, maxLength: 5 }).map(
      (rows): Call =>
        (store) =>
          store.write(rows),
    ),
  },
  array(id, { maxLength: 4 }).map(
    (ids): Call =>
      (store) =>
        store.load(ids),
  ),
  record({ entity: name, range }).map(
    (asked): Call =>
      (store) =>
        store.scan(asked.entity, asked.range),
  ),
  range.map(
    (asked): Call =>
      (store) =>
        store.entities(asked),
  ),
  array(removal, { maxLength: 3 }).map(
    (ids): Call =>
      (store) =>
        store.remove(ids),
  ),
  name.map(
    (entity): Call =>
      (store) =>
        store.removeEntity(entity),
  ),
)

describe.skipIf(host === undefined)(NEEDS_EMULATOR, () => {
  test('any calls, one after the other, give what the in-memory store gives', async () => {
    const project = freshProject()
    let runs = 0
    await assert(
      asyncProperty(array(call, { minLength: 1, maxLength: 30 }), async (calls) => {
        await using reference = inMemoryStore()
        await using store = firestoreStore({ project, collection: `run-${runs++}` })
        for (const make of calls) expect(await make(store)).toEqual(await make(reference))
      }),
      { numRuns: 60 },
    )
  })
})
