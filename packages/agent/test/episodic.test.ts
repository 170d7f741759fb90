import { inMemoryStore, inProcessIndex, records } from '@keepsake/core'
import { scriptedModel } from '@keepsake/store-testing'
import { reflectWith } from '@keepsake/strategies'
import { describe, expect, it } from 'vitest'
import { createAgent, episodicMiddleware, recallMiddleware } from '../src/index.ts'
import { fine, promptsOf, testClock } from './support.ts'

describe('episodicMiddleware', () => {
  it('records what happened, and recalls it for a task that is like it, of the owner alone', async () => {
    const store = inMemoryStore()
    const index = inProcessIndex()
    const model = fine()
    const own = (owner: string) => records(store, owner, { index })
    const agent = createAgent<{ user: string }>({
      model,
      store,
      owner: ({ user }) => user,
      middleware: [episodicMiddleware({ from: (run) => own(run.owner!), clock: testClock() })],
    })
    await agent.run({ threadId: 't1', runId: 'r1', prompt: 'Book a hotel in Lisbon', context: { user: 'ada' } })
    await agent.run({ threadId: 't2', runId: 'r2', prompt: 'Which hotels has Lisbon?', context: { user: 'ada' } })
    await agent.run({ threadId: 't3', runId: 'r3', prompt: 'Which hotels has Lisbon?', context: { user: 'bob' } })
    expect(promptsOf(model).map((prompt) => prompt.length)).toEqual([1, 2, 1])
    expect(promptsOf(model)[1]![0]).toContain('[episodes/r1, ')
    expect(promptsOf(model)[1]![0]).toContain('Task: Book a hotel in Lisbon / Approach: Answered without tools')
    const { items } = await own('ada').list(['episodes'])
    expect(items.map(({ key }) => key)).toEqual([
      ['episodes', 'r1'],
      ['episodes', 'r2'],
    ])
    // What was recalled is no part of the next episode.
    expect(items[1]!.value).toMatchObject({ task: 'Which hotels has Lisbon?', atMs: Date.UTC(2026, 0, 1) })
    expect(await agent.messages('t2', { owner: 'ada' })).toHaveLength(2)
  })

  it('stands beside other recall', async () => {
    const store = inMemoryStore()
    const own = records(store, 'all', { index: inProcessIndex() })
    await own.put(['memories', 'm'], { content: 'Lisbon is sunny' })
    const model = fine()
    const middleware = [recallMiddleware({ from: own, prefix: ['memories'] }), episodicMiddleware({ from: own })]
    const agent = createAgent({ model, store, middleware })
    await agent.run({ threadId: 't1', prompt: 'Lisbon in May?' })
    await agent.run({ threadId: 't2', prompt: 'Lisbon in June?' })
    expect(promptsOf(model)[1]!.filter((line) => line.includes('<recalled_memories>'))).toHaveLength(2)
  })

  it('fails no run', async () => {
    const errors: unknown[] = []
    const store = inMemoryStore()
    const own = records(store, 'all')
    const reflect = reflectWith(scriptedModel(['no json']))
    const agent = createAgent({
      model: fine(),
      store,
      middleware: [episodicMiddleware({ from: own, reflect, onError: (error) => errors.push(error) })],
    })
    await agent.run({ threadId: 't', prompt: 'one' })
    expect(errors).toHaveLength(1)
    expect((await own.list(['episodes'])).items).toEqual([])
  })

  it('refuses options that cannot be used when it is made', () => {
    expect(() => episodicMiddleware({ from: {} as never })).toThrow('from must be records')
    expect(() => episodicMiddleware({ from: () => undefined, limit: 0 })).toThrow('limit')
  })
})
