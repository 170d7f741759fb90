import { chatMemory, createClock, inMemoryStore, type Clock, type RowStore } from '@keepsake/core'
import { scriptedModel, type ScriptedModel } from '../../store-testing/src/index.ts'
import { describe, expect, it } from 'vitest'
import { backgroundConsolidation, type BackgroundConsolidation } from '../src/consolidation/background-consolidation.ts'
import { createMemoryConsolidator } from '../src/consolidation/memory-consolidator.ts'
import type { Files } from '../src/files.ts'
import { rowFiles } from '../src/row-files.ts'
import { createMemoryToolset } from '../src/toolset/memory-toolset.ts'

const NOTES = '/NOTES.md'

/** A model that keeps every word: what the user said becomes a line of the notes. */
function noteTaker(): ScriptedModel {
  return scriptedModel(({ prompt }) => {
    const message = prompt.find(({ role }) => role === 'user')!
    const text = (message.content[0] as { text: string }).text
    const [, files, said] = /^Files:\n([^]*?)\n\nConversation, oldest first:\n([^]*)$/.exec(text)!
    const notes = (JSON.parse(files!) as { content: string }[])[0]!.content
    const lines = (JSON.parse(said!) as { text: string }[]).map((one) => `- ${one.text}\n`).join('')
    return JSON.stringify({ changes: [{ path: NOTES, content: notes + lines }] })
  })
}

interface World {
  store: RowStore
  clock: Clock
  advance: (ms: number) => void
  say: (thread: string, ...texts: string[]) => Promise<void>
  notes: () => Promise<string[]>
  files: Files
  /** A worker of its own, on a store that may fail. */
  worker: (
    model: ScriptedModel,
    options?: { store?: RowStore; batchMessages?: number; files?: Files },
  ) => BackgroundConsolidation
}

function world(): World {
  let nowMs = Date.UTC(2026, 0, 1)
  let ids = 0
  const clock = createClock({ nowMs: () => nowMs, newId: () => `id-${++ids}` })
  const store = inMemoryStore()
  const chat = chatMemory(store, { clock })
  const files = rowFiles(store, 'ada', { clock })
  return {
    store,
    clock,
    files,
    advance: (ms) => (nowMs += ms),
    async say(thread, ...texts) {
      for (const content of texts) await chat.append(thread, [{ role: 'user', content }], { owner: 'ada' })
    },
    async notes() {
      const file = await files.read(NOTES)
      return file.ok ? file.value.content.trimEnd().split('\n') : []
    },
    worker: (model, options = {}) => {
      const over = options.store ?? store
      const its = options.files ?? rowFiles(over, 'ada', { clock })
      return backgroundConsolidation({
        store: over,
        chat: chatMemory(over, { clock }),
        consolidator: createMemoryConsolidator({ model }),
        toolset: () => createMemoryToolset(its, { always: [NOTES] }),
        clock,
        ...(options.batchMessages !== undefined && { batchMessages: options.batchMessages }),
      })
    },
  }
}

const said = (from: number, to: number): string[] => Array.from({ length: to - from + 1 }, (_, i) => `m${from + i}`)
const lines = (from: number, to: number): string[] => said(from, to).map((text) => `- ${text}`)

describe('background consolidation', () => {
  it('takes what is new since the last time, and nothing again', async () => {
    const { say, notes, worker } = world()
    const model = noteTaker()
    await say('t1', ...said(1, 3))
    expect(await worker(model).run('ada')).toMatchObject([{ threadId: 't1', status: 'consolidated', messages: 3 }])
    expect(await notes()).toEqual(lines(1, 3))
    expect(await worker(model).run('ada')).toMatchObject([{ status: 'nothing_new', messages: 0, results: [] }])
    expect(model.calls).toHaveLength(1)
    await say('t1', 'm4')
    await say('t2', 'm5')
    expect(await worker(model).run('ada')).toHaveLength(2)
    expect((await notes()).toSorted()).toEqual(lines(1, 5))
    expect(model.calls).toHaveLength(3)
  })

  it('goes through a long thread in batches, in order', async () => {
    const { say, notes, worker } = world()
    await say('t', ...said(1, 230))
    const model = noteTaker()
    const result = await worker(model).runThread('ada', 't')
    // 50 a call, and no more lines than a file may have: the last batch is refused, and says so.
    expect(model.calls).toHaveLength(5)
    expect(result.results.map(({ refused }) => refused.length)).toEqual([0, 0, 0, 0, 1])
    expect(await notes()).toEqual(lines(1, 200))
  })

  it('reads of a long thread about what is new', async () => {
    const { store, say, worker } = world()
    await say('t', ...said(1, 100))
    await worker(noteTaker(), { batchMessages: 100 }).runThread('ada', 't')
    await say('t', 'm101')
    let rows = 0
    const counting: RowStore = {
      ...store,
      async scan(...given) {
        const found = await store.scan(...given)
        rows += found.length
        return found
      },
    }
    await worker(noteTaker(), { store: counting }).runThread('ada', 't')
    expect(rows).toBeLessThan(90)
  })

  it('leaves the mark where it is when the answer cannot be used', async () => {
    const { say, notes, worker } = world()
    await say('t', 'm1')
    const failed = await worker(scriptedModel(['I noted that.'])).runThread('ada', 't')
    expect(failed).toMatchObject({ status: 'failed', messages: 0, results: [{ failed: true, problem: 'not_json' }] })
    expect(await notes()).toEqual([])
    expect(await worker(noteTaker()).runThread('ada', 't')).toMatchObject({ status: 'consolidated', messages: 1 })
    expect(await notes()).toEqual(['- m1'])
  })

  it('of two workers at once, one works', async () => {
    const { say, notes, worker } = world()
    await say('t', ...said(1, 5))
    const results = await Promise.all(Array.from({ length: 4 }, () => worker(noteTaker()).runThread('ada', 't')))
    expect(results.map(({ status }) => status).toSorted()).toEqual(['busy', 'busy', 'busy', 'consolidated'])
    expect(await notes()).toEqual(lines(1, 5))
  })

  it('two threads of one owner at once keep the lines of both', async () => {
    const { say, notes, worker } = world()
    await say('t1', ...said(1, 3))
    await say('t2', ...said(4, 6))
    await Promise.all(['t1', 't2'].map((thread) => worker(noteTaker()).runThread('ada', thread)))
    expect((await notes()).toSorted()).toEqual(lines(1, 6))
  })

  it('does not touch the thread of somebody else', async () => {
    const { say, worker } = world()
    await say('t', 'm1')
    await expect(worker(noteTaker()).runThread('bob', 't')).rejects.toMatchObject({ code: 'wrong_owner' })
    expect(await worker(noteTaker()).run('bob')).toEqual([])
  })

  it('goes on where it was when the last message is removed, and when all are', async () => {
    const { store, clock, advance, say, notes, worker } = world()
    const chat = chatMemory(store, { clock })
    await say('t', ...said(1, 3))
    await worker(noteTaker()).runThread('ada', 't')
    const messages = await chat.messages('t')
    await chat.removeMessages('t', [messages[2]!.id])
    advance(1)
    await say('t', 'm4')
    await worker(noteTaker()).runThread('ada', 't')
    await chat.removeMessages(
      't',
      (await chat.messages('t')).map(({ id }) => id),
    )
    advance(1)
    await say('t', 'm5')
    await worker(noteTaker()).runThread('ada', 't')
    expect(await notes()).toEqual(lines(1, 5))
  })

  it('asks anew where somebody else wrote the same lines', async () => {
    const { files, say, notes, worker } = world()
    await files.write(NOTES, '- old\n')
    await say('t', 'm1')
    let meddled = false
    const meddling: Files = {
      ...files,
      async write(...given) {
        if (!meddled) {
          meddled = true
          await files.write(NOTES, '- new\n')
        }
        return files.write(...given)
      },
    }
    // Rewrites the line that the other changes.
    const model = scriptedModel((_call, index) =>
      JSON.stringify({ changes: [{ path: NOTES, content: index === 0 ? '- older\n- m1' : '- new\n- m1' }] }),
    )
    expect(await worker(model, { files: meddling }).runThread('ada', 't')).toMatchObject({ status: 'consolidated' })
    expect(model.calls).toHaveLength(2)
    expect(await notes()).toEqual(['- new', '- m1'])
  })
})

it('goes on after a change of which files there are', async () => {
  const { store, clock, advance, say, worker, notes } = world()
  await say('t', 'm1')
  // Dies when the answer is stored and not yet written.
  const model = noteTaker()
  await expect(worker(model, { store: dying(store, 4, false) }).runThread('ada', 't')).rejects.toThrow('dead')
  expect(model.calls).toHaveLength(1)
  advance(600_001)
  const other = backgroundConsolidation({
    store,
    chat: chatMemory(store, { clock }),
    consolidator: createMemoryConsolidator({ model }),
    toolset: () => createMemoryToolset(rowFiles(store, 'ada', { clock }), { always: ['/OTHER.md'] }),
    clock,
  })
  expect(await other.runThread('ada', 't')).toMatchObject({
    status: 'consolidated',
    results: [{ refused: [{ path: NOTES, code: 'not_shown' }] }],
  })
  expect(await notes()).toEqual([])
})

/** Dies at its nth write, before or after it has landed. */
function dying(store: RowStore, nth: number, lands: boolean): RowStore {
  let writes = 0
  return {
    ...store,
    async write(...given) {
      writes++
      // Nothing works any more once it is dead: not even giving back what it had claimed.
      if (writes > nth) throw new Error('dead')
      if (writes < nth) return store.write(...given)
      if (lands) await store.write(...given)
      throw new Error('dead')
    },
  }
}

describe('a worker that dies', () => {
  it.for(
    Array.from({ length: 8 }, (_, i) => i + 1).flatMap((nth) => [
      { nth, lands: false },
      { nth, lands: true },
    ]),
  )('at write $nth (landed: $lands) leaves nothing out and nothing twice', async ({ nth, lands }) => {
    const { store, advance, say, notes, worker } = world()
    await say('t', ...said(1, 4))
    const model = noteTaker()
    let died = false
    try {
      await worker(model, { store: dying(store, nth, lands), batchMessages: 2 }).runThread('ada', 't')
    } catch {
      died = true
    }
    expect(died).toBe(true)
    await say('t', 'm5')
    const before = await worker(model, { batchMessages: 2 }).runThread('ada', 't')
    if (before.status === 'busy') {
      advance(600_001)
      expect(await worker(model, { batchMessages: 2 }).runThread('ada', 't')).toMatchObject({ status: 'consolidated' })
    }
    expect(await notes()).toEqual(lines(1, 5))
    expect(await worker(model).runThread('ada', 't')).toMatchObject({ status: 'nothing_new' })
    // An answer that was stored is not asked for again.
    expect(model.calls.length).toBeLessThanOrEqual(4)
  })
})
