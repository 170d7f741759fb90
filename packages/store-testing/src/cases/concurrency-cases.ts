import type { RowWrite } from '@keepsake/core'
import { casesOf, type CaseContext, type RowStoreCase } from '../row-store-case.ts'
import { expectEqual, expectResults, expectRows } from '../expect.ts'
import { together } from '../together.ts'
import { keysOf, numberedKeys, put, putKeys } from './rows.ts'

export const concurrencyCases: RowStoreCase[] = casesOf('concurrency', [
  [
    '200 blind writes over 8 keys at once: each key keeps its highest seq',
    async ({ store, entity }) => {
      const writes = Array.from({ length: 200 }, (_, i) => put(entity(), `k${i % 8}`, (i * 37) % 200, `write ${i}`))
      await together(writes.map((write) => store.write([write])))
      const highest = new Map<string, RowWrite>()
      for (const write of writes) {
        if (write.seq > (highest.get(write.key)?.seq ?? -1)) highest.set(write.key, write)
      }
      const expected = [...highest.values()].toSorted((a, b) => (a.key < b.key ? -1 : 1))
      expectRows(await store.scan(entity(), { limit: 9 }), expected)
    },
  ],
  [
    'writes, loads, scans, listings and removals at once all succeed',
    async (c) => {
      const { store, entity } = c
      await store.write(putKeys(entity(), numberedKeys(20)))
      const tasks = Array.from({ length: 100 }, (_, i): Promise<unknown> => {
        const id = { entity: entity(), key: `k${String(i % 20).padStart(4, '0')}` }
        if (i % 5 === 0) return store.load([id])
        if (i % 5 === 1) return store.scan(entity(), { limit: 50 }).then(expectSorted)
        if (i % 5 === 2) return store.entities({ prefix: entity(), limit: 9 })
        if (i % 5 === 3) return store.remove([{ ...id, seq: 0 }])
        return store.write([put(entity(), id.key, 1 + i, 'x')])
      })
      await together(tasks)
      expectEqual(keysOf(await store.scan(entity(), { limit: 50 })), numberedKeys(20), 'keys')
    },
  ],
  [
    'scans while rows are rewritten find every row, once and in order',
    async ({ store, entity }) => {
      const keys = numberedKeys(30)
      await store.write(putKeys(entity(), keys))
      const rewrites = keys.map((key) => store.write([put(entity(), key, 2, 'again')]))
      const scans = Array.from({ length: 10 }, () => store.scan(entity(), { limit: 50 }))
      for (const rows of await together(scans)) expectEqual(keysOf(rows), keys, 'keys')
      await together(rewrites)
    },
  ],
  [
    'what is loaded while it is rewritten is one of the writes, never a mixture',
    async ({ store, entity }) => {
      // Each row says in its record and in its time what its seq is.
      const version = (seq: number): RowWrite =>
        put(entity(), 'k', seq, `seq ${seq} `.repeat(200), { updatedAtMs: seq, expiresAtMs: 4_000_000_000_000 + seq })
      await store.write([version(0)])
      const writes = Array.from({ length: 20 }, (_, i) => store.write([version(i + 1)]))
      const loads = Array.from({ length: 20 }, () => store.load([{ entity: entity(), key: 'k' }]))
      for (const [row] of await together(loads)) expectRows([row], [version(row!.seq)])
      await together(writes)
    },
  ],
  [
    'batches of many writers to keys of their own all land',
    async ({ store, entity }) => {
      const batches = Array.from({ length: 16 }, (_, writer) => putKeys(entity(), numberedKeys(20, `w${writer}-`)))
      for (const results of await together(batches.map((batch) => store.write(batch)))) {
        expectResults(results, Array<'applied'>(20).fill('applied'))
      }
      expectEqual((await store.scan(entity(), { limit: 1000 })).length, 320, 'rows')
    },
  ],
  [
    'writers in many entities do not meet',
    async ({ store, entity }) => {
      const writes = numberedKeys(40, 'e').map((suffix) => put(entity(suffix), 'k', 1, suffix, { guard: 'absent' }))
      const results = await together(writes.map((write) => store.write([write])))
      expectResults(
        results.flat(),
        writes.map(() => 'applied' as const),
      )
      expectEqual(
        await store.entities({ prefix: entity(), limit: 100 }),
        writes.map((write) => write.entity),
        'entities',
      )
    },
  ],
  [
    'an entity that is removed while it is written has only rows of those writes afterwards',
    async ({ store, entity }) => {
      await store.write(putKeys(entity(), numberedKeys(20, 'old')))
      const writes = numberedKeys(20, 'new').map((key) => store.write([put(entity(), key, 1, key)]))
      const [removed] = await together([store.removeEntity(entity()), together(writes)])
      const left = keysOf(await store.scan(entity(), { limit: 100 }))
      expectEqual(
        left.filter((key) => key.startsWith('old')),
        [],
        'old keys that are left',
      )
      expectEqual(removed + left.length, 40, 'removed and left together')
    },
  ],
])

function expectSorted(rows: Awaited<ReturnType<CaseContext['store']['scan']>>): void {
  const keys = keysOf(rows)
  expectEqual(keys, [...new Set(keys)].toSorted(), 'keys, each once and in order')
}
