import type { RowStore, RowWrite } from '@keepsake/core'
import { array, constantFrom, integer, oneof, option, record, type Arbitrary } from 'fast-check'
import { bytes } from './rows.ts'

// Few names, so that calls meet; among them what sorts differently by UTF-8, by UTF-16 and by letters.
const name = constantFrom('', 'a', 'A', 'a\u0001', 'ab', 'é', 'e\u0301', '\uff5e', '😀', '\u{10ffff}', '%', "'")
const seq = integer({ min: 0, max: 3 })
const id = record({ entity: name, key: name })
export const anyWrite: Arbitrary<RowWrite> = record({
  entity: name,
  key: name,
  seq,
  rec: constantFrom('', 'x', 'y').map(bytes),
  updatedAtMs: constantFrom(0, 2 ** 42),
  expiresAtMs: option(constantFrom(0, 2 ** 42), { nil: undefined }),
  guard: oneof(constantFrom('monotonic' as const, 'absent' as const), record({ seq })),
}).map((row) => (typeof row.guard === 'object' ? { ...row, seq: row.guard.seq + 1 + row.seq } : row))
const range = record({ prefix: name, after: name, limit: integer({ min: 1, max: 4 }) }, { requiredKeys: ['limit'] })

/** A call with its arguments, for any store. */
export type Call = (store: RowStore) => Promise<unknown>
export const anyCall: Arbitrary<Call> = oneof(
  {
    weight: 4,
    arbitrary: array(anyWrite, { minLength: 1, maxLength: 5 }).map(
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
    ({ entity, range: part }): Call =>
      (store) =>
        store.scan(entity, part),
  ),
  range.map(
    (part): Call =>
      (store) =>
        store.entities(part),
  ),
  array(record({ entity: name, key: name, seq }, { requiredKeys: ['entity', 'key'] }), { maxLength: 3 }).map(
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
