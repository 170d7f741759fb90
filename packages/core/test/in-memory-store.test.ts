import { describe, expect, it } from 'vitest'
import { inMemoryStore } from '../src/rows/in-memory-store.ts'
import type { RowWrite } from '../src/rows/row-store.ts'
import { caught } from './caught.ts'

// The rules of the contract are in the suite of @keepsake/store-testing, which runs on this store too.

const row = (key: string, rec: Uint8Array = Uint8Array.of(1)): RowWrite => ({
  entity: 'e',
  key,
  seq: 1,
  rec,
  updatedAtMs: 0,
})

describe('inMemoryStore', () => {
  it('says what it is', () => {
    const store = inMemoryStore()
    expect(store.name).toBe('memory')
    expect(store.limits).toEqual({ maxRecBytes: 4_194_304, maxBatchRows: 1000, atomicBatch: true })
    expect(JSON.stringify(store)).toBe(JSON.stringify({ name: store.name, limits: store.limits }))
  })

  it('copies bytes in and out, of Buffers too, whose slices share memory', async () => {
    const store = inMemoryStore()
    const [plain, buffer] = [Uint8Array.of(1, 2), Buffer.from([1, 2])]
    await store.write([row('plain', plain), row('buffer', buffer)])
    plain[0] = 9
    buffer[0] = 9
    const [first] = await store.load([row('plain')])
    first!.rec[1] = 9
    const rows = await store.scan('e', { limit: 5 })
    expect(rows.map(({ rec }) => Array.from(rec))).toEqual([
      [1, 2],
      [1, 2],
    ])
    expect(rows.every(({ rec }) => Object.getPrototypeOf(rec) === Uint8Array.prototype)).toBe(true)
  })

  it('gives nothing back that a caller added to a row', async () => {
    const store = inMemoryStore()
    await store.write([{ ...row('k'), guard: 'absent', secret: 1 } as RowWrite])
    expect(await store.load([row('k')])).toStrictEqual([
      { entity: 'e', key: 'k', seq: 1, rec: Uint8Array.of(1), updatedAtMs: 0 },
    ])
  })

  it('forgets an entity with its last row', async () => {
    const store = inMemoryStore()
    await store.write([row('a'), row('b')])
    expect(await store.remove([{ entity: 'e', key: 'a' }])).toBe(1)
    expect(await store.entities({ limit: 5 })).toEqual(['e'])
    expect(await store.remove([{ entity: 'e', key: 'b', seq: 2 }])).toBe(0)
    expect(await store.entities({ limit: 5 })).toEqual(['e'])
    expect(await store.remove([{ entity: 'e', key: 'b', seq: 1 }])).toBe(1)
    expect(await store.entities({ limit: 5 })).toEqual([])
  })

  it('takes names that objects have a meaning for', async () => {
    const store = inMemoryStore()
    for (const name of ['__proto__', 'constructor', 'toString']) {
      await store.write([{ ...row(name), entity: name }])
      expect(await store.scan(name, { limit: 5 })).toHaveLength(1)
    }
    expect(await store.entities({ limit: 5 })).toEqual(['__proto__', 'constructor', 'toString'])
    expect(await store.removeEntity('valueOf')).toBe(0)
  })

  it('is emptied by provision({ down: true }), and by nothing less', async () => {
    const store = inMemoryStore()
    await store.write([row('a')])
    await store.provision()
    await store.verify()
    expect(await store.entities({ limit: 5 })).toEqual(['e'])
    await store.provision({ down: true })
    expect(await store.entities({ limit: 5 })).toEqual([])
  })

  it('refuses every call after close, which may be called twice', async () => {
    const store = inMemoryStore()
    await store.close()
    await store.close()
    await store[Symbol.asyncDispose]()
    const calls = [
      () => store.load([]),
      () => store.scan('e', { limit: 1 }),
      () => store.entities({ limit: 1 }),
      () => store.write([]),
      () => store.remove([]),
      () => store.removeEntity('e'),
      () => store.provision(),
      () => store.verify(),
    ]
    for (const call of calls) {
      const error = await caught(call)
      expect(error.code).toBe('unavailable')
      expect(error.message).toBe('This memory store was closed; open a new one.')
    }
  })

  it('does nothing for a caller who has left', async () => {
    const store = inMemoryStore()
    const signal = AbortSignal.abort()
    expect((await caught(() => store.write([row('a')], { signal }))).code).toBe('aborted')
    expect(await store.load([row('a')])).toEqual([undefined])
  })
})
