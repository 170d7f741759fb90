import { describe, expect, it } from 'vitest'
import { inMemoryStore } from '../src/rows/in-memory-store.ts'
import type { Range, RowStore } from '../src/rows/row-store.ts'
import { walkEntities, walkRows } from '../src/migration/walk-rows.ts'
import { manyRows, row } from './migration-stores.ts'

/** A store that remembers how many rows or names each call asked for. */
function counted(store: RowStore): { store: RowStore; asked: number[] } {
  const asked: number[] = []
  const note = (range: Range): Range => {
    asked.push(range.limit)
    return range
  }
  return {
    asked,
    store: {
      ...store,
      scan: (entity, range, options) => store.scan(entity, note(range), options),
      entities: (range, options) => store.entities(note(range), options),
    },
  }
}

async function keys(rows: AsyncIterable<{ key: string }>): Promise<string[]> {
  const found: string[] = []
  for await (const { key } of rows) found.push(key)
  return found
}

describe('walkRows', () => {
  it('reads small rows 16 at first and then 250 at a time, each once and in order', async () => {
    const { store, asked } = counted(inMemoryStore())
    const rows = manyRows('e', 600)
    await store.write(rows)
    expect(await keys(walkRows(store, 'e'))).toEqual(rows.map(({ key }) => key))
    // 16 + 250 + 250 + 84: the last page is not full.
    expect(asked).toEqual([16, 250, 250, 250])
  })

  it('reads large rows in pages of some 8 MB, one at least', async () => {
    const { store, asked } = counted(inMemoryStore())
    // After 16 rows of 4,000,000 bytes, two fit into 8,000,000, but for the rounding: one.
    await store.write(manyRows('e', 18).map((one) => ({ ...one, rec: new Uint8Array(4_000_000) })))
    expect(await keys(walkRows(store, 'e'))).toHaveLength(18)
    expect(asked).toEqual([16, 1, 1, 1])
  })

  it('takes a prefix, a beginning and a limit, and stops reading there', async () => {
    const { store, asked } = counted(inMemoryStore())
    await store.write(['a1', 'a2', 'a3', 'a4', 'b1'].map((key) => row('e', key)))
    expect(await keys(walkRows(store, 'e', { prefix: 'a', after: 'a1' }))).toEqual(['a2', 'a3', 'a4'])
    expect(await keys(walkRows(store, 'e', { after: 'a2', limit: 2 }))).toEqual(['a3', 'a4'])
    expect(asked).toEqual([16, 2])
  })

  it('ends when its signal fires', async () => {
    const store = inMemoryStore()
    await store.write(manyRows('e', 20))
    const stop = new AbortController()
    const walk = walkRows(store, 'e', { signal: stop.signal })
    for (let i = 0; i < 16; i++) await walk.next()
    stop.abort()
    await expect(walk.next()).rejects.toMatchObject({ code: 'aborted' })
  })
})

describe('walkEntities', () => {
  it('reads 1,000 names at a time', async () => {
    const { store, asked } = counted(inMemoryStore())
    const names = Array.from({ length: 1001 }, (_, i) => String(i).padStart(4, '0'))
    await store.write(names.map((name) => row(name, 'k')))
    const found: string[] = []
    for await (const name of walkEntities(store, { after: '0000' })) found.push(name)
    expect(found).toEqual(names.slice(1))
    // The first page is full, so a second one is asked for, and is empty.
    expect(asked).toEqual([1000, 1000])
  })
})
