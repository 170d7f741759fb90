import { chatMemory, inMemoryStore, KeepsakeError, type Message } from '@keepsake/core'
import { scriptedModel, text, toolCall } from '@keepsake/store-testing'
import { tool } from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createAgent } from '../src/index.ts'
import { fine, promptsOf, rejection, rowsOf, testClock } from './support.ts'

const add = tool({
  description: 'Adds',
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  execute: async ({ a, b }) => a + b,
})

/** Without what the store adds. */
function bare(messages: readonly Message[]): unknown[] {
  return messages.map(({ role, content }) => ({ role, content }))
}

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
    const call = (id: string, a: number, b: number) => ({
      type: 'tool-call',
      toolCallId: id,
      toolName: 'add',
      input: { a, b },
    })
    const answer = (id: string, value: number) => ({
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId: id, toolName: 'add', output: { type: 'json', value } }],
    })
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
    // The head of the thread, the claim of the run's id and one row with all eight messages.
    expect(await rowsOf(store)).toHaveLength(3)
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

  test('an answer of nothing stores what the user said', async () => {
    const agent = createAgent({ model: scriptedModel([[]]), store: inMemoryStore() })
    const result = await agent.run({ threadId: 't', prompt: 'Hi' })
    expect(result.text).toBe('')
    expect(bare(await agent.messages('t'))).toEqual([{ role: 'user', content: 'Hi' }])
  })

  test('a run that is repeated under its id is stored once, and says what is stored', async () => {
    const model = fine()
    const agent = createAgent({ model, store: inMemoryStore() })
    const first = await agent.run({ threadId: 't', prompt: 'Hi', runId: 'r' })
    const second = await agent.run({ threadId: 't', prompt: 'Hi', runId: 'r' })
    expect(model.calls).toHaveLength(2)
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

describe('context and owner', () => {
  const Context = z.object({ userId: z.string().trim() })

  test('the schema gives the context to tools, middleware and owner', async () => {
    const seen: unknown[] = []
    const agent = createAgent({
      model: scriptedModel([toolCall('who', {}), 'Ok.']),
      store: inMemoryStore(),
      context: Context,
      owner: ({ userId }) => userId,
      instructions: (run) => `You talk to ${run.context.userId}.`,
      tools: {
        who: tool({
          inputSchema: z.object({}),
          contextSchema: Context,
          execute: async (_input, { context }) => void seen.push(context),
        }),
      },
      middleware: [{ name: 'see', start: (run) => void seen.push(run.context, run.owner) }],
    })
    await agent.run({ threadId: 't', prompt: 'Hi', context: { userId: ' ada ' } })
    expect(seen).toEqual([{ userId: 'ada' }, 'ada', { userId: 'ada' }])
    expect((await agent.threads({ owner: 'ada' })).items.map(({ id }) => id)).toEqual(['t'])
  })

  test('a context that does not fit is refused before anything is called', async () => {
    const model = fine()
    const store = inMemoryStore()
    const agent = createAgent({ model, store, context: Context })
    const error = await rejection(
      agent.run({ threadId: 't', prompt: 'Hi', context: { userId: 5 as unknown as string } }),
    )
    expect(error.code).toBe('invalid_value')
    expect(error.message).toMatch(/context does not fit.*userId: /)
    expect(model.calls).toEqual([])
    expect(await rowsOf(store)).toEqual([])
  })

  test("another owner's thread is refused before the model is called", async () => {
    const model = fine()
    const agent = createAgent({ model, store: inMemoryStore(), context: Context, owner: ({ userId }) => userId })
    await agent.run({ threadId: 't', prompt: 'Hi', context: { userId: 'ada' } })
    const error = await rejection(agent.run({ threadId: 't', prompt: 'Show me', context: { userId: 'eve' } }))
    expect(error.code).toBe('wrong_owner')
    expect(model.calls).toHaveLength(1)
    expect((await rejection(agent.messages('t', { owner: 'eve' }))).code).toBe('wrong_owner')
    expect(await agent.messages('t', { owner: 'ada' })).toHaveLength(2)
  })

  test.each([[undefined], [''], [5]])('an owner function that gives %j is refused', async (owner) => {
    const model = fine()
    const agent = createAgent({ model, owner: () => owner as string })
    const error = await rejection(agent.run({ threadId: 't', prompt: 'Hi' }))
    expect(error).toMatchObject({ code: 'invalid_value' })
    expect(error.message).toMatch(/What the owner function gives must be a text/)
    expect(model.calls).toEqual([])
  })

  test('the subject goes to the history with the run', async () => {
    const appended: unknown[] = []
    const agent = createAgent({
      model: fine(),
      subject: () => 'patient-7',
      owner: () => 'clinic',
      history: {
        load: async () => [],
        prepare: (messages) => [...messages],
        append: async (...all) => void appended.push(all[2]),
        clear: async () => {},
      },
    })
    await agent.run({ threadId: 't', prompt: 'Hi', runId: 'r' })
    expect(appended).toEqual([{ owner: 'clinic', subject: 'patient-7', opId: 'r' }])
  })
})

describe('failures', () => {
  test('a model that fails: run_failed with its error as cause, and nothing is stored', async () => {
    const store = inMemoryStore()
    const failure = Object.assign(new Error('secret prompt text'), { isRetryable: true })
    const agent = createAgent({ model: scriptedModel([failure]), store })
    const error = await rejection(agent.run({ threadId: 't', prompt: 'Hi' }))
    expect(error).toMatchObject({ code: 'run_failed', retryable: true, cause: failure, details: { step: 1 } })
    expect(error.message).toBe(
      'The call of the model keepsake.scripted scripted failed in step 1. Nothing was stored; `cause` has the error.',
    )
    expect(await rowsOf(store)).toEqual([])
  })

  test('a model that fails in the second step stores nothing of the first', async () => {
    const store = inMemoryStore()
    const agent = createAgent({
      model: scriptedModel([toolCall('add', { a: 1, b: 1 }), new Error('down')]),
      tools: { add },
      store,
    })
    const error = await rejection(agent.run({ threadId: 't', prompt: 'Hi' }))
    expect(error).toMatchObject({ code: 'run_failed', retryable: false, details: { step: 2 } })
    expect(await rowsOf(store)).toEqual([])
    expect(await agent.messages('t')).toEqual([])
  })

  test("what a function of the user's throws is named", async () => {
    const boom = new Error('boom')
    const throws = (): never => {
      throw boom
    }
    const model = fine()
    const history = {
      load: async () => [],
      prepare: (m: readonly Message[]) => [...m],
      append: async () => {},
      clear: async () => {},
    }
    const rows: [RegExp, Parameters<typeof createAgent>[0]][] = [
      [/The owner function failed/, { model, owner: throws }],
      [/The instructions function failed/, { model, instructions: throws }],
      [/start of the middleware "m" failed/, { model, middleware: [{ name: 'm', start: throws }] }],
      [/Loading the history failed/, { model, history: { ...history, load: throws } }],
      [/history.prepare failed/, { model, history: { ...history, prepare: throws } }],
      [/Storing the run failed/, { model, history: { ...history, append: throws } }],
      [/prepare of a middleware failed/, { model, middleware: [{ name: 'm', start: () => ({ prepare: throws }) }] }],
      [/The files function failed/, { model, files: throws }],
      [
        /Describing the tool "t" to the model failed/,
        { model, tools: { t: { inputSchema: throws, execute: async () => 1 } } },
      ],
      [
        /Describing the tool "t" to the model failed/,
        { model, tools: { t: { description: throws, inputSchema: z.object({}), execute: async () => 1 } } },
      ],
    ]
    for (const [words, options] of rows) {
      const error = await rejection(createAgent(options).run({ threadId: 't', prompt: 'Hi', context: undefined }))
      expect(error).toMatchObject({ code: 'run_failed', cause: boom, retryable: false })
      expect(error.message).toMatch(words)
    }
  })

  test('a KeepsakeError of theirs passes as it is', async () => {
    const refused = new KeepsakeError('unsupported', 'Not on Sundays.')
    const agent = createAgent({ model: fine(), middleware: [{ name: 'm', start: () => Promise.reject(refused) }] })
    expect(await rejection(agent.run({ threadId: 't', prompt: 'Hi' }))).toBe(refused)
  })
})
