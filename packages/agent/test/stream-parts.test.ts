import { inMemoryStore } from '@keepsake/core'
import { reasoning, scriptedModel, text, toolCall } from '@keepsake/store-testing'
import { tool } from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createAgent } from '../src/index.ts'
import { all, bare, textOf, testClock } from './support.ts'

const add = tool({ inputSchema: z.object({ a: z.number(), b: z.number() }), execute: async ({ a, b }) => a + b })

describe('parts', () => {
  test('of a run with a tool, in order', async () => {
    const clock = testClock()
    const model = scriptedModel(
      (_call, index) => {
        clock.advance(100)
        return index === 0 ? [reasoning('Hm.'), toolCall('add', { a: 1, b: 2 })] : 'Three!'
      },
      { deltaChars: 3 },
    )
    const slowAdd = tool({
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      execute: async ({ a, b }) => {
        clock.advance(30)
        return a + b
      },
    })
    const agent = createAgent({ model, store: inMemoryStore(), tools: { add: slowAdd }, clock })
    const call = { dynamic: true, toolCallId: 'call-1', toolName: 'add', input: { a: 1, b: 2 } }
    const usage = {
      inputTokens: 10,
      inputTokenDetails: { noCacheTokens: 10, cacheReadTokens: 0, cacheWriteTokens: 0 },
      outputTokens: 5,
      outputTokenDetails: { textTokens: 5, reasoningTokens: 0 },
      totalTokens: 15,
    }
    const performance = {
      responseTimeMs: 100,
      timeToFirstOutputMs: 100,
      // 10 tokens in 0.1 s before the first output; the rest came at once.
      inputTokensPerSecond: 100,
      outputTokensPerSecond: 0,
      effectiveOutputTokensPerSecond: 50,
      effectiveTotalTokensPerSecond: 150,
    }
    const startMs = Date.UTC(2026, 0, 1)
    expect(await all(agent.stream({ threadId: 't', prompt: 'Add' }).stream)).toEqual([
      { type: 'start' },
      { type: 'start-step', request: {}, warnings: [] },
      { type: 'reasoning-start', id: 'reasoning-0' },
      { type: 'reasoning-delta', id: 'reasoning-0', text: 'Hm.' },
      { type: 'reasoning-end', id: 'reasoning-0' },
      { type: 'tool-input-start', id: 'call-1', toolName: 'add', dynamic: true },
      { type: 'tool-input-delta', id: 'call-1', delta: '{"a' },
      { type: 'tool-input-delta', id: 'call-1', delta: '":1' },
      { type: 'tool-input-delta', id: 'call-1', delta: ',"b' },
      { type: 'tool-input-delta', id: 'call-1', delta: '":2' },
      { type: 'tool-input-delta', id: 'call-1', delta: '}' },
      { type: 'tool-input-end', id: 'call-1' },
      { type: 'tool-call', ...call },
      { type: 'tool-result', ...call, output: 3 },
      {
        type: 'finish-step',
        response: { id: 'response-1', timestamp: new Date(startMs), modelId: 'scripted' },
        usage,
        performance: { ...performance, stepTimeMs: 130, toolExecutionMs: { 'call-1': 30 } },
        finishReason: 'tool-calls',
        rawFinishReason: 'tool-calls',
        providerMetadata: undefined,
      },
      { type: 'start-step', request: {}, warnings: [] },
      { type: 'text-start', id: 'text-0' },
      { type: 'text-delta', id: 'text-0', text: 'Thr' },
      { type: 'text-delta', id: 'text-0', text: 'ee!' },
      { type: 'text-end', id: 'text-0' },
      {
        type: 'finish-step',
        response: { id: 'response-2', timestamp: new Date(startMs + 130), modelId: 'scripted' },
        usage,
        performance: { ...performance, stepTimeMs: 100, toolExecutionMs: {} },
        finishReason: 'stop',
        rawFinishReason: 'stop',
        providerMetadata: undefined,
      },
      {
        type: 'finish',
        finishReason: 'stop',
        rawFinishReason: 'stop',
        totalUsage: {
          inputTokens: 20,
          inputTokenDetails: { noCacheTokens: 20, cacheReadTokens: 0, cacheWriteTokens: 0 },
          outputTokens: 10,
          outputTokenDetails: { textTokens: 10, reasoningTokens: 0 },
          totalTokens: 30,
        },
      },
    ])
  })

  test('a run and its stream store the same, and the deltas are the stored text', async () => {
    const script = [
      [text('One, '), toolCall('add', { a: 1, b: 1 }), text('two. ')],
      [reasoning('Hm'), text('Drei: 🦊 é.')],
    ]
    const run = await createAgent({
      model: scriptedModel(script),
      tools: { add },
      store: inMemoryStore(),
      clock: testClock(),
    }).run({ threadId: 't', prompt: 'Go' })
    const store = inMemoryStore()
    const agent = createAgent({
      model: scriptedModel(script, { deltaChars: 1 }),
      tools: { add },
      store,
      clock: testClock(),
    })
    const streamed = agent.stream({ threadId: 't', prompt: 'Go' })
    const [parts, texts, result] = await Promise.all([all(streamed.stream), all(streamed.textStream), streamed.result])
    const deltas = parts.map((part) => (part.type === 'text-delta' ? part.text : '')).join('')
    expect(deltas).toBe('One, two. Drei: 🦊 é.')
    expect(texts.join('')).toBe(deltas)
    expect(textOf(await agent.messages('t'))).toBe(deltas)
    expect(bare(result.messages)).toEqual(bare(run.messages))
    expect({ ...result, messages: [], runId: '' }).toEqual({ ...run, messages: [], runId: '' })
  })

  test('what a tool throws is a tool-error with the error itself', async () => {
    const boom = new Error('boom')
    const agent = createAgent({
      model: scriptedModel([[toolCall('bad', {}), toolCall('nope', {})], 'Ok.']),
      history: 'none',
      tools: { bad: tool({ inputSchema: z.object({}), execute: async (): Promise<string> => Promise.reject(boom) }) },
    })
    const parts = await all(agent.stream({ threadId: 't', prompt: 'Go' }).stream)
    const errors = parts.filter((part) => part.type === 'tool-error')
    expect(errors).toEqual([
      {
        type: 'tool-error',
        dynamic: true,
        toolCallId: 'call-2',
        toolName: 'nope',
        input: {},
        error: new Error('There is no tool "nope". There is: bad.'),
      },
      { type: 'tool-error', dynamic: true, toolCallId: 'call-1', toolName: 'bad', input: {}, error: boom },
    ])
  })

  test('what the provider ran', async () => {
    const call = { toolCallId: 'p', toolName: 'search' }
    const model = scriptedModel([
      [
        { type: 'tool-call', ...call, input: '{"q":1}', providerExecuted: true },
        { type: 'tool-result', ...call, result: { hits: 1 } },
        { type: 'tool-call', ...call, toolCallId: 'q', input: '{}', providerExecuted: true },
        { type: 'tool-result', ...call, toolCallId: 'q', result: 'down', isError: true },
      ],
    ])
    const parts = await all(createAgent({ model, history: 'none' }).stream({ threadId: 't', prompt: 'Go' }).stream)
    const extra = { dynamic: true, providerExecuted: true, toolName: 'search' }
    expect(
      parts.filter(
        ({ type }) => type.startsWith('tool-') && !type.startsWith('tool-input-d') && type !== 'tool-input-end',
      ),
    ).toEqual([
      { type: 'tool-input-start', id: 'p', toolName: 'search', dynamic: true, providerExecuted: true },
      { type: 'tool-input-start', id: 'q', toolName: 'search', dynamic: true, providerExecuted: true },
      { type: 'tool-call', ...extra, toolCallId: 'p', input: { q: 1 } },
      { type: 'tool-result', ...extra, toolCallId: 'p', input: { q: 1 }, output: { hits: 1 } },
      { type: 'tool-call', ...extra, toolCallId: 'q', input: {} },
      { type: 'tool-error', ...extra, toolCallId: 'q', input: {}, error: 'down' },
    ])
  })

  test('an answer that middleware gives without a call is streamed as well', async () => {
    const agent = createAgent({
      model: scriptedModel([]),
      history: 'none',
      middleware: [
        {
          name: 'cache',
          start: () => ({
            wrapModel: async () => ({
              content: [{ type: 'text', text: 'Cached.', providerMetadata: { x: { y: 1 } } }],
              finishReason: { unified: 'stop', raw: undefined },
              usage: { inputTokens: {} as never, outputTokens: {} as never },
              warnings: [],
            }),
          }),
        },
      ],
    })
    const parts = await all(agent.stream({ threadId: 't', prompt: 'Go' }).stream)
    expect(parts.slice(2, 5)).toEqual([
      { type: 'text-start', id: 'text-0' },
      { type: 'text-delta', id: 'text-0', text: 'Cached.' },
      { type: 'text-end', id: 'text-0', providerMetadata: { x: { y: 1 } } },
    ])
  })

  test('middleware sees the collected answer, and may ask again', async () => {
    const seen: unknown[] = []
    const model = scriptedModel([{ content: [text('Half')], error: new Error('cut') }, 'Whole.'])
    const agent = createAgent({
      model,
      store: inMemoryStore(),
      middleware: [
        {
          name: 'retry',
          start: () => ({
            async wrapModel(request, next) {
              try {
                return await next(request)
              } catch {
                const answer = await next(request)
                seen.push(answer)
                return answer
              }
            },
          }),
        },
      ],
    })
    const { stream, result } = agent.stream({ threadId: 't', prompt: 'Go' })
    const parts = await all(stream)
    expect(parts.map(({ type }) => type)).toEqual([
      'start',
      'start-step',
      'text-start',
      'text-delta',
      'text-end',
      'text-start',
      'text-delta',
      'text-delta',
      'text-end',
      'finish-step',
      'finish',
    ])
    expect((await result).text).toBe('Whole.')
    expect(seen).toMatchObject([
      {
        content: [{ type: 'text', text: 'Whole.' }],
        finishReason: { unified: 'stop' },
        response: { id: 'response-2', modelId: 'scripted' },
        warnings: [],
      },
    ])
  })
})
