import { inMemoryStore } from '@keepsake/core'
import { scriptedModel, toolCall } from '@keepsake/store-testing'
import { tool } from 'ai'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { createAgent } from '../src/index.ts'
import { fine, rejection, saidIn } from './support.ts'

const again = tool({ inputSchema: z.object({}), execute: async () => 'again' })

describe('limits', () => {
  test('maxSteps ends an endless loop after a whole step, and the thread can go on', async () => {
    const model = scriptedModel(({ prompt }) => (prompt.at(-1)!.content[0] === undefined ? 'x' : toolCall('again', {})))
    const agent = createAgent({ model, store: inMemoryStore(), tools: { again }, limits: { maxSteps: 3 } })
    const result = await agent.run({ threadId: 't', prompt: 'Go' })
    expect(result).toMatchObject({ status: 'completed', finishReason: 'tool-calls', text: '' })
    expect(model.calls).toHaveLength(3)
    expect(result.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'tool',
      'assistant',
      'tool',
    ])
    await agent.run({ threadId: 't', prompt: 'Go on' })
    expect(model.calls[3]!.prompt.map(({ role }) => role).join()).toBe(
      'user,assistant,tool,assistant,tool,assistant,tool,user',
    )
  })

  test('twenty steps by default', async () => {
    const model = scriptedModel(() => toolCall('again', {}))
    await createAgent({ model, history: 'none', tools: { again } }).run({ threadId: 't', prompt: 'Go' })
    expect(model.calls).toHaveLength(20)
  })

  test('maxTokens ends the loop after the step that reached it', async () => {
    // Each step takes 15 tokens: 15, 30, 45.
    const model = scriptedModel(() => toolCall('again', {}))
    const agent = createAgent({ model, store: inMemoryStore(), tools: { again }, limits: { maxTokens: 31 } })
    const result = await agent.run({ threadId: 't', prompt: 'Go' })
    expect(result).toMatchObject({ finishReason: 'length', usage: { totalTokens: 45 } })
    expect(result.messages.at(-1)!.role).toBe('tool')
  })

  test('an answer that is done is done, whatever it took', async () => {
    const agent = createAgent({ model: fine(), history: 'none', limits: { maxTokens: 1, maxSteps: 1 } })
    expect(await agent.run({ threadId: 't', prompt: 'Go' })).toMatchObject({ finishReason: 'stop', text: 'Fine 1.' })
  })

  describe('timeoutMs', () => {
    beforeEach(() => void vi.useFakeTimers())
    afterEach(() => void vi.useRealTimers())

    test('a run that takes longer fails, may be repeated, and stores nothing', async () => {
      const store = inMemoryStore()
      let signal: AbortSignal | undefined
      const model = scriptedModel(({ abortSignal }) => {
        signal = abortSignal
        return new Promise<never>(() => {})
      })
      const agent = createAgent({ model, store, limits: { timeoutMs: 1_000 } })
      const failed = rejection(agent.run({ threadId: 't', prompt: 'Hi' }))
      await vi.advanceTimersByTimeAsync(999)
      expect(signal!.aborted).toBe(false)
      await vi.advanceTimersByTimeAsync(1)
      const error = await failed
      expect(error).toMatchObject({ code: 'run_failed', retryable: true, details: { timeoutMs: 1_000 } })
      expect(signal!.reason).toMatchObject({ code: 'run_failed', message: error.message })
      expect(await saidIn(store)).toEqual([])
      expect(vi.getTimerCount()).toBe(0)
    })

    test('ten minutes by default; no timer stays behind', async () => {
      const model = scriptedModel(() => new Promise<never>(() => {}))
      const failed = rejection(createAgent({ model, history: 'none' }).run({ threadId: 't', prompt: 'Hi' }))
      await vi.advanceTimersByTimeAsync(600_000)
      expect((await failed).details).toMatchObject({ timeoutMs: 600_000 })
      await createAgent({ model: fine(), history: 'none' }).run({ threadId: 't', prompt: 'Hi' })
      expect(vi.getTimerCount()).toBe(0)
    })
  })
})
