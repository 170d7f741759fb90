import { expect, it } from 'vitest'
import { createClock, directoryRows, inMemoryStore, registerSubject, subjectEntity } from '../src/index.ts'

const clock = createClock({ nowMs: () => Date.UTC(2026, 0, 1) })

it('registering says in which entities a person has rows, and again changes nothing', async () => {
  const store = inMemoryStore()
  await registerSubject(store, ['ada'], ['one', 'two'], clock)
  const first = await store.scan(subjectEntity('ada'), { limit: 10 })
  expect(first.map(({ key }) => key)).toEqual(['e\u0001one\u0001', 'e\u0001two\u0001'])
  await registerSubject(store, ['ada'], ['two', 'one'], clock)
  expect(await store.scan(subjectEntity('ada'), { limit: 10 })).toEqual(first)
})

it('a directory row that this process has not written is written at once, one that it has is sent along', async () => {
  const store = inMemoryStore()
  expect(await directoryRows(store, [['ada'], ['bob']], 'one', clock)).toEqual([])
  expect(await store.scan(subjectEntity('ada'), { limit: 10 })).toHaveLength(1)
  expect(await store.scan(subjectEntity('bob'), { limit: 10 })).toHaveLength(1)
  await store.removeEntity(subjectEntity('ada'))
  // It was erased since: with the next write it is there again.
  const again = await directoryRows(store, [['ada']], 'one', clock)
  expect(again).toMatchObject([{ entity: subjectEntity('ada'), key: 'e\u0001one\u0001', guard: 'absent' }])
  await store.write(again)
  expect(await store.scan(subjectEntity('ada'), { limit: 10 })).toHaveLength(1)
})
