import { describe, expect, it } from 'vitest'
import { createClock, SEQ_EPOCH_MS } from '../src/clock.ts'
import { decodeEnvelope } from '../src/values/envelope.ts'
import { inMemoryStore } from '../src/rows/in-memory-store.ts'
import { directoryRows, registerSubject } from '../src/lineage.ts'
import { ownerEntity, subjectEntity, threadEntity } from '../src/owner.ts'
import type { RowStore, RowWrite } from '../src/rows/row-store.ts'

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
    })
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

describe('directoryRows', () => {
  const written = (write: readonly RowWrite[]): string[] => write.map(({ entity, key }) => entity + key)

  it('writes by itself what this process did not write yet, and gives what it did', async () => {
    const { store, writes, clock } = setup()
    const ada = 'subject\u0001ada\u0001e\u0001e1\u0001'
    const bob = 'subject\u0001bob\u0001e\u0001e1\u0001'
    expect(await directoryRows(store, [['ada']], 'e1', clock, {})).toEqual([])
    const rows = await directoryRows(store, [['ada'], ['bob'], ['ada']], 'e1', clock, {})
    expect(writes.map(written)).toEqual([[ada], [bob]])
    expect(written(rows)).toEqual([ada])
    expect(rows[0]!.guard).toBe('absent')
  })

  it('keeps stores and entities apart', async () => {
    const [a, b] = [setup(), setup()]
    await directoryRows(a.store, [['ada']], 'e1', a.clock, {})
    await directoryRows(b.store, [['ada']], 'e1', b.clock, {})
    await directoryRows(a.store, [['ada']], 'e2', a.clock, {})
    expect([a.writes.length, b.writes.length]).toEqual([2, 1])
  })

  it('keeps subjects and entities apart whose texts are the same when they are joined', async () => {
    const { store, writes, clock } = setup()
    await directoryRows(store, [['a']], ownerEntity(['x', 'owner', 'y']), clock, {})
    await directoryRows(store, [['a', 'owner', 'x']], ownerEntity(['y']), clock, {})
    expect(writes).toHaveLength(2)
  })

  it('tries again after a write that failed', async () => {
    const { store, clock } = setup()
    const failing: RowStore = { ...store, write: () => Promise.reject(new Error('no network')) }
    await expect(directoryRows(failing, [['ada']], 'e', clock, {})).rejects.toThrow('no network')
    failing.write = (rows) => store.write(rows)
    expect(await directoryRows(failing, [['ada']], 'e', clock, {})).toEqual([])
    expect(await store.scan(subjectEntity('ada'), { limit: 10 })).toHaveLength(1)
  })
})
