import { chatMemory, inMemoryStore, records } from '@keepsake/core'
import { scriptedModel } from '@keepsake/store-testing'
import { describe, expect, it } from 'vitest'
import { consolidateMiddleware, createAgent } from '../src/index.ts'
import { fine, promptsOf } from './support.ts'

describe('consolidateMiddleware', () => {
  it("after a run moves the oldest half into the owner's memory, and sends it no more", async () => {
    const store = inMemoryStore()
    const chat = chatMemory(store)
    const model = fine()
    const writer = scriptedModel((_call, index) => `memory ${index + 1}`)
    const agent = createAgent<{ user: string }>({
      model,
      store,
      owner: ({ user }) => user,
      middleware: [
        consolidateMiddleware({ model: writer, chat, maxMessages: 5, memories: (run) => records(store, run.owner!) }),
      ],
    })
    for (const prompt of ['one', 'two', 'three', 'four']) {
      await agent.run({ threadId: 't', prompt, context: { user: 'ada' } })
    }
    // After the third run there are six messages: three of them become a memory.
    expect(writer.calls).toHaveLength(1)
    expect(promptsOf(model)[3]).toEqual(['assistant: Fine 2.', 'user: three', 'assistant: Fine 3.', 'user: four'])
    expect(await agent.messages('t', { owner: 'ada' })).toHaveLength(8)
    const { items } = await records(store, 'ada').list(['memories'])
    expect(items.map(({ value }) => value)).toEqual([
      { content: 'memory 1', metadata: { type: 'conversation_summary', messageCount: 3, threadId: 't' } },
    ])
  })

  it('fails no run', async () => {
    const store = inMemoryStore()
    const errors: unknown[] = []
    const agent = createAgent({
      model: fine(),
      store,
      middleware: [
        consolidateMiddleware({
          model: scriptedModel(() => new Error('overloaded')),
          chat: chatMemory(store),
          maxMessages: 2,
          memories: records(store, 'all'),
          onError: (error) => errors.push(error),
        }),
      ],
    })
    await agent.run({ threadId: 't', prompt: 'one' })
    await agent.run({ threadId: 't', prompt: 'two' })
    expect(errors).toHaveLength(1)
    expect(await agent.messages('t')).toHaveLength(4)
  })

  it('refuses options that cannot be used when it is made', () => {
    const options = { model: fine(), chat: chatMemory(inMemoryStore()), memories: () => undefined }
    expect(() => consolidateMiddleware({ ...options, maxMessages: 0 })).toThrow('maxMessages')
  })
})
