import { chatMemory, createClock, inMemoryStore, records } from '@keepsake/core'
import { scriptedModel } from '../../store-testing/src/index.ts'
import { describe, expect, it } from 'vitest'
import { createHistory, recall, type PrepareContext, type ThreadSummary } from '../src/index.ts'
import { say } from './messages.ts'
import { numbered, step, text, thread } from './summaries.ts'

describe('summaries in records', () => {
  const setup = () => {
    const store = inMemoryStore()
    let ids = 0
    let nowMs = Date.UTC(2026, 0, 1)
    const clock = createClock({ nowMs: () => (nowMs += 1_000), newId: () => `id-${ids++}` })
    const chat = chatMemory(store, { clock })
    const summaries = ({ owner }: PrepareContext) => records<ThreadSummary>(store, owner ?? 'nobody', { clock })
    return { store, chat, summaries, context: { threadId: 't', owner: 'ada' } }
  }

  it('is made once, and used by the next process', async () => {
    const { summaries, context } = setup()
    const [model, other] = [numbered(), numbered()]
    const first = await step(model, { summaries })(thread(11), context)
    const second = await step(other, { summaries })(thread(12), context)
    expect(other.calls).toHaveLength(0)
    expect(second.slice(0, -1)).toEqual(first)
  })

  it('names what it was made of, and what it goes on from', async () => {
    const { summaries, context } = setup()
    const prepare = step(numbered(), { summaries })
    await prepare(thread(11), context)
    await prepare(thread(20), context)
    const { items } = await summaries(context).list(['summaries', 't'])
    expect(items.map(({ value }) => [value.text, value.messageCount])).toEqual([
      ['summary 2', 16],
      ['summary 1', 7],
    ])
    expect(items[0]!.value.previousId).toBe(items[1]!.value.messagesId)
    expect(items[1]!.value.previousId).toBeUndefined()
  })

  it('leaves the originals where they are', async () => {
    const { chat, summaries, context } = setup()
    const history = createHistory({ chat, prepare: [step(numbered(), { summaries })] })
    await history.append('t', thread(11), { owner: 'ada' })
    const stored = await history.load('t', context)
    const prompt = await history.prepare(stored, context)
    expect(prompt).toHaveLength(5)
    expect(await history.load('t', context)).toEqual(stored)
    // Sent back with an answer, the summary is not stored as something that was said.
    await history.append('t', [prompt[0]!, say('answer')], { owner: 'ada' })
    expect((await history.load('t', context)).map(({ role }) => role)).toEqual([
      ...stored.map(({ role }) => role),
      'assistant',
    ])
  })

  it('no longer holds once one of its messages was removed: what is gone is not told again', async () => {
    const { chat, summaries, context } = setup()
    const model = scriptedModel(({ prompt }) => `says ${/(\d) xxx/.exec(JSON.stringify(prompt))![1]}`)
    const history = createHistory({ chat, prepare: [step(model, { summaries })] })
    await history.append('t', thread(12), { owner: 'ada' })
    expect(text((await history.prepare(await history.load('t', context), context))[0])).toContain('says 0')
    const [first] = await history.load('t', context)
    await chat.removeMessages('t', [first!.id!])
    expect(text((await history.prepare(await history.load('t', context), context))[0])).toContain('says 1')
  })

  it('is not used in a branch that parted before', async () => {
    const { summaries, context } = setup()
    const model = numbered()
    const prepare = step(model, { summaries })
    await prepare(thread(11), context)
    const branch = [...thread(3), ...thread(9, 100)]
    expect(text((await prepare(branch, context))[0])).toContain('summary 2')
    // A branch that parted later does use it.
    expect(text((await prepare([...thread(8), ...thread(3, 200)], context))[0])).toContain('summary 1')
    expect(model.calls).toHaveLength(2)
  })

  it("is the owner's alone, and goes with the thread", async () => {
    const { store, chat, summaries, context } = setup()
    const history = createHistory({
      chat,
      prepare: [step(numbered(), { summaries }), recall({ from: () => undefined })],
    })
    await history.append('t', thread(11), { owner: 'ada' })
    await history.prepare(await history.load('t', context), context)
    expect((await summaries({ owner: 'bob' }).list([])).items).toEqual([])
    expect((await summaries(context).list([])).items).toHaveLength(1)
    await history.clear('t', { owner: 'ada' })
    expect((await summaries(context).list([])).items).toEqual([])
    expect(JSON.stringify(await store.scan('x', { limit: 9 }))).toBe('[]')
  })

  it('of two that are made at once both prompts have the one that was stored first', async () => {
    const { summaries, context } = setup()
    const model = numbered()
    const prepare = step(model, { summaries })
    const prompts = await Promise.all([prepare(thread(11), context), prepare(thread(11), context)])
    expect(text(prompts[0][0])).toBe(text(prompts[1][0]))
    expect((await summaries(context).list([])).items).toHaveLength(1)
  })

  it('where storing fails the prompt is as it was', async () => {
    const { summaries, context } = setup()
    const errors: unknown[] = []
    const broken = { ...summaries(context), put: () => Promise.reject(new Error('down')) }
    const prepare = step(numbered(), { summaries: broken, onError: (error) => errors.push(error) })
    expect(await prepare(thread(11), context)).toEqual(thread(11))
    expect(errors).toHaveLength(1)
  })
})
