import { expect, it } from 'vitest'
import { eraseSubject } from '../src/erasure/erase-subject.ts'
import { FENCE_KEY } from '../src/erasure/fence.ts'
import { subjectEntity, threadEntity } from '../src/owner.ts'
import { chatMemory } from '../src/chat/chat-memory.ts'
import { records } from '../src/records/records.ts'
import { inMemoryStore } from '../src/rows/in-memory-store.ts'
import type { RowStore } from '../src/rows/row-store.ts'
import { caught } from './caught.ts'
import { say, traces } from './erasure-support.ts'

// Both found by the engine's simulation (packages/agent/test/simulation/erasure.ts).

it('a writer does not rely on a directory row that another, who is about to be refused, has just made', async () => {
  const store = inMemoryStore()
  const about = (on: RowStore, key: string) => records(on, 'team').put([key], 'zoe likes kites', { subject: 'zoe' })
  let second: unknown
  // The first has made the directory row, and is about to meet the fence, when the second comes.
  const first: RowStore = {
    ...store,
    async load(ids, options) {
      if (second === undefined && ids.some(({ key }) => key === FENCE_KEY)) {
        second = 'on its way'
        second = (await caught(() => about({ ...store }, 'second'))).code
      }
      return store.load(ids, options)
    },
  }
  let waits = 0
  await eraseSubject(store, 'zoe', {
    graceMs: 1,
    onProgress({ step }) {
      if (step !== 'wait' || waits++ > 0) return
      void about(first, 'first').catch(() => {})
    },
  })
  await expect.poll(() => second).toBe('conflict')
  expect(await traces(store, 'zoe')).toEqual([])
})

it('what an erasure that was killed had still sent does not hide anything from the one that goes on', async () => {
  const store = inMemoryStore()
  await chatMemory(store).append('t', say('I am zoe'), { owner: 'zoe' })
  const directory = subjectEntity('zoe')
  const died = new Error('killed')
  let late: (() => Promise<unknown>) | undefined
  const killed: RowStore = {
    ...store,
    async remove(ids, options) {
      if (ids[0]?.entity !== directory) return store.remove(ids, options)
      late = () => store.remove(ids, options)
      throw died
    },
  }
  await expect(eraseSubject(killed, 'zoe', { graceMs: 0 })).rejects.toBe(died)

  // The next one lists the thread again and fences it; then the removal lands, and then it fails, too.
  const goesOn: RowStore = {
    ...store,
    async write(rows, options) {
      const results = await store.write(rows, options)
      if (late !== undefined && rows.some(({ entity }) => entity === threadEntity('t'))) {
        await late()
        late = undefined
        throw died
      }
      return results
    },
  }
  await expect(eraseSubject(goesOn, 'zoe', { graceMs: 0 })).rejects.toBe(died)
  await eraseSubject(store, 'zoe', { graceMs: 0 })
  expect(await store.scan(threadEntity('t'), { limit: 9 })).toEqual([])
  expect(await traces(store, 'zoe')).toEqual([])
})
