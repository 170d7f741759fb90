import { inMemoryStore, type Message } from '@keepsake/core'
import { scriptedModel, toolCall } from '@keepsake/store-testing'
import { tool } from 'ai'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { createAgent, type Middleware } from '../src/index.ts'
import { fine, rejection, rowsOf } from './support.ts'

const empty = z.object({})
const again = tool({ inputSchema: empty, execute: async () => 'again' })

/** Knows the listeners of a signal. */
function watched(): { controller: AbortController; listeners: () => number } {
  const controller = new AbortController()
  const { signal } = controller
  const listeners = new Set<unknown>()
  const add = signal.addEventListener.bind(signal)
  const remove = signal.removeEventListener.bind(signal)
  signal.addEventListener = (...all: Parameters<typeof add>) => {
    listeners.add(all[1])
    add(...all)
  }
  signal.removeEventListener = (...all: Parameters<typeof remove>) => {
    listeners.delete(all[1])
    remove(...all)
  }
  return { controller, listeners: () => listeners.size }
}

describe('abort', () => {
  test('before the run: nothing is read or called', async () => {
    const store = inMemoryStore()
    const model = fine()
    const reason = new Error('gone')
    const agent = createAgent({ model, store, instructions: () => expect.unreachable() })
    const error = await rejection(agent.run({ threadId: 't', prompt: 'Hi', signal: AbortSignal.abort(reason) }))
    expect(error).toMatchObject({ code: 'aborted', cause: reason, retryable: false })
    expect(model.calls).toEqual([])
    expect(await rowsOf(store)).toEqual([])
  })

  test('while the model answers: it is told, and nothing is stored', async () => {
    const store = inMemoryStore()
    const controller = new AbortController()
    const told = vi.fn()
    const model = scriptedModel(async ({ abortSignal }) => {
      abortSignal!.addEventListener('abort', () => told(abortSignal!.reason))
      controller.abort('stop')
      return new Promise<never>(() => {})
    })
    const error = await rejection(
      createAgent({ model, store }).run({ threadId: 't', prompt: 'Hi', signal: controller.signal }),
    )
    expect(error).toMatchObject({ code: 'aborted', cause: 'stop' })
    expect(told).toHaveBeenCalledExactlyOnceWith('stop')
    expect(await rowsOf(store)).toEqual([])
  })

  test('a model that does not listen is left alone; what it says later is not heard', async () => {
    const store = inMemoryStore()
    const controller = new AbortController()
    const late = Promise.withResolvers<string>()
    const executed = vi.fn()
    const model = scriptedModel([])
    model.doGenerate = async () => {
      await late.promise
      return {
        content: [{ type: 'tool-call', toolCallId: 'c', toolName: 't', input: '{}' }],
        finishReason: { unified: 'tool-calls', raw: undefined },
        usage: undefined as never,
        warnings: [],
      }
    }
    const agent = createAgent({
      model,
      store,
      tools: { t: tool({ inputSchema: empty, execute: async () => executed() }) },
    })
    const run = rejection(agent.run({ threadId: 't', prompt: 'Hi', signal: controller.signal }))
    controller.abort()
    expect((await run).code).toBe('aborted')
    late.resolve('')
    await flush()
    expect(executed).not.toHaveBeenCalled()
    expect(await rowsOf(store)).toEqual([])
  })

  test('while tools run: they are told, the run ends at once, late results are ignored', async () => {
    const store = inMemoryStore()
    const controller = new AbortController()
    const late = Promise.withResolvers<string>()
    const model = scriptedModel([[toolCall('slow', {}), toolCall('stop', {})], 'Never'])
    let signal: AbortSignal | undefined
    const agent = createAgent({
      model,
      store,
      tools: {
        slow: tool({
          inputSchema: empty,
          execute: async (_i, { abortSignal }) => {
            signal = abortSignal
            return late.promise
          },
        }),
        stop: tool({ inputSchema: empty, execute: async () => controller.abort() }),
      },
    })
    expect((await rejection(agent.run({ threadId: 't', prompt: 'Hi', signal: controller.signal }))).code).toBe(
      'aborted',
    )
    expect(signal!.aborted).toBe(true)
    late.resolve('late')
    await flush()
    expect(model.calls).toHaveLength(1)
    expect(await rowsOf(store)).toEqual([])
  })

  test('a tool that aborts something of its own only fails itself', async () => {
    const agent = createAgent({
      model: scriptedModel([toolCall('t', {}), 'Ok.']),
      history: 'none',
      tools: { t: tool({ inputSchema: empty, execute: async () => AbortSignal.abort().throwIfAborted() }) },
    })
    expect((await agent.run({ threadId: 't', prompt: 'Hi' })).text).toBe('Ok.')
  })

  test('an iteration of a tool ends when the run is stopped', async () => {
    const controller = new AbortController()
    const ended = Promise.withResolvers<void>()
    const agent = createAgent({
      model: scriptedModel([toolCall('t', {})]),
      history: 'none',
      tools: {
        t: tool({
          inputSchema: empty,
          async *execute() {
            try {
              for (let n = 0; ; n++) {
                if (n === 3) controller.abort()
                yield n
              }
            } finally {
              ended.resolve()
            }
          },
        }),
      },
    })
    expect((await rejection(agent.run({ threadId: 't', prompt: 'Hi', signal: controller.signal }))).code).toBe(
      'aborted',
    )
    await ended.promise
  })

  test('after the run began to be stored it is not stopped any more', async () => {
    const controller = new AbortController()
    const stored: (readonly Message[])[] = []
    const agent = createAgent({
      model: fine(),
      history: {
        load: async () => [],
        prepare: (m) => [...m],
        clear: async () => {},
        async append(_id, messages) {
          controller.abort()
          stored.push(messages)
        },
      },
    })
    expect((await agent.run({ threadId: 't', prompt: 'Hi', signal: controller.signal })).status).toBe('completed')
    expect(stored).toHaveLength(1)
  })

  test('a step of a stopped run is not begun', async () => {
    const controller = new AbortController()
    const step = vi.fn(async () => 1)
    const tried = Promise.withResolvers<unknown>()
    const late: Middleware = {
      name: 'late',
      start: (run) => ({
        async wrapModel() {
          controller.abort()
          const outcome = run.step('s', step)
          tried.resolve(outcome.catch((error: unknown) => error))
          await outcome
          throw new Error('unreachable')
        },
      }),
    }
    const agent = createAgent({ model: fine(), history: 'none', middleware: [late] })
    expect((await rejection(agent.run({ threadId: 't', prompt: 'Hi', signal: controller.signal }))).code).toBe(
      'aborted',
    )
    expect(await tried.promise).toMatchObject({ code: 'aborted' })
    expect(step).not.toHaveBeenCalled()
  })

  test('nothing stays on a signal that lives on', async () => {
    const { controller, listeners } = watched()
    const agent = createAgent({
      model: scriptedModel(({ prompt }) => (prompt.length > 1 ? new Error('down') : 'Ok.')),
      store: inMemoryStore(),
    })
    for (let n = 0; n < 50; n++) await agent.run({ threadId: `t${n}`, prompt: 'Hi', signal: controller.signal })
    await rejection(agent.run({ threadId: 't0', prompt: 'Hi', signal: controller.signal }))
    expect(listeners()).toBe(0)
    const stopped = rejection(
      createAgent({ model: scriptedModel(() => new Promise<never>(() => {})) }).run({
        threadId: 'x',
        prompt: 'Hi',
        signal: controller.signal,
      }),
    )
    expect(listeners()).toBe(1)
    controller.abort()
    await stopped
    expect(listeners()).toBe(0)
  })
})

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
      expect(signal!.reason).toBe(error)
      expect(await rowsOf(store)).toEqual([])
      expect(vi.getTimerCount()).toBe(0)
    })

    test('ten minutes by default; no timer stays behind', async () => {
      const model = scriptedModel(() => new Promise<never>(() => {}))
      const failed = rejection(createAgent({ model, history: 'none' }).run({ threadId: 't', prompt: 'Hi' }))
      await vi.advanceTimersByTimeAsync(600_000)
      expect((await failed).details).toEqual({ timeoutMs: 600_000 })
      await createAgent({ model: fine(), history: 'none' }).run({ threadId: 't', prompt: 'Hi' })
      expect(vi.getTimerCount()).toBe(0)
    })
  })
})

/** Lets everything that is ready to go on do so. */
async function flush(): Promise<void> {
  for (let n = 0; n < 50; n++) await Promise.resolve()
}
