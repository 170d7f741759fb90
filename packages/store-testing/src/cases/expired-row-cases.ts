import { casesOf, type CaseContext, type CaseEntry, type RowStoreCase } from '../row-store-case.ts'
import { expectEqual, expectResults, expectRows } from '../expect.ts'
import { overRow, shownLine, type GuardLine } from './guard-cases.ts'
import { keysOf, put } from './rows.ts'

// A row past its expiry may vanish at any time. A store whose backend removes such rows by itself skips this topic and
// says so; until they vanish, they are rows like others.
const expired = (entity: string): ReturnType<typeof put> => put(entity, 'k', 5, 'A', { expiresAtMs: 1 })

export const expiredRowCases: RowStoreCase[] = casesOf('expired rows', [
  ...overRow.map((l): CaseEntry => [`over an expired row at 5, ${shownLine(l)}`, (c) => decides(c, l)]),
  [
    'an expired row is loaded and scanned: hiding it is the work of the models',
    async ({ store, entity }) => {
      await store.write([expired(entity())])
      expectRows(await store.load([{ entity: entity(), key: 'k' }]), [expired(entity())])
      expectRows(await store.scan(entity(), { limit: 9 }), [expired(entity())])
      expectEqual(await store.entities({ prefix: entity(), limit: 9 }), [entity()], 'entities')
    },
  ],
  [
    'an expired row is removed and counted',
    async ({ store, entity }) => {
      await store.write([expired(entity()), { ...expired(entity()), key: 'l' }])
      expectEqual(await store.remove([{ entity: entity(), key: 'k', seq: 5 }]), 1, 'remove')
      expectEqual(keysOf(await store.scan(entity(), { limit: 9 })), ['l'], 'keys that are left')
      expectEqual(await store.removeEntity(entity()), 1, 'removeEntity')
    },
  ],
])

async function decides({ store, entity }: CaseContext, l: GuardLine): Promise<void> {
  await store.write([expired(entity())])
  const write = put(entity(), 'k', l.seq, l.rec, { guard: l.guard, expiresAtMs: 1 })
  expectResults(await store.write([write]), [l.outcome])
  expectRows(await store.load([write]), [l.outcome === 'applied' ? write : expired(entity())])
}
