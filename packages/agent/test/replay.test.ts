import { chatMemory, inMemoryStore } from '@keepsake/core'
import { reasoning, scriptedModel, text, toolCall, type ScriptedModel } from '@keepsake/store-testing'
import { createHistory } from '@keepsake/strategies'
import { readUIMessageStream, tool, toUIMessageStream, type UIMessage } from 'ai'
import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { createAgent, type StreamPart } from '../src/index.ts'
import { all, fine, rejection, rowsOf, testClock } from './support.ts'

const twoSteps = () =>
  scriptedModel([[reasoning('Hm.'), text('Let me add.'), toolCall('add', { a: 1 }), toolCall('nope', {})], 'Two.'])

/** An agent whose tool and hooks count. */
function counting(model: ScriptedModel = twoSteps()) {
  const store = inMemoryStore()
  const execute = vi.fn(async ({ a }: { a: number }) => ({ sum: a + 1 }))
  const start = vi.fn()
  const agent = createAgent({
    model,
    store,
    clock: testClock(),
    tools: { add: tool({ inputSchema: z.object({ a: z.number() }), execute }) },
    middleware: [{ name: 'm', start }],
  })
  return { agent, store, model, execute, start }
}

const input = { threadId: 't', prompt: 'Add', runId: 'r' }
const unknownTokens = {
  inputTokens: undefined,
  inputTokenDetails: { noCacheTokens: undefined, cacheReadTokens: undefined, cacheWriteTokens: undefined },
  outputTokens: undefined,
  outputTokenDetails: { textTokens: undefined, reasoningTokens: undefined },
  totalTokens: undefined,
}

async function shown(stream: ReadableStream<StreamPart>): Promise<UIMessage> {
  const messages = await all(readUIMessageStream({ stream: toUIMessageStream({ stream }) }))
  return messages.at(-1)!
}

describe('a run that is stored', () => {
  test('is served and not run again', async () => {
    const { agent, store, model, execute, start } = counting()
    const first = await agent.run(input)
    expect(first).toMatchObject({ text: 'Two.', replayed: false })
    const rows = await rowsOf(store)
    const again = await agent.run(input)
    expect(again).toEqual({
      status: 'completed',
      runId: 'r',
      threadId: 't',
      text: 'Two.',
      messages: first.messages,
      usage: first.usage,
      finishReason: 'stop',
      replayed: true,
    })
    expect([model.calls.length, execute.mock.calls.length, start.mock.calls.length]).toEqual([2, 1, 1])
    expect(await rowsOf(store)).toEqual(rows)
  })

  test('also after later runs, and as a stream', async () => {
    const { agent, model } = counting(scriptedModel(['First.', 'Second.']))
    await agent.run({ ...input, runId: 'a' })
    await agent.run({ ...input, runId: 'b' })
    const run = agent.stream({ ...input, runId: 'a' })
    expect(await all(run.textStream)).toEqual(['First.'])
    expect(await run.result).toMatchObject({ text: 'First.', replayed: true })
    expect(model.calls).toHaveLength(2)
  })

  test('streams its texts, calls and results', async () => {
    const { agent, execute } = counting()
    await agent.run(input)
    const run = agent.stream(input)
    const parts = await all(run.stream)
    expect(parts.map(({ type }) => type)).toEqual([
      'start',
      'start-step',
      'reasoning-start',
      'reasoning-delta',
      'reasoning-end',
      'text-start',
      'text-delta',
      'text-end',
      'tool-call',
      'tool-call',
      'tool-result',
      'tool-error',
      'finish-step',
      'start-step',
      'text-start',
      'text-delta',
      'text-end',
      'finish-step',
      'finish',
    ])
    expect(parts[10]).toEqual({
      type: 'tool-result',
      dynamic: true,
      toolCallId: 'call-1',
      toolName: 'add',
      input: { a: 1 },
      output: { sum: 2 },
    })
    expect(parts.filter(({ type }) => type === 'finish-step')).toMatchObject([
      { finishReason: 'tool-calls', usage: unknownTokens },
      { finishReason: 'stop', usage: unknownTokens },
    ])
    expect((await run.result).replayed).toBe(true)
    expect(execute).toHaveBeenCalledTimes(1)
  })

  test('looks in ai as it did the first time', async () => {
    const { agent } = counting()
    const first = await shown(agent.stream(input).stream)
    const again = await shown(agent.stream(input).stream)
    const state = (message: UIMessage) => message.parts.map((part) => ({ ...part, providerMetadata: undefined }))
    expect(state(again)).toEqual(state(first))
    expect(again.parts).toMatchObject([
      { type: 'step-start' },
      { type: 'reasoning', text: 'Hm.' },
      { type: 'text', text: 'Let me add.' },
      { type: 'dynamic-tool', toolName: 'add', state: 'output-available', input: { a: 1 }, output: { sum: 2 } },
      { type: 'dynamic-tool', toolName: 'nope', state: 'output-error' },
      { type: 'step-start' },
      { type: 'text', text: 'Two.' },
    ])
  })

  test("is not served to somebody else's", async () => {
    const context = z.object({ userId: z.string() })
    const store = inMemoryStore()
    const model = fine()
    const agent = createAgent({ model, store, context, owner: ({ userId }) => userId })
    await agent.run({ ...input, context: { userId: 'ada' } })
    expect((await rejection(agent.run({ ...input, context: { userId: 'eve' } }))).code).toBe('wrong_owner')
    expect((await agent.run({ ...input, context: { userId: 'ada' } })).replayed).toBe(true)
    expect(model.calls).toHaveLength(1)
  })

  test('of another thread is another run', async () => {
    const { agent, model } = counting(fine())
    await agent.run(input)
    expect(await agent.run({ ...input, threadId: 'other' })).toMatchObject({ text: 'Fine 2.', replayed: false })
    expect(model.calls).toHaveLength(2)
  })

  test('runs again once its thread is deleted', async () => {
    const { agent } = counting(fine())
    await agent.run(input)
    await agent.deleteThread('t')
    expect(await agent.run(input)).toMatchObject({ text: 'Fine 2.', replayed: false })
  })
})

describe('what runs again', () => {
  test('a run that failed: what its model and tools had answered is not asked again', async () => {
    const { agent, execute } = counting(scriptedModel([toolCall('add', { a: 1 }), new Error('down'), 'Two.']))
    expect((await rejection(agent.run(input))).code).toBe('run_failed')
    expect(await agent.run(input)).toMatchObject({ text: 'Two.', replayed: false })
    expect(execute).toHaveBeenCalledTimes(1)
    expect(await agent.messages('t')).toHaveLength(4)
  })

  test('a run that failed, with another input: from the start', async () => {
    const { agent, execute } = counting(
      scriptedModel([toolCall('add', { a: 1 }), new Error('down'), toolCall('add', { a: 2 }), 'Three.']),
    )
    expect((await rejection(agent.run(input))).code).toBe('run_failed')
    expect(await agent.run({ ...input, prompt: 'Add two' })).toMatchObject({ text: 'Three.', replayed: false })
    expect(execute).toHaveBeenCalledTimes(2)
    expect((await agent.messages('t'))[0]).toMatchObject({ content: 'Add two' })
  })

  test('a run with other input once it is stored does not', async () => {
    const { agent } = counting(fine())
    await agent.run(input)
    expect(await agent.run({ ...input, prompt: 'Other' })).toMatchObject({ text: 'Fine 1.', replayed: true })
  })

  test('one with a history of your own, which stores it once', async () => {
    const chat = chatMemory(inMemoryStore())
    const model = fine()
    const agent = createAgent({ model, history: createHistory({ chat }) })
    await agent.run(input)
    expect(await agent.run(input)).toMatchObject({ replayed: false })
    expect(model.calls).toHaveLength(2)
    expect(await chat.messages('t')).toHaveLength(2)
  })

  test('one without a name', async () => {
    const model = fine()
    const agent = createAgent({ model, store: inMemoryStore() })
    await agent.run({ threadId: 't', prompt: 'Hi' })
    expect((await agent.run({ threadId: 't', prompt: 'Hi' })).replayed).toBe(false)
    expect(await agent.messages('t')).toHaveLength(4)
  })
})
