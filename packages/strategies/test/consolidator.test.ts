import { chatMemory, createClock, inMemoryStore, inProcessIndex, records, type Message } from '@keepsake/core'
import { scriptedModel, type ScriptedModel } from '../../store-testing/src/index.ts'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { consolidator, createHistory, type ConsolidatedMemory, type ConsolidatorOptions } from '../src/index.ts'
import { recalledMessage } from '../src/recall/recalled-message.ts'
import { wholeHistories } from './histories.ts'
import { calls, results, say, system, user } from './messages.ts'
import { asked, numbered } from './summaries.ts'
import { complaints } from './validator.ts'

function setup(model: ScriptedModel = numbered(), more: Partial<ConsolidatorOptions> = {}) {
  const store = inMemoryStore()
  let ids = 0
  let nowMs = Date.UTC(2026, 0, 1)
  const clock = createClock({ nowMs: () => nowMs, newId: () => `id-${ids++}` })
  const chat = chatMemory(store, { clock })
  const memories = records(store, 'ada', { clock })
  const errors: unknown[] = []
  const options = { model, chat, memories, clock, onError: (error: unknown) => errors.push(error), ...more }
  const one = consolidator(options)
  const context = { threadId: 't', owner: 'ada' }
  return {
    chat,
    memories,
    model,
    errors,
    context,
    options,
    advance: (ms: number) => void (nowMs += ms),
    say: (messages: readonly Message[]) => chat.append('t', messages, { owner: 'ada' }),
    load: () => chat.messages('t'),
    consolidate: () => one.consolidate(context),
    sent: async () => one.prepare(await chat.messages('t'), context),
    stored: async () =>
      (await memories.list(['memories'])).items.map(({ value }) => value as unknown as ConsolidatedMemory),
  }
}

const talk = (length: number, from = 0): Message[] =>
  Array.from({ length }, (_, n) => ((from + n) % 2 === 0 ? user(`question ${from + n}.`) : say(`answer ${from + n}.`)))

describe('consolidator', () => {
  it('does nothing up to 50 messages', async () => {
    const { say: append, consolidate, model, sent } = setup()
    await append(talk(50))
    expect(await consolidate()).toBeUndefined()
    expect(model.calls).toHaveLength(0)
    expect(await sent()).toHaveLength(50)
  })

  it('of more moves the oldest half into one memory, with what it was made of', async () => {
    const { say: append, consolidate, memories, model, sent, load } = setup()
    await append([system('be kind'), ...talk(52)])
    const key = (await consolidate())!
    const entry = (await memories.get(key))!
    expect(key[0]).toBe('memories')
    expect(entry.value).toEqual({
      content: 'summary 1',
      metadata: { type: 'conversation_summary', messageCount: 26, threadId: 't' },
    })
    expect(asked(model, 0)).toContain('question 0.')
    expect(asked(model, 0)).toContain('answer 25.')
    expect(asked(model, 0)).not.toContain('question 26.')
    expect(asked(model, 0)).not.toContain('be kind')
    expect(model.calls[0]!.maxOutputTokens).toBe(500)
    // What lies before the watermark is no longer sent and stays stored.
    const stored = await load()
    expect(stored).toHaveLength(53)
    expect(await sent()).toEqual([stored[0], ...stored.slice(27)])
  })

  it('goes on from there when as many have come together again', async () => {
    const { say: append, consolidate, model, stored, sent } = setup()
    await append(talk(52))
    await consolidate()
    await append(talk(24, 52))
    expect(await consolidate()).toBeUndefined()
    await append(talk(2, 76))
    await consolidate()
    expect(model.calls).toHaveLength(2)
    expect(asked(model, 1)).toContain('question 26.')
    expect(asked(model, 1)).toContain('answer 51.')
    expect(asked(model, 1)).not.toContain('answer 25.')
    expect(asked(model, 1)).not.toContain('question 52.')
    expect(await stored()).toHaveLength(2)
    expect(await sent()).toHaveLength(26)
  })

  it('parts no call from its results, and leaves the newest turn', async () => {
    const { say: append, consolidate, sent } = setup(numbered(), { maxMessages: 4 })
    await append([user('q'), calls('a', 'b'), results('a'), results('b'), say('x'), user('n')])
    await consolidate()
    // Half of six would part the results: only the question goes.
    const prompt = await sent()
    expect(prompt.map(({ role }) => role)).toEqual(['assistant', 'tool', 'tool', 'assistant', 'user'])
    expect(complaints(prompt)).toEqual([])
  })

  it('leaves prompts that providers take, whatever the history', async () => {
    let moved = 0
    await fc.assert(
      fc.asyncProperty(fc.array(wholeHistories, { minLength: 1, maxLength: 3 }), async (turns) => {
        const {
          say: append,
          consolidate,
          sent,
        } = setup(
          scriptedModel(() => 's'),
          { maxMessages: 6 },
        )
        for (const turn of turns.map((units) => units.flat())) {
          if (turn.length > 0) await append(turn)
          if ((await consolidate()) !== undefined) moved++
          expect(complaints(await sent())).toEqual([])
        }
      }),
      { numRuns: 300 },
    )
    expect(moved).toBeGreaterThan(100)
  })

  it('twice at once stores one memory and asks the model once', async () => {
    const { say: append, options, context, model, stored } = setup()
    await append(talk(60))
    const done = await Promise.all(Array.from({ length: 5 }, () => consolidator(options).consolidate(context)))
    expect(done.filter((key) => key !== undefined)).toHaveLength(1)
    expect(model.calls).toHaveLength(1)
    expect(await stored()).toHaveLength(1)
  })

  it('memories that others add while the model writes are there afterwards', async () => {
    const { memories, say: append, stored, options, context } = setup()
    const slow = scriptedModel(async () => {
      await memories.put(['memories', 'theirs'], { content: 'added meanwhile' })
      await append(talk(10, 100))
      return 'summary'
    })
    await append(talk(60))
    await consolidator({ ...options, model: slow }).consolidate(context)
    expect((await stored()).map(({ content }) => content).toSorted()).toEqual(['added meanwhile', 'summary'])
  })

  it('when the process dies after storing, the next one stores nothing twice', async () => {
    const { memories, say: append, options, context, advance, stored, consolidate, sent } = setup()
    await append(talk(60))
    const died = Promise.withResolvers<void>()
    let puts = 0
    const dying: typeof memories = {
      ...memories,
      put(...put) {
        if (++puts < 3) return memories.put(...put)
        died.resolve()
        return new Promise<never>(() => {})
      },
    }
    // Claims, stores the memory, and never moves the watermark.
    void consolidator({ ...options, memories: dying }).consolidate(context)
    await died.promise
    expect(await stored()).toHaveLength(1)
    await append(talk(20, 60))
    expect(await consolidate()).toBeUndefined()
    advance(600_000)
    await consolidate()
    expect(await stored()).toHaveLength(1)
    expect(await sent()).toHaveLength(50)
  })

  it('a model that fails leaves everything as it was, and it is tried again', async () => {
    const model = scriptedModel((_call, index) => (index === 0 ? new Error('overloaded') : 'fine'))
    const { say: append, consolidate, stored, sent, errors } = setup(model)
    await append(talk(60))
    expect(await consolidate()).toBeUndefined()
    expect(errors).toHaveLength(1)
    expect(await stored()).toEqual([])
    expect(await sent()).toHaveLength(60)
    await consolidate()
    expect((await stored()).map(({ content }) => content)).toEqual(['fine'])
  })

  it('the watermark holds when the message at it was removed', async () => {
    const { chat, say: append, consolidate, load, sent } = setup()
    await append(talk(60))
    await consolidate()
    const messages = await load()
    await chat.removeMessages('t', [messages[29]!.id])
    expect(await sent()).toEqual(messages.slice(30))
  })

  it('a thread that was cleared and begins anew is sent whole', async () => {
    const { chat, say: append, consolidate, sent } = setup()
    await append(talk(60))
    await consolidate()
    await chat.clear('t')
    await append(talk(4))
    expect(await sent()).toHaveLength(4)
  })

  it('a watermark goes with its thread, where the step is part of the history', async () => {
    const { chat, memories, say: append, consolidate, options, stored } = setup()
    await append(talk(60))
    await consolidate()
    const history = createHistory({ chat, prepare: [consolidator(options).prepare] })
    expect((await memories.list(['consolidated'])).items).toHaveLength(1)
    await history.clear('t', { owner: 'ada' })
    expect((await memories.list(['consolidated'])).items).toEqual([])
    expect(await stored()).toHaveLength(1)
  })

  it('reads what came after the watermark, however long the thread is', async () => {
    const { chat, say: append, options, context } = setup()
    const asks: (number | undefined)[] = []
    const watched = {
      ...chat,
      messages: (id: string, o?: { last?: number }) => (asks.push(o?.last), chat.messages(id, o)),
    }
    const one = consolidator({ ...options, chat: watched })
    for (let n = 0; n < 400; n += 20) {
      await append(talk(20, n))
      await one.consolidate(context)
    }
    expect(Math.max(...asks.map((last) => last ?? Infinity))).toBeLessThanOrEqual(100)
  })

  it('never takes recalled memories in again', async () => {
    const { say: append, consolidate, model } = setup()
    await append([recalledMessage([{ source: 'memories/a', updatedAtMs: 0, text: 'remembered secret' }]), ...talk(60)])
    await consolidate()
    expect(asked(model, 0)).not.toContain('remembered secret')
  })

  it('what it stores is found', async () => {
    const { chat, options, context } = setup(scriptedModel(() => 'The user sails from Lisbon in June.'))
    await chat.append('t', talk(60), { owner: 'ada' })
    const memories = records(inMemoryStore(), 'ada', { index: inProcessIndex() })
    await consolidator({ ...options, memories }).consolidate(context)
    const { items } = await memories.search(['memories'], 'When to Lisbon?')
    expect(items.map(({ value }) => (value as unknown as ConsolidatedMemory).content)).toEqual([
      'The user sails from Lisbon in June.',
    ])
  })

  it.each([
    [{ model: {} }, 'model'],
    [{ chat: {} }, 'chat'],
    [{ memories: {} }, 'memories'],
    [{ maxMessages: 1 }, 'maxMessages'],
    [{ summaryTokens: 0 }, 'summaryTokens'],
    [{ maxInputTokens: '9' }, 'maxInputTokens'],
  ])('refuses %j when it is made', (wrong, what) => {
    expect(() => setup(numbered(), wrong as never)).toThrow(`consolidator: ${what} must be`)
  })
})
