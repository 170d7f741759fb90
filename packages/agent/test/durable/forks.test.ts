import { inMemoryStore } from '@keepsake/core'
import { scriptedModel, text, toolCall } from '@keepsake/store-testing'
import { tool } from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createAgent } from '../../src/index.ts'
import { bare, fine, rejection } from '../support.ts'

const t = tool({ inputSchema: z.object({}), execute: async () => 'x' })

describe('checkpoints and forks', () => {
  const steps = () =>
    scriptedModel([[text('1'), toolCall('t', {})], [text('2'), toolCall('t', {})], '3', 'Second.', 'Forked.'])

  test('are newest first, also within a run; a fork holds what was there', async () => {
    const store = inMemoryStore()
    const agent = createAgent({ model: steps(), store, tools: { t }, owner: () => 'ada' })
    await agent.run({ threadId: 't', prompt: 'One' })
    await agent.run({ threadId: 't', prompt: 'Two' })
    const { items } = await agent.checkpoints('t')
    expect(items).toHaveLength(4)
    const lengths: number[] = []
    for (const [index, { id }] of items.entries()) {
      await agent.fork('t', { at: id, to: `fork-${index}` })
      lengths.push((await agent.messages(`fork-${index}`, { owner: 'ada' })).length)
    }
    expect(lengths).toEqual([8, 6, 5, 3])
    expect(bare(await agent.messages('fork-2'))).toEqual(bare(await agent.messages('t')).slice(0, 5))
    expect((await agent.threads({ owner: 'ada' })).items.map(({ id }) => id).toSorted()).toEqual([
      'fork-0',
      'fork-1',
      'fork-2',
      'fork-3',
      't',
    ])

    const result = await agent.run({ threadId: 'fork-3', prompt: 'Other' })
    expect(result.text).toBe('Forked.')
    expect(await agent.messages('fork-3')).toHaveLength(5)
    expect(await agent.messages('t')).toHaveLength(8)
    await agent.deleteThread('t')
    expect(await agent.messages('fork-3')).toHaveLength(5)
    expect((await agent.checkpoints('fork-3')).items).toHaveLength(2)
  })

  test('in pages', async () => {
    const agent = createAgent({ model: fine(), store: inMemoryStore() })
    for (let n = 0; n < 5; n++) await agent.run({ threadId: 't', prompt: 'x' })
    const page = await agent.checkpoints('t', { limit: 2 })
    const rest = await agent.checkpoints('t', { limit: 9, cursor: page.cursor! })
    const whole: string[] = []
    for await (const { id } of agent.checkpoints('t', { limit: 2 })) whole.push(id)
    expect(whole).toEqual([...page.items, ...rest.items].map(({ id }) => id))
    expect(new Set(whole).size).toBe(5)
  })

  test('what is refused', async () => {
    const agent = createAgent({ model: fine(), store: inMemoryStore(), owner: () => 'ada' })
    await agent.run({ threadId: 't', prompt: 'x' })
    await agent.run({ threadId: 'taken', prompt: 'x' })
    const at = (await agent.checkpoints('t')).items[0]!.id
    expect((await rejection(agent.fork('t', { at: '1.2.3', to: 'new' }))).code).toBe('invalid_value')
    expect((await rejection(agent.fork('t', { at, to: 'taken' }))).code).toBe('conflict')
    expect((await rejection(agent.fork('t', { at, to: 'new', owner: 'eve' }))).code).toBe('wrong_owner')
    expect((await rejection(Promise.resolve(agent.checkpoints('t', { owner: 'eve' })))).code).toBe('wrong_owner')
    expect(await agent.messages('new')).toEqual([])
    expect(() => createAgent({ model: fine(), history: 'none' }).checkpoints('t')).toThrow(/does not know its threads/)
  })
})
