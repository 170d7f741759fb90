import { inMemoryStore, KeepsakeError, type Message } from '@keepsake/core'
import { scriptedModel, toolCall } from '@keepsake/store-testing'
import { tool } from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createAgent } from '../src/index.ts'
import { all, fine, rejection, saidIn, testClock } from './support.ts'

const add = tool({
  description: 'Adds',
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  execute: async ({ a, b }) => a + b,
})

describe('failures', () => {
  test('a model that fails: run_failed with its error as cause, and nothing is stored', async () => {
    const store = inMemoryStore()
    const failure = Object.assign(new Error('API key missing.'), { isRetryable: true })
    const agent = createAgent({ model: scriptedModel([failure]), store })
    const error = await rejection(agent.run({ threadId: 't', prompt: 'Hi' }))
    expect(error).toMatchObject({ code: 'run_failed', retryable: true, cause: failure, details: { step: 1 } })
    expect(error.message).toBe(
      'The call of the model keepsake.scripted scripted failed in step 1: API key missing. Nothing was stored.',
    )
    expect(await saidIn(store)).toEqual([])
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
    expect(await saidIn(store)).toEqual([])
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
      [/^history.load failed/, { model, history: { ...history, load: throws } }],
      [/history.prepare failed/, { model, history: { ...history, prepare: throws } }],
      [
        /^history.append failed: boom. Whether the run was stored is not known/,
        { model, history: { ...history, append: throws } },
      ],
      [
        /prepare of the middleware "m" failed/,
        { model, middleware: [{ name: 'm', start: () => ({ prepare: throws }) }] },
      ],
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
    const refused = new KeepsakeError('unsupported', 'Not on Sundays.', { details: { day: 7 } })
    const agent = createAgent({ model: fine(), middleware: [{ name: 'm', start: () => Promise.reject(refused) }] })
    const error = await rejection(agent.run({ threadId: 't', prompt: 'Hi', runId: 'r' }))
    expect(error).toMatchObject({ code: 'unsupported', message: 'Not on Sundays.', details: { day: 7, runId: 'r' } })
    expect(error.stack).toBe(refused.stack)
    expect('cause' in error).toBe(false)
    expect(refused.details).toEqual({ day: 7 })
  })

  test('the id of the run is in the details, also one that was made up for it', async () => {
    const agent = createAgent({ model: scriptedModel([new Error('down')]), clock: testClock() })
    expect((await rejection(agent.run({ threadId: 't', prompt: 'Hi' }))).details).toEqual({ step: 1, runId: 'id-1' })
    const last = await all(agent.stream({ threadId: 't', prompt: 'Hi', runId: 'r' }).stream)
    expect(last.at(-1)).toMatchObject({ type: 'error', error: { details: { step: 1, runId: 'r' } } })
  })

  test.each([
    ['no Error', 'down', 'see `cause`'],
    ['an Error without a message', new Error(), 'see `cause`'],
    ['an Error of a long message', new Error(`${'x'.repeat(300)}yz`), `${'x'.repeat(300)}…`],
  ])('the message tells the cause: %s', async (_name, cause, shown) => {
    const agent = createAgent({ model: fine(), instructions: () => Promise.reject(cause) })
    const error = await rejection(agent.run({ threadId: 't', prompt: 'Hi' }))
    expect(error.message).toBe(`The instructions function failed: ${shown}. Nothing was stored.`)
  })
})
