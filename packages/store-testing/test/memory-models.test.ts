import { inMemoryStore, type RowStore } from '@keepsake/core'
import { describe, expect, it } from 'vitest'
import { runModelCaseOn } from '../src/model-cases/run-model-case.ts'
import { memoryModelCases, runMemoryModelCase, testMemoryModels } from '../src/index.ts'

testMemoryModels('chat memory and records over the in-memory store', async () => inMemoryStore())

describe('the cases', () => {
  it('have names of their own', () => {
    const names = memoryModelCases.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    expect(names.length).toBeGreaterThan(300)
  })

  it('leave nothing behind, and run without a test runner', async () => {
    const store = inMemoryStore()
    const open = async () => ({ ...store, close: async () => {}, [Symbol.asyncDispose]: async () => {} })
    for (const testCase of memoryModelCases.filter(({ topic }) => topic === 'chat: owners')) {
      await runMemoryModelCase(testCase, open)
    }
    expect(await store.entities({ limit: 10 })).toEqual([])
  })

  it('of erasure find a store that removes rows of others, and one that keeps names beside its rows', async () => {
    const [first] = memoryModelCases.filter(({ topic }) => topic === 'erasure')
    const store = inMemoryStore()
    const greedy: RowStore = {
      ...store,
      async remove(ids, options) {
        const removed = await store.remove(ids, options)
        for (const { entity } of ids) await store.removeEntity(entity.replace('zoe', 'bob'))
        return removed
      },
    }
    await expect(runModelCaseOn(greedy, first!)).rejects.toThrow('rows of the other')
    const names: string[] = []
    const logging: RowStore = {
      ...store,
      write(rows) {
        names.push(...rows.map(({ entity }) => entity))
        return store.write(rows)
      },
    }
    await expect(runModelCaseOn(logging, first!, async () => names.join('\n'))).rejects.toThrow(
      'what the database itself still says',
    )
  })

  it('are skipped only with a reason', () => {
    const register = (skip: Record<string, string>) => testMemoryModels('x', async () => inMemoryStore(), { skip })
    expect(() => register({ 'no such case': 'because' })).toThrow('which is no case and no topic')
    expect(() => register({ 'chat: order': ' ' })).toThrow('needs a reason')
  })
})
