import { chatMemory, inMemoryStore } from '@keepsake/core'
import { scriptedModel, text, toolCall } from '@keepsake/store-testing'
import { tool } from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createAgent } from '../../src/index.ts'
import { bare, fine, rejection, testClock, textOf } from '../support.ts'
import { mortalStore } from './support.ts'

const t = tool({ inputSchema: z.object({}), execute: async () => 'x' })

describe('what agents say and what is appended', () => {
  test('is one thread, in the order in which it was said', async () => {
    const store = inMemoryStore()
    const chat = chatMemory(store)
    const agent = createAgent({ model: fine(), store })
    await chat.append('t', [{ role: 'user', content: 'A' }])
    await agent.run({ threadId: 't', prompt: 'B' })
    await chat.append('t', [{ role: 'user', content: 'C' }])
    await agent.run({ threadId: 't', prompt: 'D' })
    const said = (await chat.messages('t')).map(({ content }) =>
      typeof content === 'string' ? content : textOf([{ role: 'assistant', content } as never]),
    )
    expect(said).toEqual(['A', 'B', 'Fine 1.', 'C', 'D', 'Fine 2.'])
    expect(bare(await chat.messages('t', { last: 3 }))).toEqual(bare(await chat.messages('t')).slice(-3))
  })

  test('a thread comes after an append of a clock that is ahead', async () => {
    const store = inMemoryStore()
    const ahead = testClock(Date.UTC(2026, 0, 1) + 30_000)
    await chatMemory(store, { clock: ahead }).append('t', [{ role: 'user', content: 'A' }])
    await createAgent({ model: fine(), store, clock: testClock() }).run({ threadId: 't', prompt: 'B' })
    expect((await chatMemory(store).messages('t')).map(({ role }) => role)).toEqual(['user', 'user', 'assistant'])
    expect((await chatMemory(store).messages('t'))[0]).toMatchObject({ content: 'A' })
  })

  test('of a run that was not committed nothing shows, in whatever state its process died', async () => {
    const store = inMemoryStore()
    const clock = testClock()
    await createAgent({ model: fine(), store, clock }).run({ threadId: 't', prompt: 'One' })
    for (let call = 1; ; call++) {
      // The rows of a commit land, and the head after them does not: the store has no atomic batches.
      const mortal = mortalStore(store, call, 'after', { atomicBatch: false })
      const running = createAgent({ model: fine(), store: mortal, clock }).run({
        threadId: 't',
        prompt: 'Two',
        runId: 'r',
      })
      const ended = await Promise.race([running, mortal.died])
      const shown = await chatMemory(store).messages('t')
      const committed = shown.length === 4
      expect([2, 4]).toContain(shown.length)
      expect((await chatMemory(store).messages('t', { last: 1 }))[0]).toEqual(shown.at(-1))
      if (ended !== 'died' || committed) break
      clock.advance(200_000)
    }
    await createAgent({ model: fine(), store, clock }).run({ threadId: 't', prompt: 'Two', runId: 'r' })
    expect((await chatMemory(store).messages('t')).map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
    ])
  })

  test('messages of a run are removed like others, a call with its results', async () => {
    const store = inMemoryStore()
    const agent = createAgent({
      model: scriptedModel([[text('See.'), toolCall('t', {})], 'Ok.', 'Bye.']),
      store,
      tools: { t },
    })
    await agent.run({ threadId: 't', prompt: 'One' })
    const messages = await agent.messages('t')
    expect(await chatMemory(store).removeMessages('t', [messages[1]!.id!])).toBe(2)
    expect(bare(await agent.messages('t'))).toEqual([bare(messages)[0], bare(messages)[3]])
    await agent.run({ threadId: 't', prompt: 'Two' })
    expect(await agent.messages('t')).toHaveLength(4)
    await chatMemory(store).removeMessages(
      't',
      (await agent.messages('t')).map(({ id }) => id!),
    )
    expect(await agent.messages('t')).toEqual([])
    await chatMemory(store).clear('t')
    expect(await agent.messages('t')).toEqual([])
  })

  test('the last 20 of a long thread cost no more than 20 rows and the head', async () => {
    const store = inMemoryStore()
    const agent = createAgent({ model: fine(), store })
    for (let n = 0; n < 60; n++) await agent.run({ threadId: 't', prompt: `${n}` })
    let rows = 0
    const counting = Object.assign(Object.create(store) as typeof store, {
      scan: async (...given: Parameters<typeof store.scan>) => {
        const page = await store.scan(...given)
        rows += page.length
        return page
      },
    })
    expect(await chatMemory(counting).messages('t', { last: 20 })).toHaveLength(20)
    expect(rows).toBe(21)
  })

  test('ids of messages that the thread has are refused', async () => {
    const agent = createAgent({ model: fine(), store: inMemoryStore() })
    await agent.run({ threadId: 't', messages: [{ role: 'user', content: 'A', id: 'm1' }] })
    const again = agent.run({ threadId: 't', messages: [{ role: 'user', content: 'B', id: 'm1' }] })
    expect((await rejection(again)).code).toBe('conflict')
    const given = (await agent.messages('t'))[1]!
    expect(
      (await rejection(agent.run({ threadId: 't', messages: [{ role: 'user', content: 'B', id: given.id! }] }))).code,
    ).toBe('conflict')
    expect(await agent.messages('t')).toHaveLength(2)
  })
})

describe('runs of one thread', () => {
  test('come one after the other, in the order in which they were given', async () => {
    const model = scriptedModel(({ prompt }) => `${prompt.length}`)
    const agent = createAgent({ model, store: inMemoryStore() })
    const results = await Promise.all(['A', 'B', 'C'].map((prompt) => agent.run({ threadId: 't', prompt })))
    expect(results.map(({ text: said }) => said)).toEqual(['1', '3', '5'])
  })

  test('of two processes too', async () => {
    const store = inMemoryStore()
    const first = Promise.withResolvers<string>()
    const begun = Promise.withResolvers<void>()
    const slow = createAgent({
      model: scriptedModel(() => (begun.resolve(), first.promise)),
      store,
    })
    const model = fine()
    const other = createAgent({ model, store })
    const a = slow.run({ threadId: 't', prompt: 'A' })
    await begun.promise
    const b = other.run({ threadId: 't', prompt: 'B' })
    await new Promise((resolve) => setTimeout(resolve, 150))
    expect(model.calls).toHaveLength(0)
    first.resolve('Slow.')
    await a
    expect((await b).messages).toHaveLength(2)
    expect(model.calls[0]!.prompt).toHaveLength(3)
  })

  test('one that waits too long: a conflict that may be tried again, and nothing is stored', async () => {
    const store = inMemoryStore()
    const begun = Promise.withResolvers<void>()
    const slow = createAgent({ model: scriptedModel(() => (begun.resolve(), new Promise<never>(() => {}))), store })
    const stop = new AbortController()
    const a = rejection(slow.run({ threadId: 't', prompt: 'A', signal: stop.signal }))
    await begun.promise
    const error = await rejection(
      createAgent({ model: fine(), store, limits: { timeoutMs: 20 } }).run({ threadId: 't', prompt: 'B' }),
    )
    expect(error).toMatchObject({ code: 'conflict', retryable: true, details: { timeoutMs: 20 } })
    stop.abort()
    expect((await a).code).toBe('aborted')
    await slow.settled()
    const result = await createAgent({ model: fine(), store }).run({ threadId: 't', prompt: 'C' })
    expect(result.messages).toHaveLength(2)
    expect(await chatMemory(store).messages('t')).toHaveLength(2)
  })
})
