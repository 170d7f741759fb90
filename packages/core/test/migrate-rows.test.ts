import { describe, expect, it } from 'vitest'
import { compareStores } from '../src/migration/compare-stores.ts'
import { inMemoryStore } from '../src/rows/in-memory-store.ts'
import { encodeTuple } from '../src/rows/keys.ts'
import {
  migrateRows,
  type MigrateOptions,
  type MigrationEvent,
  type MigrationResult,
} from '../src/migration/migrate-rows.ts'
import { MIGRATION_ENTITY, migrationMark } from '../src/migration/migration-mark.ts'
import type { Row, RowStore } from '../src/rows/row-store.ts'
import { allRows, hooked, manyRows, NOW_MS, row, testClock } from './migration-stores.ts'

const migrate = (source: RowStore, target: RowStore, options: Partial<MigrateOptions> = {}): Promise<MigrationResult> =>
  migrateRows(source, target, { sourceId: 'old', clock: testClock(), ...options })

async function storeWith(rows: readonly Row[]): Promise<RowStore> {
  const store = inMemoryStore()
  await store.write(rows)
  return store
}

/** The rows that the target has of the source: without the mark. */
const moved = async (target: RowStore): Promise<Row[]> =>
  (await allRows(target)).filter(({ entity }) => entity !== MIGRATION_ENTITY)

// Everything that a row can be, in order.
const KINDS: Row[] = [
  row('', ''),
  row('%', '*'),
  row('__proto__', 'constructor'),
  row('a', 'expired', 2, { expiresAtMs: 5 }),
  row('a', 'expires', 3, { expiresAtMs: NOW_MS + 1 }),
  row('a', 'large', 4, { rec: new Uint8Array(70_000).fill(7) }),
  row('a', 'tombstone', 9_006_099_743_113_215, { rec: new Uint8Array(), updatedAtMs: 0, expiresAtMs: 0 }),
  row('a', 'zero', 0),
  row('e'.repeat(512), '\u{10ffff}'.repeat(256)),
  row(encodeTuple(['thread', 't\0']), encodeTuple(['m', '\u{1f600}'])),
  row('\uffff', '\uffff'),
  row('\u{1f600}', 'x'),
]

describe('migrateRows', () => {
  it('copies whole rows, whatever they are, and a second pass finds nothing newer', async () => {
    const [source, target] = [await storeWith(KINDS), inMemoryStore()]
    expect(await migrate(source, target)).toEqual({ passes: 2, copied: 12, removed: 0, newer: 0 })
    expect(await moved(target)).toEqual(await allRows(source))
    expect(await moved(target)).toHaveLength(12)
    // Until the final pass the target says what it is.
    expect(await migrationMark(target)).toEqual({ source: 'old', startedAtMs: NOW_MS, rows: 12, pass: 3, done: 0 })
    expect(await migrationMark(source)).toBeUndefined()
  })

  it('copies the largest records', async () => {
    const rows = ['1', '2', '3'].map((key, i) => row('e', key, 1, { rec: new Uint8Array(4_194_304).fill(i) }))
    const [source, target] = [await storeWith(rows), inMemoryStore()]
    expect(await migrate(source, target, { final: true })).toMatchObject({ copied: 3 })
    const found = await target.load(rows)
    expect(found.map((one, i) => Buffer.compare(one!.rec, rows[i]!.rec))).toEqual([0, 0, 0])
  })

  it('with final, ends with the same rows and no mark', async () => {
    const [source, target] = [await storeWith(KINDS), inMemoryStore()]
    await migrate(source, target)
    expect(await migrate(source, target, { final: true })).toEqual({ passes: 1, copied: 0, removed: 0, newer: 0 })
    expect(await allRows(target)).toEqual(await allRows(source))
  })

  it('with final at once, copies and then makes sure', async () => {
    const [source, target] = [await storeWith(KINDS), inMemoryStore()]
    expect(await migrate(source, target, { final: true })).toEqual({ passes: 2, copied: 12, removed: 0, newer: 0 })
    expect(await allRows(target)).toEqual(await allRows(source))
  })

  it('moves nothing out of an empty store', async () => {
    const target = inMemoryStore()
    expect(await migrate(inMemoryStore(), target)).toEqual({ passes: 1, copied: 0, removed: 0, newer: 0 })
    expect(await migrate(inMemoryStore(), target, { final: true })).toMatchObject({ copied: 0, removed: 0 })
    expect(await allRows(target)).toEqual([])
  })

  it('says how far it is', async () => {
    const [source, target] = [await storeWith(manyRows('e', 4500)), inMemoryStore()]
    const events: MigrationEvent[] = []
    await migrate(source, target, { final: true, onEvent: (event) => void events.push(event) })
    const progress = { type: 'progress', total: 4500 }
    expect(events).toEqual([
      ...[1000, 2000, 3000, 4000].map((rows) => ({ type: 'progress', step: 'check', pass: 0, rows })),
      ...[500, 1000, 1500, 2000, 2500, 3000, 3500, 4000, 4500].map((rows) => ({
        ...progress,
        step: 'copy',
        pass: 1,
        rows,
      })),
      { ...progress, step: 'final', pass: 2, rows: 2000 },
      { ...progress, step: 'final', pass: 2, rows: 4000 },
    ])
  })

  it('refuses a source without a name', async () => {
    const [source, target] = [await storeWith(KINDS), inMemoryStore()]
    for (const sourceId of ['', undefined as unknown as string]) {
      await expect(migrate(source, target, { sourceId })).rejects.toMatchObject({ code: 'invalid_value' })
    }
    expect(await allRows(target)).toEqual([])
  })
})

describe('while the source is written to', () => {
  it('makes another pass for what was written behind it', async () => {
    const source = await storeWith([row('a', '1'), row('b', '1'), row('c', '1')])
    const target = inMemoryStore()
    let wrote = false
    const busy = hooked(source, {
      async scan(entity) {
        const copying = (await migrationMark(target)) !== undefined
        if (entity !== 'b' || !copying || wrote) return
        wrote = true
        await source.write([row('a', '1', 2), row('a', '2'), row('c', '2')])
      },
    })
    // 'c/2' lies before the first pass, the two others behind it.
    expect(await migrate(busy, target)).toEqual({ passes: 3, copied: 6, removed: 0, newer: 0 })
    expect(await moved(target)).toEqual(await allRows(source))
  })

  it('leaves it at a pass that finds no less than the one before', async () => {
    const [source, target] = [await storeWith(manyRows('e', 10)), inMemoryStore()]
    let seq = 1
    const busy = hooked(source, {
      // Three rows, once each pass.
      scan: async () => await source.write(manyRows('e', 3).map((one) => row('e', one.key, ++seq))),
    })
    const result = await migrate(busy, target)
    expect(result).toEqual({ passes: 3, copied: 10 + 3 + 3, removed: 0, newer: 3 })
    // With the writer stopped, all of it arrives.
    await source.write([row('e', 'last')])
    expect(await migrate(source, target, { final: true })).toMatchObject({ copied: 1, newer: 0 })
    expect(await allRows(target)).toEqual(await allRows(source))
  })

  it('takes no row back that has become newer in the target', async () => {
    const [source, target] = [await storeWith([row('a', '1', 5)]), inMemoryStore()]
    const newer = row('a', '1', 6)
    const raced = hooked(target, {
      write: async (rows) => (rows[0]!.entity === 'a' ? await target.write([newer]) : undefined),
    })
    expect(await migrate(source, raced)).toMatchObject({ copied: 0, newer: 0 })
    expect(await moved(target)).toEqual([newer])
  })

  it('copies a row that was written again with its version', async () => {
    const [source, target] = [await storeWith([row('a', '1', 5)]), inMemoryStore()]
    await migrate(source, target)
    const again = row('a', '1', 5, { rec: Uint8Array.of(1), updatedAtMs: 9, expiresAtMs: NOW_MS + 5 })
    await source.write([again])
    expect(await migrate(source, target)).toMatchObject({ copied: 1 })
    expect(await moved(target)).toEqual([again])
  })

  it('keeps what was removed from the source, until the final pass', async () => {
    const rows = [row('a', '1'), row('a', '2'), row('b', '1'), row('c', '1', 7)]
    const [source, target] = [await storeWith(rows), inMemoryStore()]
    await migrate(source, target)
    await source.remove([{ entity: 'a', key: '2' }])
    await source.removeEntity('b')
    // Removed, and made again with a lower version.
    await source.remove([{ entity: 'c', key: '1' }])
    await source.write([row('c', '1', 2)])
    expect(await migrate(source, target)).toEqual({ passes: 1, copied: 0, removed: 0, newer: 0 })
    expect(await moved(target)).toEqual(rows)
    expect(await migrate(source, target, { final: true })).toEqual({ passes: 2, copied: 1, removed: 3, newer: 0 })
    expect(await allRows(target)).toEqual([row('a', '1'), row('c', '1', 2)])
  })

  it('does not end with a final pass, and says who is in the way', async () => {
    const [source, target] = [await storeWith(manyRows('e', 10)), inMemoryStore()]
    await migrate(source, target)
    let seq = 1
    const busy = hooked(source, { scan: async () => await source.write([row('e', '000000', ++seq)]) })
    await expect(migrate(busy, target, { final: true })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('Stop all who write') as string,
    })
    expect(await migrationMark(target)).toMatchObject({ source: 'old' })
    await migrate(source, target, { final: true })
    expect(await allRows(target)).toEqual(await allRows(source))
  })

  it('does not end with a final pass into a target that is written to', async () => {
    const [source, target] = [await storeWith(manyRows('e', 10)), inMemoryStore()]
    let seq = 1
    const busy = hooked(target, { scan: async () => await target.write([row('e', 'theirs', ++seq)]) })
    await expect(migrate(source, busy, { final: true })).rejects.toMatchObject({ code: 'conflict' })
  })
})

describe('what expires', () => {
  it('does not keep a migration from ending where the target lets it vanish at once', async () => {
    const [source, target] = [await storeWith([...KINDS, ...manyRows('z', 3)]), inMemoryStore()]
    // As a database with a time to live of its own does.
    const sweeping: RowStore = {
      ...target,
      async write(rows, options) {
        const results = await target.write(rows, options)
        await target.remove(rows.filter(({ expiresAtMs = Infinity }) => expiresAtMs <= NOW_MS))
        return results
      },
    }
    expect(await migrate(source, sweeping)).toMatchObject({ passes: 2, newer: 0 })
    expect(await migrate(source, sweeping, { final: true })).toMatchObject({ passes: 1, newer: 0 })
    const left = KINDS.filter(({ expiresAtMs = Infinity }) => expiresAtMs > NOW_MS)
    expect((await allRows(target)).filter(({ entity }) => entity !== 'z')).toEqual(left)
    expect(await compareStores(source, target, { clock: testClock() })).toEqual({
      rows: 15,
      missing: 0,
      different: 0,
      extra: 0,
    })
  })

  it('goes from the target when it has gone from the source', async () => {
    const [source, target] = [await storeWith([row('a', '1'), row('a', '2', 1, { expiresAtMs: 5 })]), inMemoryStore()]
    await migrate(source, target)
    await source.remove([{ entity: 'a', key: '2' }])
    expect(await migrate(source, target, { final: true })).toEqual({ passes: 1, copied: 0, removed: 1, newer: 0 })
    expect(await allRows(target)).toEqual([row('a', '1')])
  })
})
