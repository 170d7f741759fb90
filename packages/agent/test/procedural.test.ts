import { inMemoryStore, records } from '@keepsake/core'
import { scriptedModel, toolCall } from '@keepsake/store-testing'
import { procedures } from '@keepsake/strategies'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createAgent, proceduralMiddleware } from '../src/index.ts'
import { promptsOf } from './support.ts'

describe('proceduralMiddleware', () => {
  it('tells of skills and tools, reads a skill, and counts what tools do', async () => {
    const store = inMemoryStore()
    const own = records(store, 'ada')
    const how = procedures(own)
    await how.setSkill({ name: 'release', description: 'How we publish', content: 'Test, then tag.' })
    const model = scriptedModel([
      [toolCall('read_skill', { name: 'release' }), toolCall('read_skill', { name: 'none' }), toolCall('break', {})],
      'Done.',
      'Again.',
    ])
    const agent = createAgent({
      model,
      store,
      tools: {
        break: {
          inputSchema: z.object({}),
          execute() {
            throw new Error('broken')
          },
        },
      },
      middleware: [proceduralMiddleware({ from: own, taskType: 'publish' })],
    })
    await agent.run({ threadId: 't', prompt: 'Publish it' })
    await agent.run({ threadId: 't', prompt: 'Publish it again' })
    const [first, second, third] = promptsOf(model)
    expect(first![0]).toContain('- release: How we publish')
    expect(JSON.stringify(model.calls[1]!.prompt)).toContain('Test, then tag.')
    expect(JSON.stringify(model.calls[1]!.prompt)).toContain('Error: there is no skill none')
    expect(second![0]).toBe(first![0])
    expect(third![0]).toContain('- read_skill: 2 worked, 0 in part, 0 failed\n- break: 0 worked, 0 in part, 1 failed')
    expect(await how.toolUse('publish')).toHaveLength(2)
  })

  it('fails no run where counting fails', async () => {
    const errors: unknown[] = []
    const own = { ...records(inMemoryStore(), 'ada'), update: () => Promise.reject(new Error('down')) }
    const agent = createAgent({
      model: scriptedModel([toolCall('read_skill', { name: 'x' }), 'Done.']),
      middleware: [proceduralMiddleware({ from: own, onError: (error) => errors.push(error) })],
    })
    expect((await agent.run({ threadId: 't', prompt: 'go' })).text).toBe('Done.')
    expect(errors).toHaveLength(1)
  })
})
