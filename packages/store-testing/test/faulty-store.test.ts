import { inMemoryStore, KeepsakeError, type RowWrite } from '@keepsake/core'
import { describe, expect, it } from 'vitest'
import { faultyStore, seededFaults, testRowStore, type Fault, type StoreMethod } from '../src/index.ts'

const row = (seq: number, rec = 'x'): RowWrite => ({
  entity: 'e',
  key: 'k',
  seq,
  rec: new TextEncoder().encode(rec),
  updatedAtMs: 1,
})
const id = { entity: 'e', key: 'k' }
const at = (index: number, fault: Fault, method: StoreMethod = 'write') => [{ method, index, fault }]

const drawn = (seed: number): (string | undefined)[] => {
  const plan = seededFaults(seed, { fail: 0.2, loseAnswer: 0.2, duplicate: 0.2 })
  return Array.from({ length: 1000 }, (_, index) => plan({ method: 'write', index, total: index })?.kind)
}

describe('faultyStore', () => {
  it('fails before the store is reached', async () => {
    const store = faultyStore(inMemoryStore(), at(1, { kind: 'fail' }))
    await store.write([row(1)])
    const error = await store.write([row(2)]).catch((e: unknown) => e)
    expect(KeepsakeError.isInstance(error, 'unavailable')).toBe(true)
    expect(error).toMatchObject({
      retryable: true,
      message: 'Injected fault: fail at write 1.',
      details: { kind: 'fail', method: 'write', index: 1 },
    })
    expect((await store.load([id]))[0]?.seq).toBe(1)
  })

  it('loses an answer after the write took effect', async () => {
    const store = faultyStore(inMemoryStore(), at(0, { kind: 'lose-answer' }))
    await expect(store.write([row(1)])).rejects.toMatchObject({ code: 'unavailable' })
    expect((await store.load([id]))[0]?.seq).toBe(1)
    expect(await store.write([{ ...row(1), guard: 'absent' }])).toEqual([{ status: 'applied' }])
  })

  it('applies only the first rows', async () => {
    const store = faultyStore(inMemoryStore(), at(0, { kind: 'partial', rows: 2 }))
    const rows = ['a', 'b', 'c'].map((key) => ({ ...row(1), key }))
    await expect(store.write(rows)).rejects.toMatchObject({ code: 'unavailable' })
    expect((await store.scan('e', { limit: 9 })).map((r) => r.key)).toEqual(['a', 'b'])
  })

  it('delays until it is told to go on', async () => {
    const gate = Promise.withResolvers<void>()
    const inner = inMemoryStore()
    const store = faultyStore(inner, at(0, { kind: 'delay', until: gate.promise }))
    const writing = store.write([row(1)])
    expect(await inner.load([id])).toEqual([undefined])
    gate.resolve()
    expect(await writing).toEqual([{ status: 'applied' }])
    expect((await inner.load([id]))[0]?.seq).toBe(1)
  })

  it('sends a write again, late, as it was', async () => {
    const gate = Promise.withResolvers<void>()
    const store = faultyStore(inMemoryStore(), at(0, { kind: 'duplicate', until: () => gate.promise }))
    const first = row(1, 'first')
    await store.write([first])
    first.rec.fill(0)
    await store.remove([id])
    gate.resolve()
    await store.settled()
    expect(new TextDecoder().decode((await store.load([id]))[0]?.rec)).toBe('first')
  })

  it('a late duplicate does not come back over the next write', async () => {
    const gate = Promise.withResolvers<void>()
    const store = faultyStore(inMemoryStore(), at(0, { kind: 'duplicate', until: gate.promise }))
    await store.write([row(1)])
    await store.write([row(2, 'next')])
    gate.resolve()
    await store.settled()
    expect((await store.load([id]))[0]?.seq).toBe(2)
  })

  it('tells of a refused late duplicate in settled()', async () => {
    const inner = inMemoryStore()
    const gate = Promise.withResolvers<void>()
    const store = faultyStore(inner, at(0, { kind: 'duplicate', until: gate.promise }))
    await store.write([row(1)])
    await store.close()
    gate.resolve()
    await expect(store.settled()).rejects.toMatchObject({ code: 'unavailable' })
  })

  it('throws the error of the plan', async () => {
    const error = new Error('socket hang up')
    const plan = (['load', 'scan', 'entities', 'remove', 'removeEntity'] as const).flatMap((method) =>
      at(0, { kind: 'fail', error }, method),
    )
    const store = faultyStore(inMemoryStore(), plan)
    await expect(store.load([id])).rejects.toBe(error)
    await expect(store.scan('e', { limit: 1 })).rejects.toBe(error)
    await expect(store.entities({ limit: 1 })).rejects.toBe(error)
    await expect(store.remove([id])).rejects.toBe(error)
    await expect(store.removeEntity('e')).rejects.toBe(error)
    expect(store.faults.map(({ call }) => [call.method, call.index, call.total])).toEqual([
      ['load', 0, 0],
      ['scan', 0, 1],
      ['entities', 0, 2],
      ['remove', 0, 3],
      ['removeEntity', 0, 4],
    ])
  })

  it('asks a function at every call', async () => {
    const store = faultyStore(inMemoryStore(), ({ total }) => (total % 2 === 1 ? { kind: 'fail' } : undefined))
    await store.write([row(1)])
    await expect(store.load([id])).rejects.toMatchObject({ code: 'unavailable' })
    expect((await store.load([id]))[0]?.seq).toBe(1)
  })
})

describe('seededFaults', () => {
  it('gives the same faults for the same seed, and others for another', () => {
    expect(drawn(1)).toEqual(drawn(1))
    expect(drawn(1)).not.toEqual(drawn(2))
  })

  it('keeps to its rates', () => {
    for (const kind of ['fail', 'lose-answer', 'duplicate']) {
      const count = drawn(7).filter((k) => k === kind).length
      expect(count).toBeGreaterThan(150)
      expect(count).toBeLessThan(250)
    }
  })

  it('loses no answer of a read and duplicates only writes', () => {
    const plan = seededFaults(1, { loseAnswer: 0.5, duplicate: 0.5 })
    for (let total = 0; total < 100; total++) {
      expect(plan({ method: 'load', index: total, total })).toBeUndefined()
      expect(plan({ method: 'remove', index: total, total })?.kind).not.toBe('duplicate')
    }
  })

  it.each([{ fail: -0.1 }, { fail: 1.1 }, { fail: Number.NaN }, { fail: 0.6, loseAnswer: 0.6 }])(
    'refuses the rates %j',
    (rates) => expect(() => seededFaults(1, rates)).toThrow(/must be between 0 and 1/),
  )
})

// Without a fault, the decorator changes nothing.
testRowStore('a faulty store without faults', async () => faultyStore(inMemoryStore(), []))
