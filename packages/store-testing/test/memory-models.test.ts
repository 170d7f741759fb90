import { inMemoryStore } from '@keepsake/core'
import { describe, expect, it } from 'vitest'
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

  it('are skipped only with a reason', () => {
    const register = (skip: Record<string, string>) => testMemoryModels('x', async () => inMemoryStore(), { skip })
    expect(() => register({ 'no such case': 'because' })).toThrow('which is no case and no topic')
    expect(() => register({ 'chat: order': ' ' })).toThrow('needs a reason')
  })
})
