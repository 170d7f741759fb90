import { describe, expect, it } from 'vitest'
import { inMemoryStore } from '../src/rows/in-memory-store.ts'
import {
  migrateRows,
  type MigrateOptions,
  type MigrationEvent,
  type MigrationResult,
} from '../src/migration/migrate-rows.ts'
import { migrationMark } from '../src/migration/migration-mark.ts'
import type { RowStore } from '../src/rows/row-store.ts'
import { allRows, hooked, manyRows, row, testClock } from './migration-stores.ts'

const migrate = (source: RowStore, target: RowStore, options: Partial<MigrateOptions> = {}): Promise<MigrationResult> =>
  migrateRows(source, target, { sourceId: 'old', clock: testClock(), ...options })

async function sourceWith(count: number): Promise<RowStore> {
  const store = inMemoryStore()
  await store.write(manyRows('e', count))
  return store
}

const refused = (text: string): object => ({ code: 'invalid_value', message: expect.stringContaining(text) as string })

describe('a migration is refused, and nothing written,', () => {
  it('from a store to itself', async () => {
    for (const store of [await sourceWith(3), inMemoryStore()]) {
      const before = await allRows(store)
      await expect(migrate(store, store)).rejects.toMatchObject(refused('the same store'))
      // Two addresses of one store.
      await expect(migrate({ ...store }, store)).rejects.toMatchObject({ code: 'invalid_value' })
      expect(await allRows(store)).toEqual(before)
    }
  })

  it('into a store with rows of its own', async () => {
    const [source, target] = [await sourceWith(3), inMemoryStore()]
    await target.write([row('theirs', '1')])
    await expect(migrate(source, target)).rejects.toMatchObject(refused('The target has rows'))
    await expect(migrate(source, target, { final: true })).rejects.toMatchObject(refused('The target has rows'))
    expect(await allRows(target)).toEqual([row('theirs', '1')])
  })

  it('into a store that another one is being moved into, or was', async () => {
    const target = inMemoryStore()
    await migrate(await sourceWith(3), target)
    const before = await allRows(target)
    await expect(migrate(await sourceWith(1), target, { sourceId: 'other' })).rejects.toMatchObject(
      refused('from another source'),
    )
    expect(await allRows(target)).toEqual(before)
    await migrate(await sourceWith(3), target, { final: true })
    await expect(migrate(await sourceWith(3), target)).rejects.toMatchObject(refused('the migration is finished'))
    expect(await migrationMark(target)).toBeUndefined()
  })

  it('out of a store that is not complete itself', async () => {
    const [middle, target] = [inMemoryStore(), inMemoryStore()]
    await migrate(await sourceWith(3), middle)
    const written: unknown[] = []
    const watched = hooked(target, { write: (rows) => void written.push(...rows) })
    await expect(migrate(middle, watched)).rejects.toMatchObject(refused('The source is the target of a migration'))
    expect([written, await allRows(target)]).toEqual([[], []])
  })

  it('there and back at the same time', async () => {
    const [one, two] = [inMemoryStore(), inMemoryStore()]
    // The other way is begun while this one checks the records.
    let begun: Promise<unknown> | undefined
    const busy = hooked(one, { load: () => void (begun ??= migrate(two, one).catch((error: unknown) => error)) })
    const outcomes = [await migrate(busy, two).catch((error: unknown) => error), await begun]
    expect(outcomes.filter((outcome) => outcome instanceof Error)).not.toEqual([])
    for (const outcome of outcomes) {
      if (outcome instanceof Error) expect(outcome).toMatchObject({ code: 'invalid_value' })
    }
  })

  it('where the source has records that the target does not take', async () => {
    const [source, memory] = [await sourceWith(2500), inMemoryStore()]
    const large = ['000007', '002400'].map((key, i) => row('e', key, 2, { rec: new Uint8Array(101 + i) }))
    await source.write([...large, row('f', '1', 1, { rec: new Uint8Array(100) })])
    const target = { ...memory, limits: { ...memory.limits, maxRecBytes: 100 } }
    const events: MigrationEvent[] = []
    const failure = migrate(source, target, { onEvent: (event) => void events.push(event) })
    await expect(failure).rejects.toMatchObject({
      code: 'too_large',
      message:
        "2 of the source's 2501 records are larger than the 100 bytes that the target takes; the largest has 102. Nothing was written.",
      details: { records: 2, largestBytes: 102, maxBytes: 100 },
    })
    expect(events.filter(({ type }) => type === 'too-large')).toEqual([
      { type: 'too-large', entity: 'e', key: '000007', bytes: 101 },
      { type: 'too-large', entity: 'e', key: '002400', bytes: 102 },
    ])
    expect(await allRows(memory)).toEqual([])
  })
})

it('a record that becomes too large later stops the migration, which can go on without it', async () => {
  const [source, memory] = [await sourceWith(10), inMemoryStore()]
  const target = { ...memory, limits: { ...memory.limits, maxRecBytes: 100 } }
  await migrate(source, target)
  await source.write([row('e', '000003', 2, { rec: new Uint8Array(101) })])
  await expect(migrate(source, target)).rejects.toMatchObject({
    code: 'too_large',
    details: { bytes: 101, maxBytes: 100 },
  })
  await source.write([row('e', '000003', 3)])
  await migrate(source, target, { final: true })
  expect(await allRows(memory)).toEqual(await allRows(source))
})

it('a source that has lost all its rows does not take those of the target with it', async () => {
  const [source, target] = [await sourceWith(3), inMemoryStore()]
  await migrate(source, target)
  await expect(migrate(inMemoryStore(), target, { final: true })).rejects.toMatchObject(refused('has no rows any more'))
  await migrate(source, target, { final: true })
  expect(await allRows(target)).toEqual(await allRows(source))
})
