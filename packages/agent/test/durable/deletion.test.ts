import { inMemoryStore, threadEntity } from '@keepsake/core'
import { scriptedModel, toolCall } from '@keepsake/store-testing'
import { tool } from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createAgent } from '../../src/index.ts'
import { fine, rejection, rowsOf } from '../support.ts'

const t = tool({ inputSchema: z.object({}), execute: async () => 'x' })

describe('deleteThread', () => {
  test('leaves nothing of it but that it was there', async () => {
    const store = inMemoryStore()
    const agent = createAgent({ model: fine(), store })
    await agent.run({ threadId: 't', prompt: 'A secret' })
    await agent.run({ threadId: 't', prompt: 'Another secret' })
    await agent.deleteThread('t')
    const rows = (await rowsOf(store)).filter(({ entity }) => entity === threadEntity('t'))
    expect(rows.map(({ key }) => key.replaceAll('\u0001', '/'))).toEqual(['m/', 'm/!/'])
    expect(new TextDecoder().decode(Uint8Array.from(rows.flatMap(({ rec }) => [...rec])))).not.toMatch(/secret/)
    expect(await agent.messages('t')).toEqual([])
  })

  test.each([
    ['a run of a thread that has messages', true],
    ['the first run of a thread', false],
  ])('%s that is under way does not bring it back', async (_name, before) => {
    const store = inMemoryStore()
    const asked = Promise.withResolvers<void>()
    const said = Promise.withResolvers<string>()
    if (before) await createAgent({ model: fine(), store }).run({ threadId: 't', prompt: 'A' })
    const agent = createAgent({ model: scriptedModel(() => (asked.resolve(), said.promise)), store })
    const run = rejection(agent.run({ threadId: 't', prompt: 'A secret', runId: 'r' }))
    await asked.promise
    await createAgent({ model: fine(), store }).deleteThread('t')
    said.resolve('A secret too.')
    expect(await run).toMatchObject({ code: 'conflict', message: expect.stringMatching(/was deleted/) as string })
    await agent.settled()
    expect(await agent.messages('t')).toEqual([])
    expect((await agent.threads()).items).toEqual([])
    const rows = (await rowsOf(store)).filter(({ entity }) => entity === threadEntity('t'))
    expect(new TextDecoder().decode(Uint8Array.from(rows.flatMap(({ rec }) => [...rec])))).not.toMatch(/secret/)
  })

  test('a suspended run is gone with it', async () => {
    const agent = createAgent({
      model: scriptedModel([toolCall('t', {}), 'Fresh.']),
      store: inMemoryStore(),
      tools: { t },
      toolApproval: { t: 'user-approval' },
    })
    const result = await agent.run({ threadId: 't', prompt: 'A' })
    if (result.status !== 'suspended') throw new Error('it is not suspended')
    await agent.deleteThread('t')
    const approvals = result.approvals.map(({ approvalId }) => ({ approvalId, approved: true }))
    expect((await rejection(agent.run({ threadId: 't', approvals }))).code).toBe('conflict')
    expect(await agent.run({ threadId: 't', prompt: 'B' })).toMatchObject({ text: 'Fresh.' })
    expect(await agent.messages('t')).toHaveLength(2)
  })
})
