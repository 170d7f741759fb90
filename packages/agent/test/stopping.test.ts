import { inMemoryStore, type Message } from '@keepsake/core'
import { scriptedModel, toolCall } from '@keepsake/store-testing'
import { tool } from 'ai'
import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { createAgent, type Middleware } from '../src/index.ts'
import { all, fine, rejection, rowsOf, saidIn } from './support.ts'

const empty = z.object({})

/** Knows the listeners of a signal. */
function watched(): { controller: AbortController; listeners: () => number } {
  const controller = new AbortController()
  const { signal } = controller
  const listeners = new Set<unknown>()
  const add = signal.addEventListener.bind(signal)
  const remove = signal.removeEventListener.bind(signal)
  signal.addEventListener = (...given: Parameters<typeof add>) => {
    listeners.add(given[1])
    add(...given)
  }
  signal.removeEventListener = (...given: Parameters<typeof remove>) => {
    listeners.delete(given[1])
    remove(...given)
  }
  return { controller, listeners: () => listeners.size }
}

describe('abort', () => {
  test('before a stream: it is the only part', async () => {
    const owner = vi.fn(() => 'ada')
    const agent = createAgent({ model: fine(), owner })
    const run = agent.stream({ threadId: 't', prompt: 'Hi', signal: AbortSignal.abort('gone') })
    expect(await all(run.stream)).toEqual([{ type: 'abort', reason: 'gone' }])
    expect(owner).not.toHaveBeenCalled()
  })

  test('what a tool makes of it is no part of the stream', async () => {
    const controller = new AbortController()
    const agent = createAgent({
      model: scriptedModel([toolCall('t', {})]),
      history: 'none',
      tools: {
        t: tool({
          inputSchema: empty,
          execute: (_input, { abortSignal }) =>
            new Promise<string>((_resolve, reject) => {
              abortSignal!.addEventListener('abort', () => reject(new Error('stopped')))
              controller.abort()
            }),
        }),
      },
    })
    const types = (await all(agent.stream({ threadId: 't', prompt: 'Hi', signal: controller.signal }).stream)).map(
      ({ type }) => type,
    )
    expect(types.slice(-2)).toEqual(['tool-call', 'abort'])
  })

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
    expect(await saidIn(store)).toEqual([])
  })

  test('a model that does not listen is left alone; what it says later is not heard', async () => {
    const store = inMemoryStore()
    const controller = new AbortController()
    const late = Promise.withResolvers<string>()
    const executed = vi.fn()
    const wrapped = vi.fn()
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
      middleware: [{ name: 'm', start: () => ({ wrapTool: wrapped }) }],
    })
    const run = rejection(agent.run({ threadId: 't', prompt: 'Hi', signal: controller.signal }))
    controller.abort()
    expect((await run).code).toBe('aborted')
    late.resolve('')
    await flush()
    expect(wrapped).not.toHaveBeenCalled()
    expect(executed).not.toHaveBeenCalled()
    expect(await saidIn(store)).toEqual([])
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
    expect(await saidIn(store)).toEqual([])
  })

  test('a tool is not begun once the run is stopped, whatever middleware waited for', async () => {
    const controller = new AbortController()
    const executed = vi.fn()
    const asked = Promise.withResolvers<void>()
    const allowed = Promise.withResolvers<void>()
    const agent = createAgent({
      model: scriptedModel([toolCall('t', {})]),
      history: 'none',
      tools: { t: tool({ inputSchema: empty, execute: async () => executed() }) },
      middleware: [
        {
          name: 'ask',
          start: () => ({
            async wrapTool(call, next) {
              asked.resolve()
              await allowed.promise
              return next(call)
            },
          }),
        },
      ],
    })
    const run = rejection(agent.run({ threadId: 't', prompt: 'Hi', signal: controller.signal }))
    await asked.promise
    controller.abort()
    expect((await run).code).toBe('aborted')
    allowed.resolve()
    await flush()
    expect(executed).not.toHaveBeenCalled()
  })

  test('nothing comes after the abort in its stream, however late that is read', async () => {
    const controller = new AbortController()
    const late = Promise.withResolvers<string>()
    const agent = createAgent({
      model: scriptedModel([toolCall('t', {})]),
      history: 'none',
      tools: {
        t: tool({
          inputSchema: empty,
          execute: () => {
            controller.abort()
            return late.promise
          },
        }),
      },
    })
    const { stream, result } = agent.stream({ threadId: 't', prompt: 'Hi', signal: controller.signal })
    await rejection(result)
    late.resolve('late')
    await flush()
    expect((await all(stream)).at(-1)!.type).toBe('abort')
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
    const signals: boolean[] = []
    const agent = createAgent({
      model: fine(),
      middleware: [{ name: 'm', start: (run) => ({ end: async () => void signals.push(run.signal.aborted) }) }],
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
    expect(signals).toEqual([false])
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

/** Lets everything that is ready to go on do so. */
async function flush(): Promise<void> {
  for (let n = 0; n < 50; n++) await Promise.resolve()
}
