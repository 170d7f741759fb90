import { describe, expect, it } from 'vitest'
import { createClock, SEQ_EPOCH_MS } from '../src/clock.ts'
import { LISTED_SEQ } from '../src/erasure/fence.ts'
import { decodeEnvelope } from '../src/values/envelope.ts'
import { inMemoryStore } from '../src/rows/in-memory-store.ts'
import { registerSubject, writeRegistered } from '../src/lineage.ts'
import { ownerEntity, subjectEntity, threadEntity } from '../src/owner.ts'
import { MAX_SEQ, type RowStore, type RowWrite } from '../src/rows/row-store.ts'

function setup() {
  const inner = inMemoryStore()
  const writes: (readonly RowWrite[])[] = []
  const store: RowStore = {
    ...inner,
    write(rows, options) {
      writes.push(rows)
      return inner.write(rows, options)
    },
  }
  let ms = 1000
  const clock = createClock({ nowMs: () => SEQ_EPOCH_MS + ms })
  return { store, writes, clock, pass: (passed: number) => (ms += passed) }
}

describe('registerSubject', () => {
  it('writes one row an entity into the directory of the subject', async () => {
    const { store, clock } = setup()
    await registerSubject(store, ['users', 'ada'], [threadEntity('t1'), ownerEntity('ada')], clock)
    const rows = await store.scan(subjectEntity(['users', 'ada']), { limit: 10 })
    expect(rows.map(({ key }) => key)).toEqual([
      'e\u0001owner\u0002\u0002ada\u0002\u0002\u0001',
      'e\u0001thread\u0002\u0002t1\u0002\u0002\u0001',
    ])
    expect(decodeEnvelope(rows[0]!.rec)).toEqual({
      value: null,
      createdAtMs: SEQ_EPOCH_MS + 1000,
      owner: ['users', 'ada'],
      writeIds: [expect.any(String)],
    })
  })

  it('takes no row of another process for its own, not even one of the same version', async () => {
    const { store } = setup()
    const seqs: (number | undefined)[] = []
    for (const process of [{ ...store }, { ...store }]) {
      const clock = createClock({ nowMs: () => SEQ_EPOCH_MS })
      await registerSubject(process, ['ada'], ['e1'], clock)
      seqs.push((await store.scan(subjectEntity('ada'), { limit: 2 }))[0]?.seq)
    }
    // What is relied on beside its maker is not removed by its maker.
    expect(seqs[0]).toBeLessThan(LISTED_SEQ)
    expect(seqs[1]).toBe(LISTED_SEQ)
  })

  it('leaves a row that is there as it is', async () => {
    const { store, clock, pass } = setup()
    await registerSubject(store, ['ada'], ['e1'], clock)
    const before = await store.scan(subjectEntity('ada'), { limit: 10 })
    pass(60_000)
    await registerSubject(store, ['ada'], ['e1'], clock)
    expect(await store.scan(subjectEntity('ada'), { limit: 10 })).toEqual(before)
  })
})

describe('writeRegistered', () => {
  const names = (write: readonly RowWrite[]): string[] => write.map(({ entity, key }) => entity + key)
  const row = (key: string, seq = 1): RowWrite => ({ entity: 'e1', key, seq, rec: new Uint8Array([1]), updatedAtMs: 0 })

  it('writes by itself what this process did not write yet, and sends what it did in front of the rows', async () => {
    const { store, writes, clock } = setup()
    const ada = 'subject\u0001ada\u0001e\u0001e1\u0001'
    const bob = 'subject\u0001bob\u0001e\u0001e1\u0001'
    await writeRegistered(store, { entity: 'e1', subjects: [['ada']] }, [row('a')], clock)
    const results = await writeRegistered(
      store,
      { entity: 'e1', subjects: [['ada'], ['bob'], ['ada']] },
      [row('b'), row('a', 0)],
      clock,
    )
    expect(writes.map(names)).toEqual([[ada], ['e1a'], [bob], [ada, 'e1b', 'e1a']])
    expect(writes[3]![0]!.guard).toBe('absent')
    expect(results).toEqual([{ status: 'applied' }, { status: 'stale', seq: 1 }])
  })

  it('says of an entity once that it holds derived rows', async () => {
    const { store, clock } = setup()
    await writeRegistered(store, { entity: 'e1', subjects: [['ada']], derived: true }, [row('a')], clock)
    await writeRegistered(store, { entity: 'e1', subjects: [['ada']], derived: true }, [row('b')], clock)
    const listed = await store.scan('derived\u0001', { limit: 10 })
    expect(listed.map(({ key }) => key)).toEqual(['e\u0001e1\u0001'])
  })

  it('keeps stores and entities apart', async () => {
    const [a, b] = [setup(), setup()]
    await writeRegistered(a.store, { entity: 'e1', subjects: [['ada']] }, [], a.clock)
    await writeRegistered(b.store, { entity: 'e1', subjects: [['ada']] }, [], b.clock)
    await writeRegistered(a.store, { entity: 'e2', subjects: [['ada']] }, [], a.clock)
    const counts = [a, b].map(({ writes }) => writes.flat().length)
    expect(counts).toEqual([2, 1])
  })

  it('keeps subjects and entities apart whose texts are the same when they are joined', async () => {
    const { store, writes, clock } = setup()
    await writeRegistered(store, { entity: ownerEntity(['x', 'owner', 'y']), subjects: [['a']] }, [], clock)
    await writeRegistered(store, { entity: ownerEntity(['y']), subjects: [['a', 'owner', 'x']] }, [], clock)
    expect(writes.flat()).toHaveLength(2)
  })

  it('tries again after a write that failed', async () => {
    const { store, clock } = setup()
    const failing: RowStore = { ...store, write: () => Promise.reject(new Error('no network')) }
    const registration = { entity: 'e', subjects: [['ada']] }
    await expect(writeRegistered(failing, registration, [], clock)).rejects.toThrow('no network')
    failing.write = (rows) => store.write(rows)
    expect(await writeRegistered(failing, registration, [], clock)).toEqual([])
    expect(await store.scan(subjectEntity('ada'), { limit: 10 })).toHaveLength(1)
  })

  it('stops where a directory row was written after the directory was fenced, and takes it back', async () => {
    const { store, clock } = setup()
    const fence = { entity: subjectEntity('ada'), key: '!\u0001', seq: 1, rec: new Uint8Array([1]), updatedAtMs: 0 }
    await store.write([fence])
    await expect(registerSubject(store, ['ada'], ['e1'], clock)).rejects.toMatchObject({
      code: 'conflict',
      retryable: false,
      details: { reason: 'erasure' },
    })
    expect(await store.scan(subjectEntity('ada'), { limit: 10 })).toEqual([fence])
  })

  it('registers anew what an erasure that ended meanwhile removed', async () => {
    const { store, clock } = setup()
    let loads = 0
    const meanwhile: RowStore = {
      ...store,
      async load(ids, options) {
        if (++loads === 1) await store.removeEntity(subjectEntity('ada'))
        return store.load(ids, options)
      },
    }
    await registerSubject(meanwhile, ['ada'], ['e1'], clock)
    expect(await store.scan(subjectEntity('ada'), { limit: 10 })).toHaveLength(1)
    expect(loads).toBe(2)
  })

  it('removes what it wrote where its entity turns out to be fenced', async () => {
    const { store, clock } = setup()
    const registration = { entity: 'e1', subjects: [['ada']] }
    await writeRegistered(store, registration, [row('before')], clock)
    const [directory] = await store.scan(subjectEntity('ada'), { limit: 1 })
    await store.write([{ ...directory!, seq: MAX_SEQ }])
    await expect(writeRegistered(store, registration, [row('after'), row('before', 0)], clock)).rejects.toThrow(
      'being erased',
    )
    // What was there before is the eraser's to remove.
    expect((await store.scan('e1', { limit: 10 })).map(({ key }) => key)).toEqual(['before'])
  })
})
