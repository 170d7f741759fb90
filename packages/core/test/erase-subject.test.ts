import { describe, expect, it } from 'vitest'
import { chatMemory } from '../src/chat/chat-memory.ts'
import { createClock } from '../src/clock.ts'
import { eraseSubject, type ErasureProgress } from '../src/erasure/erase-subject.ts'
import { walkEntities, walkRows } from '../src/migration/walk-rows.ts'
import { ownerEntity, subjectEntity, threadEntity } from '../src/owner.ts'
import { records } from '../src/records/records.ts'
import { inMemoryStore } from '../src/rows/in-memory-store.ts'
import { encodeTuple } from '../src/rows/keys.ts'
import type { Row, RowStore } from '../src/rows/row-store.ts'
import { sourceText } from '../src/sources.ts'
import { decodeEnvelope } from '../src/values/envelope.ts'

const NOW = { graceMs: 0 }

async function allRows(store: RowStore): Promise<Row[]> {
  const rows: Row[] = []
  for await (const entity of walkEntities(store)) for await (const row of walkRows(store, entity)) rows.push(row)
  return rows
}

/** What a raw scan finds of a text: in entities, keys and records. */
async function traces(store: RowStore, text: string): Promise<string[]> {
  const bytes = Buffer.from(text)
  const holds = (rec: Uint8Array): boolean => Buffer.from(rec).includes(bytes)
  const found = (await allRows(store)).filter(
    ({ entity, key, rec }) => entity.includes(text) || key.includes(text) || holds(rec),
  )
  return found.map(({ entity, key }) => entity + key)
}

const say = (content: string) => [{ role: 'user' as const, content }]

async function lives(store: RowStore, owner: string, n: number): Promise<void> {
  const chat = chatMemory(store)
  for (let i = 0; i < n; i++) {
    await chat.append(`${owner}-t${i}`, say(`${owner} says hello`), { owner, opId: `${owner}-op` })
    await records(store, owner).put(['memories', `m${i}`], { text: `${owner} likes pizza` })
  }
}

describe('eraseSubject', () => {
  it('removes all of an owner and nothing of others, and counts every row by its kind', async () => {
    const store = inMemoryStore()
    await lives(store, 'bob', 3)
    const before = await allRows(store)
    await lives(store, 'ada', 3)
    await records(store, 'ada', { area: 'f' }).put(['AGENTS.md'], { text: 'ada' })

    const report = await eraseSubject(store, 'ada', NOW)
    // Three threads: a head, an append and a claim of the operation each, and a place in the list.
    const counts = { heads: 3, messages: 3, claims: 3, thread_list: 3, records: 3, files: 1, directory: 4 }
    expect(report.counts).toEqual(counts)
    expect(report.stores).toEqual([{ name: 'memory', counts }])
    expect(await traces(store, 'ada')).toEqual([])
    const left = await allRows(store)
    expect(left.filter(({ entity }) => entity !== encodeTuple(['audit']))).toEqual(before)
  })

  it('keeps an audit record that holds no content and no name', async () => {
    const store = inMemoryStore()
    await lives(store, 'ada', 1)
    const clock = createClock({ nowMs: () => Date.UTC(2026, 0, 1) })
    const { auditId, counts } = await eraseSubject(store, 'ada', { ...NOW, clock })
    const [row, ...more] = await store.scan(encodeTuple(['audit']), { limit: 10 })
    expect(more).toEqual([])
    expect(row!.key).toBe(encodeTuple(['erasure', auditId]))
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(auditId + subjectEntity('ada')))
    expect(decodeEnvelope(row!.rec).value).toEqual({
      action: 'erase',
      beganAtMs: Date.UTC(2026, 0, 1),
      completedAtMs: Date.UTC(2026, 0, 1),
      counts,
      subjectHash: Buffer.from(digest).toString('hex'),
    })
  })

  it('removes what is about the person in memories of others, and keeps the rest of them', async () => {
    const store = inMemoryStore()
    const chat = chatMemory(store)
    const team = records(store, ['teams', 'red'])
    await team.put(['lunch'], 'at noon')
    await records(store, 'ada').put(['neighbour'], 'bob', { subject: 'bob' })
    await team.put(['allergy'], 'no nuts for ada', { subject: 'ada' })
    await chat.append('red', say('I am bob'), { owner: 'bob' })
    await chat.append('red', say('I am ada'), { owner: 'bob', subject: 'ada' })

    const { counts } = await eraseSubject(store, 'ada', NOW)
    // The directories of ada (three entities) and of bob (one) named them.
    expect(counts).toEqual({ records: 2, messages: 1, directory: 4 })
    expect(await traces(store, 'ada')).toEqual([])
    expect((await team.list([])).items.map(({ value }) => value)).toEqual(['at noon'])
    expect((await chat.messages('red')).map(({ content }) => content)).toEqual(['I am bob'])
  })

  it('removes what others derived from the person, whatever it is called, and what was derived from that', async () => {
    const store = inMemoryStore()
    const chat = chatMemory(store)
    const [message] = await chat.append('t-ada', say('I moved to Bern'), { owner: 'ada' })
    await chat.append('t-bob', say('hi'), { owner: 'bob' })
    const bob = records(store, 'bob')
    await bob.put(['thread'], 1, { sources: ['t-ada'] })
    await bob.put(['message'], 1, { sources: ['t-bob', message!.id] })
    await bob.put(['text'], 1, { sources: [sourceText({ thread: 't-ada', message: 'x' })] })
    await bob.put(['record'], 1, { sources: [sourceText({ owner: 'ada', record: ['home'] })] })
    await bob.put(['file'], 1, { sources: [sourceText({ owner: 'ada', file: '/a.md' })] })
    await records(store, 'carl').put(['again'], 1, { sources: [sourceText({ owner: 'bob', record: ['thread'] })] })
    await bob.put(['own'], 1, { sources: ['t-bob', 'home', sourceText({ owner: 'adam', record: ['home'] })] })

    const dry = await eraseSubject(store, 'ada', { dryRun: true })
    const { counts } = await eraseSubject(store, 'ada', NOW)
    expect(counts).toEqual({ heads: 1, messages: 1, thread_list: 1, derived: 6, directory: 2 })
    expect(dry.counts).toEqual(counts)
    expect((await bob.list([])).items.map(({ key }) => key)).toEqual([['own']])
    expect((await records(store, 'carl').list([])).items).toEqual([])
  })

  it('removes what an engine keeps of a thread or entity, and its lists of work', async () => {
    const store = inMemoryStore()
    const row = (entity: string, ...key: string[]): Row => ({
      entity,
      key: encodeTuple(key),
      seq: 1,
      rec: new Uint8Array([0x83, 1, 0xf6, 0xa1, 0x61, 0x63, 0]),
      updatedAtMs: 0,
    })
    const own = encodeTuple(['entity', 'ada'])
    const shard = encodeTuple(['work', 'entity', '3'])
    const others = [
      row(shard, 'q', '1', 'bob', 'ada'),
      row(shard, 'due', '1', 'bob'),
      row(encodeTuple(['work', 'thread', '3']), 'x', 'ada', 'e1'),
      row(encodeTuple(['entity', 'ada2']), 'c', '1'),
    ]
    await store.write([
      ...others,
      row(subjectEntity('ada'), 'e', own),
      row(own, 'c', '1', '1'),
      row(own, 'j', '1', '', '1'),
      row(own, 'in', '1', 'e1'),
      row(own, 't'),
      row(own, 'd', 'e2'),
      row(own, 'w', '1', '1'),
      row(own, 'e', 'e0'),
      row(own, 'h'),
      row(shard, 'q', '1', 'ada', 'e1'),
      row(shard, 'due', '2', 'ada'),
      row(shard, 'x', 'ada', 'e2'),
    ])
    const expected = {
      commits: 1,
      journals: 1,
      inbox: 3,
      dead_letters: 2,
      working_memory: 1,
      events: 1,
      heads: 1,
      expiry: 1,
      directory: 1,
    }
    expect((await eraseSubject(store, 'ada', { dryRun: true })).counts).toEqual(expected)
    expect((await eraseSubject(store, 'ada', NOW)).counts).toEqual(expected)
    const left = (await allRows(store)).filter(({ entity }) => entity !== encodeTuple(['audit']))
    expect(left.map(({ entity, key }) => entity + key).toSorted()).toEqual(
      others.map(({ entity, key }) => entity + key).toSorted(),
    )
  })

  it('counts the same in a dry run, and writes nothing', async () => {
    const store = inMemoryStore()
    await lives(store, 'ada', 5)
    const before = await allRows(store)
    const guarded: RowStore = {
      ...store,
      write: () => Promise.reject(new Error('a dry run wrote')),
      remove: () => Promise.reject(new Error('a dry run removed')),
    }
    const dry = await eraseSubject(guarded, 'ada', { dryRun: true })
    expect(await allRows(store)).toEqual(before)
    expect(dry).toMatchObject({ dryRun: true, auditId: '' })
    const real = await eraseSubject(store, 'ada', NOW)
    expect(real.counts).toEqual(dry.counts)
  })

  it('reports of a person of whom nothing is stored that nothing went', async () => {
    const store = inMemoryStore()
    expect(await eraseSubject([store, inMemoryStore()], ['users', 'nobody'], NOW)).toMatchObject({
      subject: ['users', 'nobody'],
      counts: {},
      stores: [{ counts: {} }, { counts: {} }],
    })
  })

  it('refuses every kind of write while it is under way, and takes new data once it is done', async () => {
    const store = inMemoryStore()
    const chat = chatMemory(store)
    await lives(store, 'ada', 1)
    const team = records(store, 'team')
    await team.put(['a'], 1, { subject: 'ada' })
    const refused: unknown[] = []
    let waited = false
    const onProgress = ({ step }: ErasureProgress): void => {
      if (step !== 'wait' || waited) return
      waited = true
      const conflict = (write: Promise<unknown>): Promise<unknown> =>
        write.then(
          () => 'written',
          (e) => e.code,
        )
      refused.push(
        conflict(chat.append('ada-t0', say('in a thread that was there'), { owner: 'ada' })),
        conflict(chat.append('ada-t9', say('in a new one'), { owner: 'ada' })),
        conflict(chat.append('bob-t', say('beside bob'), { owner: 'bob', subject: 'ada' })),
        conflict(records(store, 'ada').put(['memories', 'm0'], 'again')),
        conflict(records(store, 'ada').put(['memories', 'bob'], 'of bob', { subject: 'bob' })),
        conflict(records(store, 'ada').update(['memories', 'm0'], () => 'again')),
        conflict(team.put(['a'], 2, { subject: 'ada' })),
        conflict(records(store, 'team2').put(['a'], 2, { subject: 'ada' })),
        conflict(records(store, 'bob').put(['a'], 2)),
      )
    }
    const { counts } = await eraseSubject(store, 'ada', { graceMs: 50, onProgress })
    expect(await Promise.all(refused)).toEqual([...Array<string>(8).fill('conflict'), 'written'])
    expect(await traces(store, 'ada')).toEqual([])
    expect(counts).toMatchObject({ messages: 1, records: 2 })
    await chat.append('ada-t0', say('I am back'), { owner: 'ada' })
    await records(store, 'ada').put(['memories', 'm0'], 'new')
    expect((await chat.messages('ada-t0')).map(({ content }) => content)).toEqual(['I am back'])
    expect((await eraseSubject(store, 'ada', NOW)).counts).toMatchObject({ messages: 1, records: 1 })
  })

  it('finds what was on its way when the fences went up', async () => {
    const store = inMemoryStore()
    await lives(store, 'ada', 1)
    // An append that has read the thread, and a put that has been answered by the directory, land after the first pass.
    const late: Row[] = [
      {
        ...(await store.scan(threadEntity('ada-t0'), { prefix: 'm\u00011', limit: 1 }))[0]!,
        key: 'm\u00011late\u0001',
      },
      { ...(await store.scan(ownerEntity('ada'), { prefix: 'r', limit: 1 }))[0]!, key: 'r\u0001late\u0001' },
    ]
    expect(late.map(({ entity }) => entity)).toEqual([threadEntity('ada-t0'), ownerEntity('ada')])
    let waits = 0
    const { counts } = await eraseSubject(store, 'ada', {
      graceMs: 20,
      onProgress: ({ step }) => {
        if (step === 'wait' && waits++ === 0) void store.write(late)
      },
    })
    expect(waits).toBe(2)
    expect(counts).toMatchObject({ messages: 2, records: 2 })
    expect(await traces(store, 'ada')).toEqual([])
  })

  it('goes on where it was stopped, with the counts and the audit record of before', async () => {
    const store = inMemoryStore()
    await lives(store, 'ada', 700)
    const stop = new AbortController()
    const erasing = eraseSubject(store, 'ada', {
      ...NOW,
      signal: stop.signal,
      onProgress: ({ step, rows }) => void (step === 'remove' && rows > 1000 && stop.abort()),
    })
    await expect(erasing).rejects.toMatchObject({ code: 'aborted' })
    const left = (await allRows(store)).length
    expect(left).toBeGreaterThan(1000)
    await expect(records(store, 'ada').put(['x'], 1)).rejects.toMatchObject({ code: 'conflict' })

    const { counts } = await eraseSubject(store, 'ada', NOW)
    const threads = { heads: 700, messages: 700, claims: 700, thread_list: 700 }
    expect(counts).toEqual({ ...threads, records: 700, directory: 701 })
    expect(await traces(store, 'ada')).toEqual([])
    expect(await store.scan(encodeTuple(['audit']), { limit: 9 })).toHaveLength(1)
  })

  it('goes on wherever a crash stopped it', async () => {
    const seed = async (store: RowStore): Promise<void> => {
      await lives(store, 'ada', 2)
      await records(store, 'bob').put(['from'], 'ada said', { sources: ['ada-t0'] })
    }
    const calls = async (store: RowStore, limit: number): Promise<RowStore> => {
      let left = limit
      const crash = <A extends unknown[], R>(call: (...args: A) => Promise<R>) => {
        return async (...args: A): Promise<R> => {
          if (left-- <= 0) throw new Error('killed')
          return call(...args)
        }
      }
      return { ...store, write: crash(store.write), remove: crash(store.remove) }
    }
    let limit = 0
    for (; limit < 100; limit++) {
      const store = inMemoryStore()
      await seed(store)
      const crashed = await eraseSubject(await calls(store, limit), 'ada', NOW).then(
        () => false,
        () => true,
      )
      await eraseSubject(store, 'ada', NOW)
      expect(await traces(store, 'ada'), `after ${limit} calls`).toEqual([])
      if (!crashed) break
    }
    expect(limit).toBeGreaterThan(10)
    expect(limit).toBeLessThan(100)
  })

  it('tells whoever keeps an index of rows before they go', async () => {
    const store = inMemoryStore()
    await lives(store, 'ada', 2)
    const told: string[] = []
    await eraseSubject(store, 'ada', {
      ...NOW,
      beforeRemove: async (rows) => {
        for (const row of await store.load(rows)) told.push(row!.key)
      },
    })
    expect(told).toContain(encodeTuple(['r', 'memories', 'm1']))
  })

  it('keeps ids apart that look alike, and owners that are tuples', async () => {
    const store = inMemoryStore()
    const alike = ['ad', 'ada', 'ada ', 'Ada', 'ada%', 'ada_', 'a\u0001da', '__proto__', 'ådå']
    for (const id of alike) await records(store, id).put(['k'], id)
    await records(store, ['ada', 'x']).put(['k'], 'ada/x')
    await records(store, ['users', 'ada']).put(['k'], 'users/ada')
    for (const id of ['ada', 'ada%', '__proto__', 'a\u0001da']) await eraseSubject(store, id, NOW)
    const left = [...alike, ['ada', 'x'], ['users', 'ada']].filter(
      (id) => typeof id !== 'string' || !['ada', 'ada%', '__proto__', 'a\u0001da'].includes(id),
    )
    for (const id of left) expect((await records(store, id).get(['k']))?.value).toBeTypeOf('string')
    expect(await records(store, 'ada').get(['k'])).toBeUndefined()
    expect(await records(store, 'a\u0001da').get(['k'])).toBeUndefined()
  })

  it.each([
    ['an empty subject', () => eraseSubject(inMemoryStore(), ''), 'invalid_key'],
    ['no stores', () => eraseSubject([], 'ada'), 'invalid_value'],
    ['a grace that is no time', () => eraseSubject(inMemoryStore(), 'ada', { graceMs: -1 }), 'invalid_value'],
  ])('refuses %s', async (_, call, code) => {
    await expect(call()).rejects.toMatchObject({ code })
  })
})

describe('files that are no rows', () => {
  it('are deleted by their paths, and counted', async () => {
    const there = new Set(['/users/ada/a.md', '/users/ada/b.md', '/users/bob/a.md'])
    const files = {
      async glob(pattern: string) {
        const prefix = pattern.replace('**', '')
        const value = [...there].filter((path) => path.startsWith(prefix)).map((path) => ({ path, directory: false }))
        return { ok: true as const, value }
      },
      delete: async (path: string) => ({ ok: there.delete(path) }),
    }
    const options = { ...NOW, files: [{ files, paths: ['/users/ada/**'] }] }
    expect((await eraseSubject(inMemoryStore(), 'ada', { ...options, dryRun: true })).counts).toEqual({ files: 2 })
    expect(there.size).toBe(3)
    expect((await eraseSubject(inMemoryStore(), 'ada', options)).counts).toEqual({ files: 2 })
    expect([...there]).toEqual(['/users/bob/a.md'])
  })
})

describe('sourceText', () => {
  it.each([
    [{ thread: 't1' }, 'thread:t1'],
    [{ thread: 't/1#', message: 'm 1' }, 'thread:t%2F1%23#m%201'],
    [{ owner: ['users', 'ada'], record: ['memories', 'food'] }, 'record:users/ada#memories/food'],
    [{ owner: 'ada', file: '/AGENTS.md' }, 'file:ada#/AGENTS.md'],
    [{ tool: 'fetch', call: 'c1' }, 'tool:fetch#c1'],
    [{ origin: 'https://example.com/' }, 'origin:https:%2F%2Fexample.com%2F'],
  ])('of %j is %s', (source, text) => {
    expect(sourceText(source)).toBe(text)
  })
})
