import { describe, expect, it } from 'vitest'
import { chatMemory } from '../src/chat/chat-memory.ts'
import { createClock } from '../src/clock.ts'
import { eraseSubject } from '../src/erasure/erase-subject.ts'
import { records } from '../src/records/records.ts'
import { markRecalled } from '../src/retention/forgetting.ts'
import { createRetention, type RetentionRule } from '../src/retention/retention.ts'
import { inMemoryStore } from '../src/rows/in-memory-store.ts'
import { encodeTuple } from '../src/rows/keys.ts'
import type { RowStore } from '../src/rows/row-store.ts'

const DAY_MS = 86_400_000

function setup() {
  const store = inMemoryStore()
  let nowMs = Date.UTC(2026, 0, 1)
  const clock = createClock({ nowMs: () => nowMs })
  const chat = chatMemory(store, { clock })
  const say = (thread: string, content: string) => chat.append(thread, [{ role: 'user', content }], { owner: 'zoe' })
  const texts = async (thread: string) => (await chat.messages(thread)).map(({ content }) => content)
  const sweep = (rule: RetentionRule, options = {}) => createRetention({ rules: [rule], clock }).sweep(store, options)
  return { store, clock, chat, say, texts, sweep, pass: (days: number) => (nowMs += days * DAY_MS) }
}

describe('messages', () => {
  const rule: RetentionRule = { kind: 'messages', maxAgeMs: 10 * DAY_MS }

  it('go turn by turn, and a thread whose newest turn is due goes as a whole', async () => {
    const { say, texts, sweep, pass, chat } = setup()
    for (let day = 1; day <= 12; day++) {
      await say('long', `day ${day}`)
      if (day === 1) await say('short', 'once')
      pass(1)
    }
    // It is day 13: what was said on days 1 to 3 is 10 days old or older.
    expect(await sweep(rule, { dryRun: true })).toEqual({ counts: { messages: 4 }, dryRun: true })
    expect(await texts('long')).toHaveLength(12)
    expect(await sweep(rule)).toEqual({ counts: { messages: 4 }, dryRun: false })
    expect(await texts('long')).toEqual([4, 5, 6, 7, 8, 9, 10, 11, 12].map((day) => `day ${day}`))
    expect(await texts('short')).toEqual([])
    expect((await chat.threads({ owner: 'zoe' })).items.map(({ id }) => id)).toEqual(['long'])
    expect(await sweep(rule)).toEqual({ counts: {}, dryRun: false })
    await say('short', 'again')
    expect(await texts('short')).toEqual(['again'])
  })

  it('keep a call for as long as its result, whatever lies between', async () => {
    const { say, sweep, pass, chat } = setup()
    await say('t', 'old')
    const call = { type: 'tool-call' as const, toolCallId: 'c1', toolName: 'look', input: {} }
    await chat.append('t', [{ role: 'assistant', content: [call] }])
    pass(11)
    await say('t', 'young')
    const result = {
      type: 'tool-result' as const,
      toolCallId: 'c1',
      toolName: 'look',
      output: { type: 'text' as const, value: 'x' },
    }
    await chat.append('t', [{ role: 'tool', content: [result] }])
    expect((await sweep(rule)).counts).toEqual({ messages: 1 })
    expect((await chat.messages('t')).map(({ role }) => role)).toEqual(['assistant', 'user', 'tool'])
  })

  it('are read where they are due, and nothing of threads that are young', async () => {
    const { store, say, pass, clock } = setup()
    for (let i = 0; i < 50; i++) await say('t', `${i}`)
    pass(1)
    let rows = 0
    const counted: RowStore = {
      ...store,
      async scan(entity, range, options) {
        const found = await store.scan(entity, range, options)
        rows += found.length
        return found
      },
    }
    await createRetention({ rules: [rule], clock }).sweep(counted)
    expect(rows).toBeLessThan(10)
  })
})

describe('records and files', () => {
  it('go by the namespace of their rule, tombstones and others stay', async () => {
    const { store, clock, pass, sweep } = setup()
    const zoe = records(store, 'zoe', { clock })
    await zoe.put(['episodes', '1'], 'old')
    await zoe.put(['episodes-kept', '1'], 'old')
    await zoe.put(['facts', '1'], 'old')
    await records(store, 'zoe', { clock, area: 'f' }).put(['AGENTS.md'], { text: 'old' })
    pass(5)
    await zoe.put(['episodes', '2'], 'young')
    expect((await sweep({ kind: 'records', namespace: ['episodes'], maxAgeMs: 5 * DAY_MS })).counts).toEqual({
      records: 1,
    })
    expect((await zoe.list([])).items.map(({ key }) => key.join('/'))).toEqual([
      'episodes/2',
      'episodes-kept/1',
      'facts/1',
    ])
    expect((await sweep({ kind: 'files', maxAgeMs: 5 * DAY_MS })).counts).toEqual({ files: 1 })
    expect((await sweep({ kind: 'records', maxAgeMs: 5 * DAY_MS })).counts).toEqual({ records: 2 })
    expect((await zoe.list([])).items).toHaveLength(1)
  })

  it('go in batches, stop when told, and go on', async () => {
    const { store, clock, pass } = setup()
    const zoe = records(store, 'zoe', { clock })
    await zoe.putMany(Array.from({ length: 95 }, (_, i) => ({ key: ['k', String(i)], value: i })))
    pass(2)
    const stop = new AbortController()
    const seen: number[] = []
    const retention = createRetention({ rules: [{ kind: 'records', maxAgeMs: DAY_MS }], clock })
    const sweeping = retention.sweep(store, {
      batchRows: 20,
      signal: stop.signal,
      onProgress(rows) {
        seen.push(rows)
        if (rows === 40) stop.abort()
      },
    })
    await expect(sweeping).rejects.toMatchObject({ code: 'aborted' })
    expect(seen).toEqual([20, 40])
    expect((await retention.sweep(store, { pauseMs: 1 })).counts).toEqual({ records: 55 })
    expect((await retention.sweep(store)).counts).toEqual({})
  })

  it('leave what is written while they are swept', async () => {
    const { store, clock, pass } = setup()
    const zoe = records(store, 'zoe', { clock })
    await zoe.put(['k'], 'old')
    pass(2)
    const racing: RowStore = {
      ...store,
      async remove(ids, options) {
        await zoe.put(['k'], 'new')
        return store.remove(ids, options)
      },
    }
    const rules: RetentionRule[] = [{ kind: 'records', maxAgeMs: DAY_MS }]
    expect((await createRetention({ rules, clock }).sweep(racing)).counts).toEqual({})
    expect((await zoe.get(['k']))?.value).toBe('new')
  })
})

describe('a sweep where nothing can be due', () => {
  const rules: RetentionRule[] = [
    { kind: 'records', namespace: ['episodes'], maxAgeMs: 30 * DAY_MS },
    { kind: 'checkpoints', maxAgeMs: 30 * DAY_MS },
  ]
  const rows = Array.from({ length: 1_000 }, (_, i) => ({ key: ['episodes', String(i)], value: i }))

  function counting(inner: RowStore): { store: RowStore; rows: () => number; calls: () => number } {
    let [read, calls] = [0, 0]
    async function counted<T extends unknown[]>(found: Promise<T>): Promise<T> {
      calls++
      read += (await found).filter((row) => row !== undefined).length
      return found
    }
    const store: RowStore = {
      ...inner,
      load: (ids, options) => counted(inner.load(ids, options)),
      scan: (entity, range, options) => counted(inner.scan(entity, range, options)),
    }
    return { store, rows: () => read, calls: () => calls }
  }

  it('reads a note for each owner, and no records', async () => {
    const { store, clock, pass } = setup()
    for (let owner = 0; owner < 10; owner++) await records(store, `owner ${owner}`, { clock }).putMany(rows)
    const retention = createRetention({ rules, clock })
    pass(1)
    await retention.sweep(store)
    const second = counting(store)
    await retention.sweep(second.store)
    expect([second.rows(), second.calls()]).toEqual([10, 1])
    const full = counting(store)
    await retention.sweep(full.store, { full: true })
    expect(full.rows()).toBe(10_010)
  })

  it('finds what has become due, of old owners and of new ones', async () => {
    const { store, clock, pass } = setup()
    const retention = createRetention({ rules, clock })
    const sweep = async () => (await retention.sweep(store)).counts
    const put = (owner: string, key: string) => records(store, owner, { clock }).put(['episodes', key], key)
    await put('zoe', 'day 0')
    expect(await sweep()).toEqual({})
    pass(10)
    await put('zoe', 'day 10')
    await put('bob', 'day 10')
    pass(19)
    expect(await sweep()).toEqual({})
    pass(1)
    expect(await sweep()).toEqual({ records: 1 })
    expect(await sweep()).toEqual({})
    pass(10)
    expect(await sweep()).toEqual({ records: 2 })
    expect(await store.scan(encodeTuple(['owner', 'zoe']), { limit: 9 })).toEqual([])
  })

  it('notes nothing in a dry run, nor before what was due is gone', async () => {
    const { store, clock, pass } = setup()
    const retention = createRetention({ rules, clock })
    const zoe = records(store, 'zoe', { clock })
    await zoe.put(['episodes', 'old'], 1)
    pass(31)
    await zoe.put(['episodes', 'young'], 2)
    expect((await retention.sweep(store, { dryRun: true })).counts).toEqual({ records: 1 })
    const failing: RowStore = { ...store, remove: () => Promise.reject(new Error('gone')) }
    await expect(retention.sweep(failing)).rejects.toThrow('gone')
    expect((await retention.sweep(store)).counts).toEqual({ records: 1 })
  })

  it('is told apart by the rule: what was recalled lately is old all the same', async () => {
    const { store, clock, pass } = setup()
    await records(store, 'zoe', { clock }).put(['episodes', 'x'], 1)
    pass(31)
    await markRecalled(store, 'zoe', [['episodes', 'x']], { clock })
    const forget = [{ namespace: ['episodes'], unusedForMs: 30 * DAY_MS, archive: inMemoryStore() }]
    expect((await createRetention({ rules: [], forget, clock }).sweep(store)).counts).toEqual({})
    expect((await createRetention({ rules, clock }).sweep(store)).counts).toEqual({ records: 1 })
  })

  it('looks at records that were imported with old times when it is told to', async () => {
    const { store, clock, pass } = setup()
    const retention = createRetention({ rules, clock })
    await records(store, 'zoe', { clock }).put(['episodes', 'a'], 1)
    const entity = encodeTuple(['owner', 'zoe'])
    const [row] = await store.scan(entity, { prefix: encodeTuple(['r']), limit: 1 })
    pass(1)
    await retention.sweep(store)
    await store.write([{ ...row!, key: encodeTuple(['r', 'episodes', 'b']), updatedAtMs: clock.nowMs() - 40 * DAY_MS }])
    expect((await retention.sweep(store)).counts).toEqual({})
    expect((await retention.sweep(store, { full: true })).counts).toEqual({ records: 1 })
  })

  it('leaves nothing of its notes when the person is erased', async () => {
    const { store, clock } = setup()
    await records(store, 'zoe', { clock }).put(['episodes', 'a'], 1)
    await createRetention({ rules, clock }).sweep(store)
    await eraseSubject(store, 'zoe', { graceMs: 0, clock })
    expect(await store.entities({ limit: 9 })).toEqual([encodeTuple(['audit'])])
  })
})

it('audits go after their own time', async () => {
  const { store, clock, pass, sweep } = setup()
  await eraseSubject(store, 'zoe', { graceMs: 0, clock })
  pass(9)
  expect((await sweep({ kind: 'audit', maxAgeMs: 10 * DAY_MS })).counts).toEqual({})
  pass(1)
  expect((await sweep({ kind: 'audit', maxAgeMs: 10 * DAY_MS })).counts).toEqual({ audit: 1 })
})

describe('forgetting', () => {
  it('archives what was neither written nor recalled, and destroys nothing', async () => {
    const { store, clock, pass } = setup()
    const archive = inMemoryStore()
    const zoe = records(store, 'zoe', { clock })
    await zoe.put(['memories', 'used'], 1)
    await zoe.put(['memories', 'unused'], { text: 'x' })
    const [row] = await store.load([
      { entity: encodeTuple(['owner', 'zoe']), key: encodeTuple(['r', 'memories', 'unused']) },
    ])
    pass(20)
    await markRecalled(store, 'zoe', [['memories', 'used']], { clock })
    pass(20)
    const retention = createRetention({
      rules: [],
      forget: [{ namespace: ['memories'], unusedForMs: 30 * DAY_MS, archive }],
      clock,
    })
    expect((await retention.sweep(store, { dryRun: true })).counts).toEqual({ archived: 1 })
    expect((await archive.entities({ limit: 9 })).length).toBe(0)
    expect((await retention.sweep(store)).counts).toEqual({ archived: 1 })
    expect((await zoe.list([])).items.map(({ key }) => key)).toEqual([['memories', 'used']])
    expect(await archive.load([row!])).toEqual([row])
    expect((await retention.sweep(store)).counts).toEqual({})
    pass(20)
    expect((await retention.sweep(store)).counts).toEqual({ archived: 1 })
  })
})

it.each([
  [{ kind: 'everything', maxAgeMs: 1 }, 'rules[0].kind'],
  [{ kind: 'files', maxAgeMs: 0 }, 'rules[0].maxAgeMs'],
  [{ kind: 'records', maxAgeMs: 1, namespace: 'episodes' }, 'rules[0].namespace'],
])('refuses %j', (rule, where) => {
  expect(() => createRetention({ rules: [rule as never] })).toThrow(where)
})
