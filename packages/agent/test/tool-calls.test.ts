import { inMemoryStore, type ToolOptions } from '@keepsake/core'
import { scriptedModel, toolCall } from '@keepsake/store-testing'
import { jsonSchema, tool } from 'ai'
import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { createAgent } from '../src/index.ts'
import { fine, testClock } from './support.ts'

const empty = z.object({})

describe('how a tool is called', () => {
  test('with the checked input, the context and the run; the thread keeps what the model said', async () => {
    const calls: { input: unknown; options: ToolOptions; stepped: unknown }[] = []
    const agent = createAgent({
      model: scriptedModel([toolCall('t', { when: '2026-01-01', extra: 1 }), 'Ok.']),
      store: inMemoryStore(),
      context: z.object({ userId: z.string() }),
      clock: testClock(),
      tools: {
        t: tool({
          inputSchema: z.object({ when: z.string().transform((text) => new Date(text)) }),
          execute: async (input, options) => {
            const given = options as ToolOptions
            calls.push({ input, options: given, stepped: await given.run!.step('s', async () => 5) })
          },
        }),
      },
    })
    const result = await agent.run({ threadId: 't', prompt: 'Go', context: { userId: 'ada' }, runId: 'r' })
    const { input, options, stepped } = calls[0]!
    expect(input).toEqual({ when: new Date('2026-01-01') })
    expect(options).toMatchObject({
      toolCallId: 'call-1',
      context: { userId: 'ada' },
      idempotencyKey: 'r/call-1',
      messages: [{ role: 'user', content: 'Go' }],
      run: { id: 'r', threadId: 't', owner: undefined, context: { userId: 'ada' }, nowMs: Date.UTC(2026, 0, 1) },
    })
    expect(options.abortSignal).toBe(options.run!.signal)
    expect(options.abortSignal!.aborted).toBe(false)
    expect(stepped).toBe(5)
    await expect(options.run!.step('late', async () => 5)).rejects.toThrow(/has ended/)
    expect(result.messages[1]!.content).toMatchObject([{ input: { when: '2026-01-01', extra: 1 } }])
  })

  test('messages are those that the model was sent, without the answer that called', async () => {
    const seen: unknown[] = []
    const agent = createAgent({
      model: scriptedModel([toolCall('t', {}), toolCall('t', {}), 'Ok.']),
      history: 'none',
      instructions: 'Be short.',
      tools: {
        t: tool({
          inputSchema: empty,
          execute: async (_i, { messages }) => void seen.push(messages.map(({ role }) => role)),
        }),
      },
    })
    await agent.run({ threadId: 't', prompt: 'Go' })
    expect(seen).toEqual([['user'], ['user', 'assistant', 'tool']])
  })

  test('calls of one answer run at the same time; results come in the order of the calls', async () => {
    const order: string[] = []
    const bothStarted = Promise.withResolvers<void>()
    const slowIsDone = Promise.withResolvers<void>()
    const agent = createAgent({
      model: scriptedModel([[toolCall('first', {}), toolCall('second', {})], 'Ok.']),
      history: 'none',
      tools: {
        first: tool({
          inputSchema: empty,
          execute: async () => {
            await bothStarted.promise
            await slowIsDone.promise
            order.push('first')
            return 1
          },
        }),
        second: tool({
          inputSchema: empty,
          execute: async () => {
            bothStarted.resolve()
            order.push('second')
            slowIsDone.resolve()
            return 2
          },
        }),
      },
    })
    const { messages } = await agent.run({ threadId: 't', prompt: 'Go' })
    expect(order).toEqual(['second', 'first'])
    expect(messages[2]!.content).toMatchObject([
      { toolCallId: 'call-1', output: { value: 1 } },
      { toolCallId: 'call-2', output: { value: 2 } },
    ])
  })

  test('one that fails does not keep the others from their results', async () => {
    const agent = createAgent({
      model: scriptedModel([[toolCall('bad', {}), toolCall('good', {})], 'Ok.']),
      history: 'none',
      tools: {
        bad: tool({ inputSchema: empty, execute: async (): Promise<string> => Promise.reject(new Error('Oh')) }),
        good: tool({ inputSchema: empty, execute: async () => 'Yes' }),
      },
    })
    const { messages } = await agent.run({ threadId: 't', prompt: 'Go' })
    expect(messages[2]!.content).toMatchObject([
      { output: { type: 'error-text', value: 'Error: Oh' } },
      { output: { type: 'text', value: 'Yes' } },
    ])
  })

  test('what else a tool says is passed on, and its schema is worked out once', async () => {
    const model = scriptedModel(['Ok.', 'Ok.'])
    const schema = vi.fn(() => ({ type: 'object' as const, properties: {} }))
    const t = tool({
      inputSchema: jsonSchema<{}>(schema),
      strict: true,
      inputExamples: [{ input: {} }],
      providerOptions: { x: { y: 1 } },
      execute: async () => 1,
    })
    const agent = createAgent({ model, history: 'none', tools: { t } })
    await agent.run({ threadId: 't', prompt: 'Go' })
    await agent.run({ threadId: 't', prompt: 'Go' })
    expect(model.calls[1]!.tools).toEqual([
      {
        type: 'function',
        name: 't',
        inputSchema: { type: 'object', properties: {} },
        strict: true,
        inputExamples: [{ input: {} }],
        providerOptions: { x: { y: 1 } },
      },
    ])
    expect(schema).toHaveBeenCalledTimes(1)
  })

  test('a lazy schema is made once an agent', async () => {
    const lazy = vi.fn(() => jsonSchema<{}>({ type: 'object' }))
    const agent = createAgent({
      model: fine(),
      history: 'none',
      tools: { t: { inputSchema: lazy, execute: async () => 1 } },
    })
    await agent.run({ threadId: 't', prompt: 'Go' })
    await agent.run({ threadId: 't', prompt: 'Go' })
    expect(lazy).toHaveBeenCalledTimes(1)
  })

  test('a description may depend on the context', async () => {
    const model = scriptedModel(['Ok.', 'Ok.'])
    const Context = z.object({ lang: z.string() })
    const agent = createAgent({
      model,
      history: 'none',
      context: Context,
      tools: {
        t: tool({
          description: ({ context }) => `In ${context.lang}`,
          contextSchema: Context,
          inputSchema: empty,
          execute: async () => 1,
        }),
      },
    })
    await agent.run({ threadId: 't', prompt: 'Go', context: { lang: 'German' } })
    await agent.run({ threadId: 't', prompt: 'Go', context: { lang: 'Dutch' } })
    expect(model.calls.map(({ tools }) => (tools![0] as { description?: string }).description)).toEqual([
      'In German',
      'In Dutch',
    ])
  })

  test('a tool of the provider is offered as such, and what it did is passed on', async () => {
    const model = scriptedModel([
      [
        { type: 'tool-call', toolCallId: 'p', toolName: 'search', input: '{"q":"x"}', providerExecuted: true },
        { type: 'tool-result', toolCallId: 'p', toolName: 'search', result: { hits: 1 } },
        { type: 'text', text: 'One hit.' },
      ],
      'Bye.',
    ])
    const search = {
      type: 'provider',
      id: 'x.search',
      args: { max: 1 },
      isProviderExecuted: true,
      inputSchema: empty,
    } as never
    const agent = createAgent({ model, store: inMemoryStore(), tools: { search } })
    const result = await agent.run({ threadId: 't', prompt: 'Go' })
    expect(model.calls[0]!.tools).toEqual([{ type: 'provider', name: 'search', id: 'x.search', args: { max: 1 } }])
    const content = [
      { type: 'tool-call', toolCallId: 'p', toolName: 'search', input: { q: 'x' }, providerExecuted: true },
      { type: 'tool-result', toolCallId: 'p', toolName: 'search', output: { type: 'json', value: { hits: 1 } } },
      { type: 'text', text: 'One hit.' },
    ]
    expect(result).toMatchObject({ text: 'One hit.', messages: [{ role: 'user' }, { role: 'assistant', content }] })
    await agent.run({ threadId: 't', prompt: 'Thanks' })
    expect(model.calls[1]!.prompt[1]).toEqual({ role: 'assistant', content })
  })
})
