import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { createClock, inMemoryStore } from '@keepsake/core'
import { scriptedModel, toolCall } from '@keepsake/store-testing'
import { tool } from 'ai'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { createAgent } from '../src/index.ts'
import { rejection, saidIn } from './support.ts'

/* Models and tools that have everything ready at once, for ever: no timer would fire if nobody let it. */

const timedOut = { code: 'run_failed', retryable: true, details: { timeoutMs: 5 } }

test('a stream that never waits', async () => {
  const store = inMemoryStore()
  const model = scriptedModel([])
  model.doStream = async () => ({
    stream: new ReadableStream<LanguageModelV4StreamPart>({
      pull: (out) => out.enqueue({ type: 'text-delta', id: '1', delta: 'x' }),
    }),
  })
  const agent = createAgent({ model, store, limits: { timeoutMs: 5 } })
  expect(await rejection(agent.stream({ threadId: 't', prompt: 'Hi' }).result)).toMatchObject(timedOut)
  expect(await saidIn(store)).toEqual([])
})

test('a tool that never waits', async () => {
  const store = inMemoryStore()
  const tools = {
    t: tool({
      inputSchema: z.object({}),
      async *execute() {
        for (let n = 0; ; n++) yield n
      },
    }),
  }
  const agent = createAgent({ model: scriptedModel([toolCall('t', {})]), store, tools, limits: { timeoutMs: 5 } })
  expect(await rejection(agent.run({ threadId: 't', prompt: 'Hi' }))).toMatchObject(timedOut)
  expect(await saidIn(store)).toEqual([])
})

test('a model that never waits: the clock says when its time is up', async () => {
  const store = inMemoryStore()
  let nowMs = 0
  const model = scriptedModel(() => {
    nowMs += 2
    return toolCall('t', {})
  })
  const tools = { t: tool({ inputSchema: z.object({}), execute: () => 1 }) }
  const agent = createAgent({
    model,
    store,
    tools,
    clock: createClock({ nowMs: () => nowMs }),
    limits: { timeoutMs: 5, maxSteps: 1_000 },
  })
  expect(await rejection(agent.run({ threadId: 't', prompt: 'Hi' }))).toMatchObject(timedOut)
  // At 2, 4 and 6 ms it had answered.
  expect(model.calls).toHaveLength(3)
  expect(await saidIn(store)).toEqual([])
})
