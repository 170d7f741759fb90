import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { inMemoryStore } from '@keepsake/core'
import { scriptedModel, text } from '@keepsake/store-testing'
import { describe, expect, test, vi } from 'vitest'
import { createAgent, type StreamPart } from '../src/index.ts'
import { all, textOf, promptsOf, rejection, saidIn } from './support.ts'

describe('when it runs', () => {
  test('nothing starts before something is read', async () => {
    const model = scriptedModel(['Ok.', 'Ok.', 'Ok.'])
    const agent = createAgent({ model, store: inMemoryStore() })
    const [a, b, c] = [0, 1, 2].map((n) => agent.stream({ threadId: `t${n}`, prompt: 'Hi' }))
    await new Promise((resolve) => setImmediate(resolve))
    expect(model.calls).toHaveLength(0)
    expect((await a!.result).text).toBe('Ok.')
    expect(model.calls).toHaveLength(1)
    expect(await all(b!.textStream)).toEqual(['Ok.'])
    expect(model.calls).toHaveLength(2)
    await c!.stream.cancel()
    await new Promise((resolve) => setImmediate(resolve))
    expect(model.calls).toHaveLength(2)
  })

  test('it runs once, whoever asks and however often', async () => {
    const model = scriptedModel(['Ok.'])
    const { stream, textStream, result } = createAgent({ model, history: 'none' }).stream({
      threadId: 't',
      prompt: 'Hi',
    })
    const first = await result
    expect(await result).toBe(first)
    expect((await all(stream)).at(-1)!.type).toBe('finish')
    expect(await all(textStream)).toEqual(['Ok.'])
    expect(model.calls).toHaveLength(1)
  })

  test('a reader who leaves is detached; the run goes on and is stored', async () => {
    const agent = createAgent({ model: scriptedModel(['A long answer.']), store: inMemoryStore() })
    const { stream, result } = agent.stream({ threadId: 't', prompt: 'Hi' })
    for await (const part of stream) if (part.type === 'text-delta') break
    expect((await result).text).toBe('A long answer.')
    expect(textOf(await agent.messages('t'))).toBe('A long answer.')
  })

  test('also if nobody awaits the result', async () => {
    const store = inMemoryStore()
    const ended = Promise.withResolvers<void>()
    const agent = createAgent({
      model: scriptedModel(['A long answer.']),
      store,
      middleware: [{ name: 'end', start: () => ({ end: async () => ended.resolve() }) }],
    })
    const reader = agent.stream({ threadId: 't', prompt: 'Hi' }).stream.getReader()
    await reader.read()
    await reader.cancel()
    await ended.promise
    expect(textOf(await agent.messages('t'))).toBe('A long answer.')
  })

  test('where streams cannot be iterated by themselves, these can', async () => {
    const prototype = ReadableStream.prototype as { [Symbol.asyncIterator]?: unknown }
    const own = prototype[Symbol.asyncIterator]
    delete prototype[Symbol.asyncIterator]
    try {
      const agent = createAgent({ model: scriptedModel(['One.', 'Two.'], { deltaChars: 1 }), history: 'none' })
      expect((await all(agent.stream({ threadId: 't', prompt: 'A' }).textStream)).join('')).toBe('One.')
      const { textStream, result } = agent.stream({ threadId: 't', prompt: 'B' })
      for await (const delta of textStream) {
        expect(delta).toBe('T')
        break
      }
      expect(textStream.locked).toBe(false)
      expect(await all(textStream)).toEqual([])
      expect((await result).text).toBe('Two.')
    } finally {
      prototype[Symbol.asyncIterator] = own
    }
  })

  test('the next turn sees a streamed one', async () => {
    const model = scriptedModel(['One.', 'Two.'])
    const agent = createAgent({ model, store: inMemoryStore() })
    await all(agent.stream({ threadId: 't', prompt: 'A' }).stream)
    await agent.stream({ threadId: 't', prompt: 'B' }).result
    expect(promptsOf(model)[1]).toEqual(['user: A', 'assistant: One.', 'user: B'])
  })
})

describe('failures', () => {
  test('the last part is the error; result and textStream reject; nothing is stored', async () => {
    const store = inMemoryStore()
    const boom = new Error('boom')
    const agent = createAgent({ model: scriptedModel([{ content: [text('Half')], error: boom }]), store })
    const { stream, textStream, result } = agent.stream({ threadId: 't', prompt: 'Hi' })
    const parts = await all(stream)
    const error = await rejection(result)
    expect(error).toMatchObject({ code: 'run_failed', cause: boom })
    expect(parts.slice(2)).toEqual([
      { type: 'text-start', id: 'text-0' },
      { type: 'text-delta', id: 'text-0', text: 'Half' },
      { type: 'text-end', id: 'text-0' },
      { type: 'error', error },
    ])
    expect(await rejection(all(textStream))).toBe(error)
    expect(await saidIn(store)).toEqual([])
  })

  test('wrong input as well', async () => {
    const { stream, result } = createAgent({ model: scriptedModel([]) }).stream({ threadId: '', prompt: 'Hi' })
    const error = await rejection(result)
    expect(error.code).toBe('invalid_value')
    expect(await all(stream)).toEqual([{ type: 'error', error }])
  })

  test('an abort is an abort part with its reason', async () => {
    const controller = new AbortController()
    const store = inMemoryStore()
    const agent = createAgent({ model: scriptedModel(['A long answer.']), store })
    const { stream, result } = agent.stream({ threadId: 't', prompt: 'Hi', signal: controller.signal })
    const parts: StreamPart[] = []
    for await (const part of stream) {
      parts.push(part)
      if (part.type === 'text-start') controller.abort(new Error('closed'))
    }
    expect(parts.at(-1)).toEqual({ type: 'abort', reason: 'Error: closed' })
    expect((await rejection(result)).code).toBe('aborted')
    expect(await saidIn(store)).toEqual([])
  })

  test('a model that streams on after the run was stopped is let go and not heard', async () => {
    const controller = new AbortController()
    const cancelled = vi.fn()
    const model = scriptedModel([])
    const pulls = Promise.withResolvers<void>()
    model.doStream = async () => ({
      stream: new ReadableStream<LanguageModelV4StreamPart>({
        async pull(out) {
          out.enqueue({ type: 'text-delta', id: '0', delta: 'x' })
          await pulls.promise
        },
        cancel: cancelled,
      }),
    })
    const agent = createAgent({ model, history: 'none' })
    const { stream, result } = agent.stream({ threadId: 't', prompt: 'Hi', signal: controller.signal })
    const parts: StreamPart[] = []
    for await (const part of stream) {
      parts.push(part)
      if (part.type === 'text-delta') controller.abort()
    }
    await rejection(result)
    const count = parts.length
    pulls.resolve()
    await vi.waitFor(() => expect(cancelled).toHaveBeenCalled())
    expect(parts).toHaveLength(count)
  })

  test('nobody has to look at the result', async () => {
    const unhandled = vi.fn()
    process.on('unhandledRejection', unhandled)
    const agent = createAgent({ model: scriptedModel([new Error('boom'), new Error('boom')]), history: 'none' })
    await all(agent.stream({ threadId: 't', prompt: 'Hi' }).stream)
    await agent
      .stream({ threadId: 't', prompt: 'Hi' })
      .textStream.getReader()
      .read()
      .catch(() => {})
    await new Promise((resolve) => setImmediate(resolve))
    process.off('unhandledRejection', unhandled)
    expect(unhandled).not.toHaveBeenCalled()
  })
})
