import { describe, expect, it } from 'vitest'
import { compareStores } from '../src/migration/compare-stores.ts'
import { inMemoryStore } from '../src/rows/in-memory-store.ts'
import { migrateRows, type MigrateOptions, type MigrationResult } from '../src/migration/migrate-rows.ts'
import { MIGRATION_ENTITY, migrationMark } from '../src/migration/migration-mark.ts'
import type { Row, RowStore } from '../src/rows/row-store.ts'
import { allRows, hooked, manyRows, row, testClock } from './migration-stores.ts'

const migrate = (source: RowStore, target: RowStore, options: Partial<MigrateOptions> = {}): Promise<MigrationResult> =>
  migrateRows(source, target, { sourceId: 'old', clock: testClock(), ...options })

const ROWS: Row[] = [...manyRows('a', 3000), ...manyRows('b', 2500), row('c', '1')]

async function fullStore(): Promise<RowStore> {
  const store = inMemoryStore()
  await store.write(ROWS)
  return store
}

/** The migration is finished, and nothing is missing, different or left over. */
async function expectMoved(from: RowStore, target: RowStore): Promise<void> {
  const same = { missing: 0, different: 0, extra: 0 }
  expect(await compareStores(from, target, { clock: testClock() })).toMatchObject(same)
  expect(await migrationMark(target)).toBeUndefined()
}

/** A target that dies at its n-th write, counted from 0, before or after that takes effect. */
function dying(target: RowStore, n: number, when: 'before' | 'after'): RowStore {
  let calls = 0
  return {
    ...target,
    async write(rows, options) {
      const dies = calls++ === n
      if (dies && when === 'before') throw new Error('killed')
      const results = await target.write(rows, options)
      if (dies) throw new Error('killed')
      return results
    },
  }
}

describe('a migration that was killed', () => {
  // The mark; 12 batches, with the mark again behind 2,000 and 4,000 rows and at the end; three times the mark in the next
  // pass: 19 writes.
  const places = Array.from({ length: 19 }, (_, n) => [
    [n, 'before'],
    [n, 'after'],
  ]).flat() as [number, 'before' | 'after'][]

  it.each(places)('at write %d, %s it took effect, goes on and ends with the same rows', async (n, when) => {
    const [from, target] = [await fullStore(), inMemoryStore()]
    const killed = await migrate(from, dying(target, n, when)).catch((error: unknown) => error)
    expect(killed).toEqual(new Error('killed'))
    expect(await migrate(from, target, { final: true })).toMatchObject({ removed: 0, newer: 0 })
    await expectMoved(from, target)
  })

  it('goes on behind the last row that it marked', async () => {
    const [from, target] = [await fullStore(), inMemoryStore()]
    // Mark, four batches, mark (2,000 rows), four batches, mark (4,000 rows); the next batch is the eleventh write.
    await migrate(from, dying(target, 11, 'before')).catch(() => {})
    const after = { entity: 'b', key: '000999' }
    expect(await migrationMark(target)).toMatchObject({ pass: 1, done: 4000, after })
    const scanned: string[] = []
    const watched = hooked(from, {
      scan: (entity, behind = '') => void scanned.push(`${entity} ${behind}`),
    })
    // Pass 1 to its end, and a whole one, as the first half may have changed meanwhile.
    expect(await migrate(watched, target)).toEqual({ passes: 2, copied: 1501, removed: 0, newer: 0 })
    expect(scanned[0]).toBe('b 000999')
    expect(scanned.filter((scan) => scan === 'a ')).toHaveLength(1)
  })

  it.each([
    // Write 15 is the mark at the end of pass 1, and write 17 the second one of pass 2.
    [15, 1],
    [17, 2],
  ])(
    'at write %d, in pass %d, does not miss what changed meanwhile before the place where it goes on',
    async (n, pass) => {
      for (const final of [false, true]) {
        const [from, target] = [await fullStore(), inMemoryStore()]
        await migrate(from, dying(target, n, 'before')).catch(() => {})
        expect(await migrationMark(target)).toMatchObject({ pass, done: pass === 1 ? 4000 : 2000 })
        await from.write([row('a', '000000', 2)])
        expect(await migrate(from, target, { final })).toMatchObject({ copied: 1, newer: 0 })
        expect(await target.load([{ entity: 'a', key: '000000' }])).toEqual([row('a', '000000', 2)])
      }
    },
  )

  it('does not check or count again what it has begun to copy', async () => {
    const [from, target] = [await fullStore(), inMemoryStore()]
    await migrate(from, dying(target, 5, 'after')).catch(() => {})
    const steps = new Set<string>()
    await migrate(from, target, {
      onEvent: (event) => void (event.type === 'progress' && steps.add(`${event.step} ${event.total}`)),
    })
    expect([...steps]).toEqual(['copy 5501'])
  })

  it('in its final pass begins that again: what it went through may have changed', async () => {
    const [from, target] = [await fullStore(), inMemoryStore()]
    await migrate(from, target)
    await from.removeEntity('b')
    const dies = hooked(target, {
      remove() {
        throw new Error('killed')
      },
    })
    await expect(migrate(from, dies, { final: true })).rejects.toThrow('killed')
    await from.write([row('a', '000000', 2)])
    expect(await migrate(from, target, { final: true })).toEqual({ passes: 2, copied: 1, removed: 2500, newer: 0 })
    await expectMoved(from, target)
  })

  it('after its last pass, before the mark was gone, ends', async () => {
    const [from, target] = [await fullStore(), inMemoryStore()]
    const dies = hooked(target, {
      remove() {
        throw new Error('killed')
      },
    })
    await expect(migrate(from, dies, { final: true })).rejects.toThrow('killed')
    expect(await migrationMark(target)).toMatchObject({ source: 'old' })
    expect(await migrate(from, target, { final: true })).toEqual({ passes: 1, copied: 0, removed: 0, newer: 0 })
    expect(await migrationMark(target)).toBeUndefined()
  })
})

it('a migration that is aborted can go on', async () => {
  const [from, target] = [await fullStore(), inMemoryStore()]
  const stop = new AbortController()
  const failure = migrate(from, target, {
    signal: stop.signal,
    onEvent: (event) => void (event.type === 'progress' && event.step === 'copy' && event.rows >= 2000 && stop.abort()),
  })
  await expect(failure).rejects.toMatchObject({ code: 'aborted' })
  expect((await allRows(target)).filter(({ entity }) => entity !== MIGRATION_ENTITY)).toHaveLength(2000)
  await migrate(from, target, { final: true })
  await expectMoved(from, target)
})

it('of two processes that move the same rows, one goes on', async () => {
  const [from, target] = [await fullStore(), inMemoryStore()]
  const calls: Promise<MigrationResult>[] = []
  const first = hooked(target, {
    write: (rows) => void (rows[0]!.entity === 'b' && calls.length === 1 && calls.push(migrate(from, target))),
  })
  calls.push(migrate(from, first))
  await Promise.allSettled(calls)
  const outcomes = await Promise.allSettled(calls)
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'conflict' } })
  await migrate(from, target, { final: true })
  await expectMoved(from, target)
})
