import { chatMemory, inMemoryStore, inProcessIndex, records, type Message, type ToolOptions } from '@keepsake/core'
import { scriptedModel, toolCall } from '@keepsake/store-testing'
import { describe, expect, it } from 'vitest'
import { createAgent, recallMiddleware, threadSearchTool, type FoundMessage } from '../src/index.ts'
import { fine, linesOf, testClock } from './support.ts'

describe('recallMiddleware', () => {
  it('shows the model what was recalled for the owner, and the thread never holds it', async () => {
    const store = inMemoryStore()
    const index = inProcessIndex()
    const memories = (owner: string) => records<string>(store, owner, { index })
    await memories('ada').put(['food'], 'Ada loves pizza')
    await memories('bob').put(['food'], 'Bob hates pizza')
    const model = fine()
    const agent = createAgent<{ user: string }>({
      model,
      store,
      owner: ({ user }) => user,
      middleware: [recallMiddleware({ from: (run) => memories(run.owner!) })],
    })
    for (const prompt of ['Some pizza?', 'More pizza?']) {
      await agent.run({ threadId: 't', prompt, context: { user: 'ada' } })
    }
    const [first, second] = model.calls.map(({ prompt }) => linesOf(prompt))
    expect(first).toEqual([expect.stringMatching(/^user: <recalled_memories>[^]*Ada loves pizza/), 'user: Some pizza?'])
    expect(second!.filter((line) => line.includes('recalled_memories'))).toHaveLength(1)
    expect(JSON.stringify(model.calls)).not.toContain('Bob')
    const stored = await agent.messages('t', { owner: 'ada' })
    expect(stored.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
    expect(JSON.stringify(stored)).not.toContain('recalled')
  })

  it('refuses options that cannot be used when it is made', () => {
    expect(() => recallMiddleware({ from: {} as never })).toThrow('from must be records')
    expect(() => recallMiddleware({ from: () => undefined, limit: -1 })).toThrow('limit')
  })
})

describe('threadSearchTool', () => {
  const said = (role: 'user' | 'assistant', content: string): Message => ({ role, content })

  async function conversations() {
    const clock = testClock()
    const store = inMemoryStore()
    const chat = chatMemory(store, { clock })
    await chat.append('trip', [said('user', 'We are going to Lisbon in June'), said('assistant', 'Enjoy Lisbon!')], {
      owner: 'ada',
    })
    clock.advance(60_000)
    await chat.append('work', [said('user', 'My report is due on Friday')], { owner: 'ada' })
    await chat.append('secret', [said('user', 'Bob goes to Lisbon too')], { owner: 'bob' })
    const { search_threads: tool } = threadSearchTool<{ user: string }>({ chat, owner: ({ user }) => user })
    const search = async (query: string, user = 'ada', threadId?: string): Promise<FoundMessage[]> =>
      tool.execute!({ query }, {
        toolCallId: 'c',
        messages: [],
        context: { user },
        ...(threadId !== undefined && { run: { threadId } }),
      } as unknown as ToolOptions<{ user: string }>)
    return { clock, chat, search, tool }
  }

  it("finds what the owner said, the user's words first, with thread and date, and nobody else's", async () => {
    const { search } = await conversations()
    expect(await search('When to Lisbon?')).toEqual([
      { thread: 'trip', at: '2026-01-01T00:00Z', role: 'user', text: 'We are going to Lisbon in June' },
      { thread: 'trip', at: '2026-01-01T00:00Z', role: 'assistant', text: 'Enjoy Lisbon!' },
    ])
    expect((await search('Lisbon', 'bob')).map(({ thread }) => thread)).toEqual(['secret'])
    expect(await search('Lisbon', 'eve')).toEqual([])
    await expect(search('Lisbon', '')).rejects.toThrow('owner')
  })

  it('leaves out the thread that is going on', async () => {
    const { search } = await conversations()
    expect(await search('Lisbon', 'ada', 'trip')).toEqual([])
    expect(await search('report', 'ada', 'trip')).toHaveLength(1)
  })

  it('sees what was appended, and nothing that was removed or cleared, or belongs to somebody else by now', async () => {
    const { chat, clock, search } = await conversations()
    expect(await search('Porto')).toEqual([])
    clock.advance(60_000)
    await chat.append('work', [said('user', 'Porto was nice')], { owner: 'ada' })
    const [found] = await search('Porto')
    expect(found).toMatchObject({ thread: 'work', text: 'Porto was nice' })
    const [first] = await chat.messages('work')
    await chat.removeMessages('work', [first!.id])
    expect(await search('report')).toEqual([])
    await chat.clear('trip')
    expect(await search('Lisbon')).toEqual([])
    clock.advance(60_000)
    await chat.append('trip', [said('user', 'Lisbon again')], { owner: 'bob' })
    expect(await search('Lisbon')).toEqual([])
  })

  it('is a tool for the model of an agent', async () => {
    const { chat } = await conversations()
    const model = scriptedModel([toolCall('search_threads', { query: 'Lisbon' }), 'In June.'])
    const agent = createAgent<{ user: string }>({
      model,
      owner: ({ user }) => user,
      tools: threadSearchTool<{ user: string }>({ chat, owner: ({ user }) => user }),
    })
    const { text } = await agent.run({ threadId: 'now', prompt: 'When is my trip?', context: { user: 'ada' } })
    expect(text).toBe('In June.')
    expect(JSON.stringify(model.calls[1]!.prompt)).toContain('We are going to Lisbon in June')
    expect(JSON.stringify(model.calls[1]!.prompt)).not.toContain('Bob')
  })

  it('refuses options that cannot be used', () => {
    const chat = chatMemory(inMemoryStore())
    expect(() => threadSearchTool({ chat: {} as never, owner: () => 'a' })).toThrow('chat must be a chat memory')
    expect(() => threadSearchTool({ chat, owner: 'ada' as never })).toThrow('owner must be a function')
    expect(() => threadSearchTool({ chat, owner: () => 'a', limit: 0 })).toThrow('limit must be a whole number')
  })
})
