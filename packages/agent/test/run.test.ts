import { chatMemory, inMemoryStore, threadTurns, type Message } from '@keepsake/core'
import { scriptedModel, text, toolCall } from '@keepsake/store-testing'
import { tool } from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createAgent } from '../src/index.ts'
import { bare, fine, promptsOf, testClock } from './support.ts'

const add = tool({
  description: 'Adds',
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  execute: async ({ a, b }) => a + b,
})

const call = (id: string, a: number, b: number): object => ({
  type: 'tool-call',
  toolCallId: id,
  toolName: 'add',
  input: { a, b },
})
const answer = (id: string, value: number): object => ({
  role: 'tool',
  content: [{ type: 'tool-result', toolCallId: id, toolName: 'add', output: { type: 'json', value } }],
})

describe('a turn', () => {
  test('the answer is the result, and both are stored', async () => {
    const store = inMemoryStore()
    const agent = createAgent({ model: scriptedModel(['Hello Ada.']), store, clock: testClock() })
    const result = await agent.run({ threadId: 't', prompt: 'I am Ada.', runId: 'r' })
    expect(result).toEqual({
      status: 'completed',
      runId: 'r',
      threadId: 't',
      text: 'Hello Ada.',
      messages: await chatMemory(store).messages('t'),
      usage: {
        inputTokens: 10,
        inputTokenDetails: { noCacheTokens: 10, cacheReadTokens: 0, cacheWriteTokens: 0 },
        outputTokens: 5,
        outputTokenDetails: { textTokens: 5, reasoningTokens: 0 },
        totalTokens: 15,
      },
      finishReason: 'stop',
      replayed: false,
    })
    expect(bare(result.messages)).toEqual([
      { role: 'user', content: 'I am Ada.' },
      { role: 'assistant', content: [{ type: 'text', text: 'Hello Ada.' }] },
    ])
  })

  test('the next turn sees the one before; another thread does not', async () => {
    const model = fine()
    const agent = createAgent({ model, store: inMemoryStore() })
    await agent.run({ threadId: 't', prompt: 'One' })
    await agent.run({ threadId: 't', prompt: 'Two' })
    await agent.run({ threadId: 'other', prompt: 'Three' })
    expect(promptsOf(model)).toEqual([['user: One'], ['user: One', 'assistant: Fine 1.', 'user: Two'], ['user: Three']])
  })

  test('three steps of tools: each call sees what came before, and the whole turn is one append', async () => {
    const store = inMemoryStore()
    const model = scriptedModel([
      [text('First.'), toolCall('add', { a: 1, b: 2 })],
      toolCall('add', { a: 3, b: 4 }),
      toolCall('add', { a: 7, b: 8 }),
      'Done.',
    ])
    const agent = createAgent({ model, store, tools: { add }, clock: testClock() })
    const result = await agent.run({ threadId: 't', prompt: 'Add' })
    expect(bare(result.messages)).toEqual([
      { role: 'user', content: 'Add' },
      { role: 'assistant', content: [{ type: 'text', text: 'First.' }, call('call-1', 1, 2)] },
      answer('call-1', 3),
      { role: 'assistant', content: [call('call-2', 3, 4)] },
      answer('call-2', 7),
      { role: 'assistant', content: [call('call-3', 7, 8)] },
      answer('call-3', 15),
      { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] },
    ])
    expect(result).toMatchObject({
      text: 'Done.',
      finishReason: 'stop',
      usage: { inputTokens: 40, outputTokens: 20, totalTokens: 60 },
    })
    expect(model.calls.map(({ prompt }) => prompt.length)).toEqual([1, 3, 5, 7])
    expect(model.calls[3]!.prompt.at(-1)).toEqual(answer('call-3', 15))
    // One row with all eight messages.
    const appends = await threadTurns(store, testClock()).appends('t', {})
    expect(appends.map(({ messages }) => messages.length)).toEqual([8])
  })

  test('tools are offered with name, description and JSON schema; none are offered where there are none', async () => {
    const model = fine()
    await createAgent({ model, tools: { add }, history: 'none' }).run({ threadId: 't', prompt: 'Hi' })
    await createAgent({ model, history: 'none' }).run({ threadId: 't', prompt: 'Hi' })
    expect(model.calls[0]!.tools).toEqual([
      {
        type: 'function',
        name: 'add',
        description: 'Adds',
        inputSchema: {
          $schema: 'http://json-schema.org/draft-07/schema#',
          type: 'object',
          properties: { a: { type: 'number' }, b: { type: 'number' } },
          required: ['a', 'b'],
          additionalProperties: false,
        },
      },
    ])
    expect(model.calls[1]!.tools).toBeUndefined()
  })

  test('messages instead of a prompt', async () => {
    const model = fine()
    const agent = createAgent({ model, store: inMemoryStore() })
    const messages: Message[] = [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'file', data: new Uint8Array([1]), mediaType: 'image/png' },
        ],
      },
    ]
    const result = await agent.run({ threadId: 't', messages })
    expect(bare(result.messages)).toEqual([
      messages[0],
      { role: 'assistant', content: [{ type: 'text', text: 'Fine 1.' }] },
    ])
    expect(model.calls[0]!.prompt[0]!.content).toEqual([
      { type: 'text', text: 'What is this?' },
      { type: 'file', data: { type: 'data', data: new Uint8Array([1]) }, mediaType: 'image/png' },
    ])
  })

  test('an answer of nothing after messages that end with an answer says nothing', async () => {
    const agent = createAgent({ model: scriptedModel([[]]), store: inMemoryStore() })
    const messages: Message[] = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Hello, I' },
    ]
    expect(await agent.run({ threadId: 't', messages })).toMatchObject({ text: '', messages })
  })

  test('an answer of nothing stores what the user said', async () => {
    const agent = createAgent({ model: scriptedModel([[]]), store: inMemoryStore() })
    const result = await agent.run({ threadId: 't', prompt: 'Hi' })
    expect(result.text).toBe('')
    expect(bare(await agent.messages('t'))).toEqual([{ role: 'user', content: 'Hi' }])
  })

  test('a run that is stored is not run again under its id: its result is served', async () => {
    const model = fine()
    const agent = createAgent({ model, store: inMemoryStore() })
    const first = await agent.run({ threadId: 't', prompt: 'Hi', runId: 'r' })
    const second = await agent.run({ threadId: 't', prompt: 'Hi', runId: 'r' })
    expect(model.calls).toHaveLength(1)
    expect([first.replayed, second.replayed]).toEqual([false, true])
    expect(second.text).toBe('Fine 1.')
    expect(second.messages).toEqual(first.messages)
    expect(await agent.messages('t')).toEqual(first.messages)
  })

  test('two threads at once do not see each other', async () => {
    const model = scriptedModel(({ prompt }) => `Heard ${prompt.length}.`)
    const agent = createAgent({ model, store: inMemoryStore() })
    await Promise.all(
      [1, 2, 3].flatMap((n) => ['a', 'b'].map((t) => agent.run({ threadId: t + n, prompt: `${t}${n}` }))),
    )
    for (const id of ['a1', 'b3']) {
      expect((await agent.messages(id)).map(({ content }) => content)).toEqual([
        id,
        [{ type: 'text', text: 'Heard 1.' }],
      ])
    }
  })

  test('two turns of one thread at once are both stored, whole', async () => {
    const agent = createAgent({ model: fine(), store: inMemoryStore() })
    await Promise.all([agent.run({ threadId: 't', prompt: 'A' }), agent.run({ threadId: 't', prompt: 'B' })])
    const roles = (await agent.messages('t')).map(({ role }) => role)
    expect(roles).toEqual(['user', 'assistant', 'user', 'assistant'])
  })
})
