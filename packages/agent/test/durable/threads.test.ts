import { chatMemory, inMemoryStore, threadEntity } from '@keepsake/core'
import { scriptedModel, text, toolCall } from '@keepsake/store-testing'
import { tool } from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createAgent } from '../../src/index.ts'
import { all, bare, fine, rejection, rowsOf, testClock, textOf } from '../support.ts'
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
    expect(error).toMatchObject({ code: 'run_failed', retryable: true })
    stop.abort()
    expect((await a).code).toBe('aborted')
    await slow.settled()
    const result = await createAgent({ model: fine(), store }).run({ threadId: 't', prompt: 'C' })
    expect(result.messages).toHaveLength(2)
    expect(await chatMemory(store).messages('t')).toHaveLength(2)
  })
})

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

describe('streams', () => {
  test('of a run that goes on: from the start, what is served is marked, and it is what is stored', async () => {
    const store = inMemoryStore()
    const clock = testClock()
    const model = () =>
      scriptedModel(({ prompt }) => (prompt.length === 1 ? [text('First. '), toolCall('t', {})] : 'Second.'))
    const hang = tool({ inputSchema: z.object({}), execute: () => new Promise<string>(() => {}) })
    const dead = createAgent({ model: model(), store, clock, tools: { t: hang } }).stream({
      threadId: 't',
      prompt: 'Go',
      runId: 'r',
    })
    const reader = dead.stream.getReader()
    for (let type = ''; type !== 'tool-call';) type = (await reader.read()).value!.type
    clock.advance(200_000)
    const next = createAgent({ model: model(), store, clock, tools: { t } }).stream({
      threadId: 't',
      prompt: 'Go',
      runId: 'r',
    })
    const parts = await all(next.stream)
    const deltas = parts.filter((part) => part.type === 'text-delta')
    expect(deltas[0]).toMatchObject({ text: 'First. ', providerMetadata: { keepsake: { replayed: true } } })
    expect(deltas.slice(1).every(({ providerMetadata }) => providerMetadata === undefined)).toBe(true)
    const { messages } = await next.result
    expect(deltas.map(({ text: said }) => said).join('')).toBe(textOf(messages))
    expect(parts.some(({ type }) => type === 'raw')).toBe(false)
  })

  test('whose answer another worker had stored first: reset, and then what is stored', async () => {
    const store = inMemoryStore()
    const clock = testClock()
    const answers = Promise.withResolvers<string>()
    const asked = Promise.withResolvers<void>()
    const slow = createAgent({ model: scriptedModel(() => (asked.resolve(), answers.promise)), store, clock })
    const run = slow.stream({ threadId: 't', prompt: 'Go', runId: 'r' })
    const result = Promise.resolve(run.result)
    await asked.promise
    clock.advance(200_000)
    const fast = await createAgent({ model: scriptedModel(['Fast.']), store, clock }).run({
      threadId: 't',
      prompt: 'Go',
      runId: 'r',
    })
    answers.resolve('Slow.')
    expect((await result).messages).toEqual(fast.messages)
    const parts = await all(run.stream)
    const reset = parts.findLastIndex(({ type }) => type === 'raw')
    const after = parts.slice(reset + 1).flatMap((part) => (part.type === 'text-delta' ? [part.text] : []))
    expect(after).toEqual(['Fast.'])
    await expect(all(run.textStream)).rejects.toThrow(/began again/)
  })

  test('an answer that was given before a deploy changed the prompt is served, with a warning', async () => {
    const store = inMemoryStore()
    const clock = testClock()
    const warned: unknown[] = []
    const { warn } = console
    console.warn = (...words: unknown[]) => void warned.push(words.join(' '))
    try {
      const hang = tool({ inputSchema: z.object({}), execute: () => new Promise<string>(() => {}) })
      const model = scriptedModel([toolCall('t', {}), 'Ok.'])
      const begun = createAgent({ model, store, clock, instructions: 'Old.', tools: { t: hang } }).stream({
        threadId: 't',
        prompt: 'Go',
        runId: 'r',
      })
      const reader = begun.stream.getReader()
      for (let type = ''; type !== 'tool-call';) type = (await reader.read()).value!.type
      clock.advance(200_000)
      const tools = { t, more: t }
      const result = await createAgent({ model, store, clock, instructions: 'New.', tools }).run({
        threadId: 't',
        prompt: 'Go',
        runId: 'r',
      })
      expect(result.text).toBe('Ok.')
      expect(model.calls).toHaveLength(2)
      // What the run was told at first it is told to its end.
      expect(model.calls[1]!.prompt[0]).toEqual({ role: 'system', content: 'Old.' })
      expect(warned).toEqual([expect.stringMatching(/the run "r" goes on .* step 1 .* changed since/) as string])
    } finally {
      console.warn = warn
    }
  })
})
