import { chatMemory, inMemoryStore, type Message } from '@keepsake/core'
import { createHistory, window, type History } from '@keepsake/strategies'
import { scriptedModel, toolCall } from '@keepsake/store-testing'
import { tool } from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createAgent } from '../src/index.ts'
import { fine, promptsOf, rejection, rowsOf } from './support.ts'

const threeTurns = async (agent: { run(input: { threadId: string; prompt: string }): Promise<unknown> }) => {
  for (const prompt of ['One', 'Two', 'Three']) await agent.run({ threadId: 't', prompt })
}
const everything = ['user: One', 'assistant: Fine 1.', 'user: Two', 'assistant: Fine 2.', 'user: Three']

describe('every form of history', () => {
  test.each([[undefined], ['default' as const]])('%s: all of it, in the store of the agent', async (history) => {
    const store = inMemoryStore()
    const model = fine()
    await threeTurns(createAgent({ model, store, ...(history && { history }) }))
    expect(promptsOf(model)[2]).toEqual(everything)
    expect(await chatMemory(store).messages('t')).toHaveLength(6)
  })

  test('without a store: one that all agents of the process share', async () => {
    const model = fine()
    const threadId = 'shared-by-the-process'
    await createAgent({ model: scriptedModel(['I know.']) }).run({ threadId, prompt: 'Remember me' })
    await createAgent({ model }).run({ threadId, prompt: 'Who am I?' })
    expect(promptsOf(model)[0]).toEqual(['user: Remember me', 'assistant: I know.', 'user: Who am I?'])
  })

  test('{ window }: the newest are sent, all are stored', async () => {
    const store = inMemoryStore()
    const model = fine()
    await threeTurns(createAgent({ model, store, history: { window: 2 } }))
    expect(promptsOf(model)[2]).toEqual(['assistant: Fine 2.', 'user: Three'])
    expect(await chatMemory(store).messages('t')).toHaveLength(6)
  })

  test('{ window: 0 }: the newest unit, and in the loop what it produces', async () => {
    const model = scriptedModel(['Fine 1.', toolCall('t', {}), 'Fine 2.'])
    const t = tool({ inputSchema: z.object({}), execute: async () => 'x' })
    const agent = createAgent({ model, store: inMemoryStore(), history: { window: 0 }, tools: { t } })
    await agent.run({ threadId: 't', prompt: 'One' })
    await agent.run({ threadId: 't', prompt: 'Two' })
    expect(promptsOf(model)[2]).toEqual(['user: Two', 'assistant: tool-call call-1', 'tool: tool-result call-1'])
  })

  test('{ store }: another store than that of the agent', async () => {
    const [own, other] = [inMemoryStore(), inMemoryStore()]
    const model = fine()
    await threeTurns(createAgent({ model, store: own, history: { store: other } }))
    expect(promptsOf(model)[2]).toEqual(everything)
    expect(await rowsOf(own)).toEqual([])
    expect(await chatMemory(other).messages('t')).toHaveLength(6)
  })

  test('{ store, window }', async () => {
    const other = inMemoryStore()
    const model = fine()
    await threeTurns(createAgent({ model, history: { store: other, window: 3 } }))
    expect(promptsOf(model)[2]).toEqual(['user: Two', 'assistant: Fine 2.', 'user: Three'])
    expect(await chatMemory(other).messages('t')).toHaveLength(6)
  })

  test('a history', async () => {
    const chat = chatMemory(inMemoryStore())
    const model = fine()
    await threeTurns(createAgent({ model, history: createHistory({ chat, prepare: [window(1)] }) }))
    expect(promptsOf(model)[2]).toEqual(['user: Three'])
    expect(await chat.messages('t')).toHaveLength(6)
  })

  test.each(['none' as const, false as const])(
    '%s: nothing is kept, but the loop sees its own calls',
    async (history) => {
      const store = inMemoryStore()
      const model = scriptedModel(['Fine 1.', toolCall('t', {}), 'Fine 2.'])
      const t = tool({ inputSchema: z.object({}), execute: async () => 'x' })
      const agent = createAgent({ model, store, history, tools: { t } })
      await agent.run({ threadId: 't', prompt: 'One' })
      const result = await agent.run({ threadId: 't', prompt: 'Two' })
      expect(promptsOf(model)[2]).toEqual(['user: Two', 'assistant: tool-call call-1', 'tool: tool-result call-1'])
      expect(result.messages).toHaveLength(4)
      expect(await rowsOf(store)).toEqual([])
    },
  )
})

describe('what a history is given', () => {
  test('the thread, the owner, the model, a step and the signal; the run in one append', async () => {
    const seen: unknown[] = []
    const model = fine()
    const history: History = {
      async load(threadId, context) {
        seen.push([
          'load',
          threadId,
          context?.threadId,
          context?.owner,
          context?.model === model,
          await context?.step?.('s', async () => 1),
        ])
        return [{ role: 'user', content: 'Before' }]
      },
      prepare(messages, context) {
        seen.push(['prepare', messages.length, context?.threadId, context?.signal?.aborted])
        return messages.slice(-1)
      },
      async append(threadId, messages, options) {
        seen.push(['append', threadId, messages.map(({ role }) => role), options])
      },
      clear: async (threadId) => void seen.push(['clear', threadId]),
    }
    const agent = createAgent({ model, history, owner: () => 'ada' })
    const result = await agent.run({ threadId: 't', prompt: 'Hi', runId: 'r' })
    await agent.deleteThread('t')
    expect(promptsOf(model)).toEqual([['user: Hi']])
    expect(seen).toEqual([
      ['load', 't', 't', 'ada', true, 1],
      ['prepare', 2, 't', false],
      ['append', 't', ['user', 'assistant'], { owner: 'ada', opId: 'r' }],
      ['clear', 't'],
    ])
    expect(result.messages).toEqual([
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: [{ type: 'text', text: 'Fine 1.' }] },
    ])
  })

  test('what it gives is not changed', async () => {
    const past: Message[] = [
      { role: 'user', content: 'Before' },
      { role: 'assistant', content: 'Yes' },
    ]
    past.forEach((message) => Object.freeze(message))
    Object.freeze(past)
    const history: History = {
      load: async () => past,
      prepare: (m) => m as Message[],
      append: async () => {},
      clear: async () => {},
    }
    const input = Object.freeze([Object.freeze({ role: 'user' as const, content: 'Hi' })])
    await createAgent({ model: fine(), history }).run({ threadId: 't', messages: input })
    expect(past).toHaveLength(2)
  })
})

describe('threads of an agent', () => {
  test('messages, threads and deleteThread', async () => {
    const agent = createAgent({ model: fine(), store: inMemoryStore(), owner: () => 'ada' })
    await agent.run({ threadId: 'a', prompt: 'One' })
    await agent.run({ threadId: 'b', prompt: 'Two' })
    expect((await agent.messages('a', { last: 1 })).map(({ role }) => role)).toEqual(['assistant'])
    expect((await agent.threads({ owner: 'ada', limit: 1 })).items).toMatchObject([{ id: 'b', owner: 'ada' }])
    const ids: string[] = []
    for await (const { id } of agent.threads()) ids.push(id)
    expect(ids).toEqual(['a', 'b'])
    await agent.deleteThread('a')
    expect(await agent.messages('a')).toEqual([])
    expect((await agent.threads()).items.map(({ id }) => id)).toEqual(['b'])
  })

  test('of a history of your own: messages come from load; threads are not known', async () => {
    const past: Message[] = ['A', 'B', 'C'].map((content) => ({ role: 'user', content }))
    const history: History = {
      load: async () => past,
      prepare: (m) => [...m],
      append: async () => {},
      clear: async () => {},
    }
    const agent = createAgent({ model: fine(), history })
    expect(await agent.messages('t')).toEqual(past)
    expect(await agent.messages('t', { last: 2 })).toEqual(past.slice(1))
    expect(await agent.messages('t', { last: 5 })).toEqual(past)
    expect(await agent.messages('t', { last: 0 })).toEqual([])
    expect(() => agent.threads()).toThrow(/does not know its threads/)
  })

  test('of none: unsupported', async () => {
    const agent = createAgent({ model: fine(), history: 'none' })
    expect((await rejection(agent.messages('t'))).code).toBe('unsupported')
    expect((await rejection(agent.deleteThread('t'))).code).toBe('unsupported')
    expect(() => agent.threads()).toThrow(/does not know its threads/)
  })
})
