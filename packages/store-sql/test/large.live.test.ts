import { MAX_REC_BYTES } from '@keepsake/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { liveDatabases } from './live-database.ts'
import { applied, row } from './rows.ts'

describe.each(await liveDatabases())('$name', (database) => {
  beforeAll(async () => {
    await database.create()
    await using store = database.open()
    await store.provision()
  })
  afterAll(() => database[Symbol.asyncDispose]())

  test('10,000 rows in one call, removed as one entity', async () => {
    await using store = database.open()
    const rows = Array.from({ length: 10_000 }, (_, i) => row({ entity: 'many', key: String(i).padStart(5, '0') }))
    // The last is the second of its key: the batch that it is in is written in two waves.
    expect(await store.write([...rows, row({ entity: 'many', key: '09999', seq: 2 })])).toEqual(applied(10_001))
    expect((await store.scan('many', { limit: 20_000 })).map(({ key }) => key)).toEqual(rows.map(({ key }) => key))
    const found = await store.load(rows)
    expect([found.length, found.every((stored) => stored !== undefined), found.at(-1)?.seq]).toEqual([10_000, true, 2])
    expect(await store.remove(rows.slice(0, 2500).map(({ entity, key }) => ({ entity, key, seq: 1 })))).toBe(2500)
    await store.write(rows)
    // More than are removed by one statement.
    await store.write(Array.from({ length: 2_001 }, (_, i) => row({ entity: 'many', key: `x${i}` })))
    expect(await store.removeEntity('many')).toBe(12_001)
    expect(await store.entities({ prefix: 'many', limit: 1 })).toEqual([])
  })

  test('3,000 entities in pages of every size', async () => {
    await using store = database.open()
    const names = Array.from({ length: 3000 }, (_, i) => `e${String(i).padStart(4, '0')}`)
    await store.write(names.flatMap((entity) => [row({ entity, key: 'a' }), row({ entity, key: 'b' })]))
    expect(await store.entities({ prefix: 'e', limit: 5000 })).toEqual(names)
    expect(await store.entities({ prefix: 'e1', after: 'e1499', limit: 2000 })).toEqual(names.slice(1500, 2000))
    expect(await store.entities({ prefix: 'e', after: 'e2998', limit: 2 })).toEqual(['e2999'])
    expect(await store.load(names.map((entity) => ({ entity, key: 'b' })))).toHaveLength(3000)
  })

  test('records of the greatest size, ten in one call, next to small ones', async () => {
    await using store = database.open()
    const rec = new Uint8Array(MAX_REC_BYTES).fill(7)
    const rows = Array.from({ length: 20 }, (_, i) =>
      row({ entity: 'large', key: String(i).padStart(2, '0'), ...(i % 2 === 0 && { rec }) }),
    )
    expect(await store.write(rows)).toEqual(applied(20))
    const found = await store.scan('large', { limit: 20 })
    expect(found.map((stored) => stored.rec.length)).toEqual(rows.map((written) => written.rec.length))
    expect(await store.removeEntity('large')).toBe(20)
  })

  test('64 writers at once, on ten connections', async () => {
    await using store = database.open()
    const writers = Array.from({ length: 64 }, async (_, writer) => {
      for (let seq = 1; seq <= 20; seq++) {
        await store.write([
          row({ entity: 'writers', key: `own ${writer}`, seq }),
          row({ entity: 'writers', key: 'shared', seq }),
        ])
      }
    })
    await Promise.all(writers)
    const seqs = (await store.scan('writers', { limit: 100 })).map(({ seq }) => seq)
    expect(seqs).toEqual(Array(65).fill(20))
  })
})
