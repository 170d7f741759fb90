import { inMemoryStore } from '@keepsake/core'
import { scriptedModel, toolCall } from '@keepsake/store-testing'
import { tool } from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createAgent } from '../src/index.ts'
import { fine, rejection, rowsOf } from './support.ts'

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
