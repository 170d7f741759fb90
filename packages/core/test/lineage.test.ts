import { describe, expect, it } from 'vitest'
import { createClock, SEQ_EPOCH_MS } from '../src/clock.ts'
import { decodeEnvelope } from '../src/values/envelope.ts'
import { inMemoryStore } from '../src/rows/in-memory-store.ts'
import { registerSubject, REGISTRATION_MS } from '../src/lineage.ts'
import { ownerEntity, subjectEntity, threadEntity } from '../src/owner.ts'
import type { RowStore, RowWrite } from '../src/rows/row-store.ts'

function setup() {
  const inner = inMemoryStore()
  const written: (readonly RowWrite[])[] = []
  const store: RowStore = {
    ...inner,
    write(rows, options) {
      written.push(rows)
      return inner.write(rows, options)
    },
  }
  let ms = 1000
  const clock = createClock({ nowMs: () => SEQ_EPOCH_MS + ms })
  return { store, written, clock, pass: (passed: number) => (ms += passed) }
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

  it('does not write again what it wrote in the last minute', async () => {
    const { store, written, clock, pass } = setup()
    await registerSubject(store, ['ada'], ['e1'], clock)
    pass(REGISTRATION_MS - 1)
    await registerSubject(store, ['ada'], ['e1', 'e2'], clock)
    expect(written.map((rows) => rows.map(({ key }) => key))).toEqual([['e\u0001e1\u0001'], ['e\u0001e2\u0001']])
    pass(1)
    await registerSubject(store, ['ada'], ['e1'], clock)
    expect(written).toHaveLength(3)
  })

  it('leaves a row that is there as it is', async () => {
    const { store, clock, pass } = setup()
    await registerSubject(store, ['ada'], ['e1'], clock)
    const before = await store.scan(subjectEntity('ada'), { limit: 10 })
    pass(REGISTRATION_MS)
    await registerSubject(store, ['ada'], ['e1'], clock)
    expect(await store.scan(subjectEntity('ada'), { limit: 10 })).toEqual(before)
  })

  it('keeps stores, subjects and entities apart', async () => {
    const [a, b] = [setup(), setup()]
    await registerSubject(a.store, ['ada'], ['e'], a.clock)
    await registerSubject(b.store, ['ada'], ['e'], b.clock)
    await registerSubject(a.store, ['bob'], ['e'], a.clock)
    expect([a.written.length, b.written.length]).toEqual([2, 1])
  })

  it('tries again after a write that failed', async () => {
    const { store, clock } = setup()
    const failing: RowStore = { ...store, write: () => Promise.reject(new Error('no network')) }
    await expect(registerSubject(failing, ['ada'], ['e'], clock)).rejects.toThrow('no network')
    failing.write = (rows) => store.write(rows)
    await registerSubject(failing, ['ada'], ['e'], clock)
    expect(await store.scan(subjectEntity('ada'), { limit: 10 })).toHaveLength(1)
  })

  it('registers anew when the clock was set back', async () => {
    const { store, written, clock, pass } = setup()
    await registerSubject(store, ['ada'], ['e'], clock)
    pass(-500)
    await registerSubject(store, ['ada'], ['e'], clock)
    expect(written).toHaveLength(2)
  })
})
