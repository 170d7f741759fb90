import { describe, expect, it } from 'vitest'
import { eraseSubject } from '../src/erasure/erase-subject.ts'
import { records } from '../src/records/records.ts'
import { inMemoryStore } from '../src/rows/in-memory-store.ts'
import { encodeTuple } from '../src/rows/keys.ts'
import type { RowId, RowStore, RowWrite } from '../src/rows/row-store.ts'
import { allRows, lives, NOW, traces } from './erasure-support.ts'

describe('an erasure that was interrupted', () => {
  it('goes on where it was stopped, with the counts and the audit record of before', async () => {
    const store = inMemoryStore()
    await lives(store, 'zoe', 700)
    const stop = new AbortController()
    const erasing = eraseSubject(store, 'zoe', {
      ...NOW,
      signal: stop.signal,
      onProgress: ({ step, rows }) => void (step === 'remove' && rows > 1000 && stop.abort()),
    })
    await expect(erasing).rejects.toMatchObject({ code: 'aborted' })
    const left = (await allRows(store)).length
    expect(left).toBeGreaterThan(1000)
    await expect(records(store, 'zoe').put(['x'], 1)).rejects.toMatchObject({ code: 'conflict' })

    const { counts } = await eraseSubject(store, 'zoe', NOW)
    const threads = { heads: 700, messages: 700, claims: 700, thread_list: 700 }
    expect(counts).toEqual({ ...threads, records: 700, directory: 701 })
    expect(await traces(store, 'zoe')).toEqual([])
    expect(await store.scan(encodeTuple(['audit']), { limit: 9 })).toHaveLength(1)
  })

  it('goes on wherever a crash stopped it', async () => {
    const seed = async (store: RowStore): Promise<void> => {
      await lives(store, 'zoe', 2)
      await records(store, 'bob').put(['from'], 'zoe said', { sources: ['zoe-t0'] })
    }
    const crashing = (store: RowStore, limit: number): RowStore => {
      let left = limit
      const crash =
        <A, R>(call: (arg: A) => Promise<R>) =>
        async (arg: A): Promise<R> => {
          if (left-- <= 0) throw new Error('killed')
          return call(arg)
        }
      return {
        ...store,
        write: crash((rows: readonly RowWrite[]) => store.write(rows)),
        remove: crash((ids: readonly RowId[]) => store.remove(ids)),
      }
    }
    let limit = 0
    for (; limit < 100; limit++) {
      const store = inMemoryStore()
      await seed(store)
      const crashed = await eraseSubject(crashing(store, limit), 'zoe', NOW).then(
        () => false,
        () => true,
      )
      await eraseSubject(store, 'zoe', NOW)
      expect(await traces(store, 'zoe'), `after ${limit} calls`).toEqual([])
      if (!crashed) break
    }
    expect(limit).toBeGreaterThan(10)
    expect(limit).toBeLessThan(100)
  })
})
